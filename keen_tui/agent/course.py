"""Where a task stands in its piece: the movement that runs, its tools, its words, and the way on."""

from __future__ import annotations

from collections.abc import Mapping

from keen_tui.agent.boundary import Boundary, Complete, Transition
from keen_tui.agent.journal import Journal
from keen_tui.domain.events import MovementStarted
from keen_tui.domain.pieces import WORK, Movement, Piece
from keen_tui.tools.registry import ToolBox

ALWAYS = ("MissionUpdate", "SearchTaskConversation", "ReadTaskConversation", "ask_user")
"""Tools that belong to every movement, whatever its list says."""


class Course:
    """Reads the movement from the task's view and writes it as an event, so a resumed task goes on there."""

    def __init__(self, journal: Journal, pieces: Mapping[str, Piece]) -> None:
        self._journal = journal
        self.pieces = pieces

    @property
    def problem(self) -> str:
        """A sentence when the task's piece is not there any more."""
        name = self._journal.view.piece
        if name in self.pieces:
            return ""
        return f"This task's piece {name} is not there, so it goes on as a plain conversation. /piece chooses another."

    @property
    def piece(self) -> Piece:
        return self.pieces.get(self._journal.view.piece) or self.pieces[WORK]

    @property
    def movement(self) -> Movement:
        started = self._journal.view.movement
        found = self.piece.movement(started.movement) if started is not None else None
        return found or self.piece.movements[0]

    @property
    def name(self) -> str:
        return self.movement.name

    def choose(self, name: str) -> str:
        """Start another piece at its first movement. Returns what is wrong, or an empty string."""
        if name not in self.pieces:
            return f"There is no piece {name}. There are: {', '.join(self.pieces)}."
        self._enter(self.pieces[name], self.pieces[name].movements[0])
        return ""

    def go_to(self, name: str) -> None:
        """Enter a movement of the piece."""
        if (movement := self.piece.movement(name)) is not None:
            self._enter(self.piece, movement)

    def start_again(self) -> None:
        """The piece is complete: the next prompt starts it at its first movement."""
        self._enter(self.piece, self.piece.movements[0])

    def _enter(self, piece: Piece, movement: Movement) -> None:
        self._journal.publish(
            MovementStarted(
                piece=piece.name,
                movement=movement.name,
                number=piece.movements.index(movement) + 1,
                movements=len(piece.movements),
            )
        )

    def toolbox(self, tools: ToolBox, boundary: Boundary) -> ToolBox:
        """The tools of the movement, those that lead on last. A plain conversation has them all."""
        piece, movement = self.piece, self.movement
        if movement.tools is not None:
            tools = tools.only((*movement.tools, *ALWAYS))
        if piece.has_phases and movement.leads_to:
            tools = tools.with_tool(Transition(movement, boundary))
        if piece.has_phases and movement.may_complete:
            tools = tools.with_tool(Complete(movement, boundary))
        return tools

    def words(self) -> tuple[str, ...]:
        """What the context block says about the movement; nothing in a plain conversation."""
        piece, movement = self.piece, self.movement
        if not piece.has_phases and not movement.instruction:
            return ()
        number = piece.movements.index(movement) + 1
        lines = [f"Movement: {movement.name} ({number} of {len(piece.movements)} in the piece {piece.name})."]
        if movement.instruction:
            lines.append(movement.instruction.strip())
        if piece.has_phases:
            lines.append("When it is done:")
            lines += [f"- {exit.to}: {exit.when}" for exit in movement.exits]
            lines.append("Before it ends, bring done, open, current_focus and decisions up to date with MissionUpdate.")
        return ("\n".join(lines),)


def handed_over(handoff: str, came_from: str, request: str) -> str:
    """The words that open the prompt of the next movement."""
    return f"{handoff}\n\n(Handoff of the movement {came_from}. The user's own words in this turn were:)\n\n{request}"
