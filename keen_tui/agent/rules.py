"""What the person allowed: for this session, or for a project in a file under KEEN_HOME."""

from __future__ import annotations

import os
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import tomli_w
from pydantic import BaseModel, ConfigDict, ValidationError

from keen_tui.domain.errors import KeenError

RuleKind = Literal["command", "edit", "read", "fetch"]


class Rule(BaseModel):
    """`value`: a command prefix, a folder (absolute) for edit and read, a host for fetch."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: RuleKind
    value: str

    def words(self) -> str:
        """The rule as the person reads it."""
        match self.kind:
            case "command":
                return f"commands that start with `{self.value}`"
            case "edit":
                return f"edits in {self.value}"
            case "read":
                return f"reading in {self.value}"
            case "fetch":
                return f"pages of {self.value}"


class _RuleFile(BaseModel):
    model_config = ConfigDict(extra="forbid")

    workspace: str = ""
    allow: list[Rule] = []


@dataclass(slots=True)
class Rules:
    """Session rules in memory, project rules in `file`. A broken file allows nothing and is left alone."""

    workspace: Path
    file: Path
    session: set[Rule] = field(default_factory=set)
    project: set[Rule] = field(default_factory=set)
    problem: str = ""

    @classmethod
    def load(cls, file: Path, workspace: Path) -> Rules:
        rules = cls(workspace, file)
        try:
            data = _RuleFile.model_validate(tomllib.loads(file.read_text(encoding="utf-8")))
        except FileNotFoundError:
            return rules
        except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, ValidationError) as error:
            first = str(error).splitlines()[0]
            rules.problem = f"{file} can't be read ({first}); nothing in it is allowed. Mend or delete it."
            return rules
        rules.project = set(data.allow)
        return rules

    def all(self) -> set[Rule]:
        return self.session | self.project

    def allow_for_session(self, rules: tuple[Rule, ...]) -> None:
        self.session.update(rules)

    def allow_for_project(self, rules: tuple[Rule, ...]) -> None:
        """Write the rules to the project's file. Raises KeenError when that fails; they then hold for the session."""
        self.session.update(rules)
        if self.problem:
            raise KeenError(self.problem)
        self.project.update(rules)
        data = {
            "workspace": str(self.workspace),
            "allow": [rule.model_dump() for rule in sorted(self.project, key=lambda r: (r.kind, r.value))],
        }
        temporary = self.file.with_suffix(".tmp")
        try:
            self.file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            with os.fdopen(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as out:
                tomli_w.dump(data, out)
            temporary.replace(self.file)
        except OSError as error:
            raise KeenError(
                f"The rule could not be written to {self.file} ({error.strerror}). It holds for this session."
            ) from error
