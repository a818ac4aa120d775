"""Pieces: named workflows, each a list of movements."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

WORK = "work"
COMPLETE = "complete"
"""The exit that ends the piece instead of leading to a movement."""
Name = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9_-]{0,39}$")]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Exit(_Part):
    """Where a movement may lead, and when."""

    to: Name
    when: str = Field(min_length=1, max_length=1_000)


class Movement(_Part):
    """One phase. `tools` None means all of them; `model` None means the task's own."""

    name: Name
    instruction: str = Field(default="", max_length=8_000)
    tools: tuple[str, ...] | None = None
    model: str | None = Field(default=None, min_length=1, max_length=200)
    exits: tuple[Exit, ...] = ()

    @property
    def leads_to(self) -> tuple[str, ...]:
        """The movements that it may hand over to."""
        return tuple(exit.to for exit in self.exits if exit.to != COMPLETE)

    @property
    def may_complete(self) -> bool:
        """Whether it may end the piece: it has that exit, or none at all."""
        return not self.exits or any(exit.to == COMPLETE for exit in self.exits)


class Piece(_Part):
    """The first movement is where it starts."""

    name: Name
    description: str = Field(default="", max_length=400)
    movements: tuple[Movement, ...] = Field(min_length=1, max_length=20)

    @model_validator(mode="after")
    def _check_movements(self) -> Self:
        names = [movement.name for movement in self.movements]
        for name in names:
            if names.count(name) > 1:
                raise ValueError(f"two movements are called {name}")
            if name == COMPLETE:
                raise ValueError(f"a movement can't be called {COMPLETE}, which is the exit that ends the piece")
        for movement in self.movements:
            targets = [exit.to for exit in movement.exits]
            for target in targets:
                if target not in (*names, COMPLETE):
                    raise ValueError(f"{movement.name} leads to {target}, which is no movement of this piece")
                if target == movement.name or targets.count(target) > 1:
                    raise ValueError(f"{movement.name} leads to {target} twice, or to itself")
        return self

    def movement(self, name: str) -> Movement | None:
        return next((movement for movement in self.movements if movement.name == name), None)

    @property
    def has_phases(self) -> bool:
        """Whether it has more than one movement, and so the tools that lead from one to the next."""
        return len(self.movements) > 1
