"""Who decides about a call: the mode, the rules, or the person.

Nothing here asks. A decision says allow, deny (with words for the model) or ask (with reasons and
the rules that a broader answer would write).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

from keen_tui.agent.read_only_paths import read_only_matcher
from keen_tui.agent.rules import Rule, Rules
from keen_tui.domain.constraints import ReadOnlyPath
from keen_tui.domain.errors import KeenError
from keen_tui.domain.events import Mode
from keen_tui.security.path_guard import PathGuard
from keen_tui.security.shell_classes import ShellPart, ShellVerdict, classify, matches_rule
from keen_tui.tools.base import Access

PLAN_REFUSAL = "Refused: plan mode only reads. Describe this step in the plan instead."


@dataclass(frozen=True, slots=True)
class Decision:
    """`rules` are what "session" or "project" would allow; empty when only "once" makes sense."""

    verdict: Literal["allow", "ask", "deny"]
    reasons: tuple[str, ...] = ()
    rules: tuple[Rule, ...] = ()

    @property
    def rule_words(self) -> str:
        return " and ".join(rule.words() for rule in self.rules)


ALLOW = Decision("allow")


@dataclass(frozen=True, slots=True)
class Approvals:
    """`protected` are folders and files that always ask when written, in every mode but yolo.

    `readable` are folders outside the workspace that may always be read: the outputs of the running turn.
    `pinned` are the paths that the brief calls read-only at this moment: writing there asks in every mode
    but plan, which refuses it.
    """

    workspace: Path
    rules: Rules
    protected: tuple[Path, ...] = ()
    readable: tuple[Path, ...] = ()
    pinned: Callable[[], Sequence[ReadOnlyPath]] = tuple

    def decide(self, access: Access, mode: Mode, *, tree_is_dirty: bool = False) -> Decision:
        """`tree_is_dirty` matters for destructive git verbs in yolo mode alone."""
        match access.kind:
            case "none":
                return ALLOW
            case "read":
                return self._read(access.paths, mode)
            case "write":
                return self._write(access.paths, mode)
            case "command":
                return self._command(access.command, mode, tree_is_dirty)
            case "fetch":
                return self._fetch(access.url, mode)

    def _read(self, paths: tuple[Path, ...], mode: Mode) -> Decision:
        outside = [path for path in paths if not path.is_relative_to(self.workspace)]
        if not outside or mode == "yolo" or all(self._folder_allowed("read", path) for path in outside):
            return ALLOW
        rules = tuple(Rule(kind="read", value=str(path.parent)) for path in outside)
        return Decision("ask", tuple(f"{path} is outside the workspace" for path in outside), rules)

    def _write(self, paths: tuple[Path, ...], mode: Mode) -> Decision:
        if mode == "plan":
            return Decision("deny", (PLAN_REFUSAL,))
        if reasons := self._pinned_reasons(paths):
            return Decision("ask", reasons)
        if mode == "yolo":
            return ALLOW
        delicate = [path for path in paths if any(path.is_relative_to(p) for p in self.protected)]
        if delicate:
            return Decision("ask", tuple(f"{path} steers git or Keen itself" for path in delicate))
        outside = [path for path in paths if not path.is_relative_to(self.workspace)]
        if outside:
            return Decision("ask", tuple(f"{path} is outside the workspace" for path in outside))
        if mode == "accept-edits" or all(self._folder_allowed("edit", path) for path in paths):
            return ALLOW
        return Decision("ask", (), (Rule(kind="edit", value=str(self.workspace)),))

    def _fetch(self, url: str, mode: Mode) -> Decision:
        host = urlsplit(url).hostname or ""
        if mode == "yolo" or Rule(kind="fetch", value=host) in self.rules.all():
            return ALLOW
        return Decision("ask", (), (Rule(kind="fetch", value=host),) if host else ())

    def _command(self, command: str, mode: Mode, tree_is_dirty: bool) -> Decision:
        verdict = classify(command)
        pinned = self._pinned_by_command(verdict)
        if pinned and mode != "plan":
            return Decision("ask", pinned)
        if mode == "yolo":
            if tree_is_dirty and any(part.destructive_git for part in verdict.parts):
                return Decision("ask", ("it can destroy changes that are not committed",))
            return ALLOW
        reasons: list[str] = []
        rules: list[Rule] = []
        broad = True
        for part in verdict.parts:
            concerns = self._concerns(part, verdict)
            if not concerns and (part.level == "read" or self._command_allowed(part)):
                continue
            if part.rule and part.level in ("write", "network") and not concerns:
                rules.append(Rule(kind="command", value=part.rule))
            else:
                broad = False
            reasons += concerns or ([f"`{part.text}` {part.reason}"] if part.reason else [])
        if not reasons and not rules and broad:
            return ALLOW
        if mode == "plan":
            return Decision("deny", (PLAN_REFUSAL,))
        return Decision("ask", tuple(dict.fromkeys(reasons)), tuple(dict.fromkeys(rules)) if broad else ())

    def _concerns(self, part: ShellPart, verdict: ShellVerdict) -> list[str]:
        """Why a part asks whatever the rules say: it reaches out of the workspace, or can't be undone."""
        concerns = []
        if part.level in ("destructive", "unknown"):
            concerns.append(f"`{part.text}` {part.reason or 'may destroy something'}")
        if verdict.changes_directory and part.level != "read":
            concerns.append("it changes the directory first")
        for path in part.writes:
            if self._is_protected(path):
                concerns.append(f"{path} steers git or Keen itself")
        for path in (*part.writes, *_operands(part)):
            if path not in _HARMLESS and self._outside(path):
                concerns.append(f"{path} is outside the workspace")
        return concerns

    def _pinned_by_command(self, verdict: ShellVerdict) -> tuple[str, ...]:
        """Why a command asks because of the brief: it writes, or may write, what is read-only there."""
        pinned = self.pinned()
        if not pinned:
            return ()
        reasons: dict[str, None] = {}
        for part in verdict.parts:
            words = (*part.writes, *(() if part.level == "read" else _operands(part)))
            if verdict.changes_directory and words:
                reasons[f"it changes the directory first, and the brief says: {pinned[0].line}"] = None
            reasons |= dict.fromkeys(self._pinned_reasons([self._absolute(word) for word in words]))
        return tuple(reasons)

    def _pinned_reasons(self, paths: Iterable[Path]) -> tuple[str, ...]:
        known = [(rule, read_only_matcher(rule.glob)) for rule in self.pinned()]
        return tuple(
            dict.fromkeys(
                f"the brief says: {rule.line}"
                for path in paths
                for rule, holds in known
                if path.is_relative_to(self.workspace) and holds(path.relative_to(self.workspace).as_posix())
            )
        )

    def _absolute(self, text: str) -> Path:
        try:
            return PathGuard(self.workspace).resolve(text).absolute
        except KeenError:
            return self.workspace

    def _is_protected(self, text: str) -> bool:
        try:
            resolved = PathGuard(self.workspace).resolve(text).absolute
        except KeenError:
            return True
        return any(resolved.is_relative_to(path) for path in self.protected)

    def _outside(self, text: str) -> bool:
        try:
            resolved = PathGuard(self.workspace).resolve(text)
        except KeenError:
            return True
        return not resolved.inside and not self._folder_allowed("read", resolved.absolute)

    def _command_allowed(self, part: ShellPart) -> bool:
        return any(rule.kind == "command" and matches_rule(part, rule.value) for rule in self.rules.all())

    def _folder_allowed(self, kind: Literal["edit", "read"], path: Path) -> bool:
        if kind == "read" and any(path.is_relative_to(folder) for folder in self.readable):
            return True
        return any(rule.kind == kind and path.is_relative_to(rule.value) for rule in self.rules.all())


_HARMLESS = ("/dev/null", "/dev/stdin", "/dev/stdout", "/dev/stderr")


def _operands(part: ShellPart) -> list[str]:
    """Words that may name a file: all but options, and the values of options."""
    words = []
    for word in part.words[1:]:
        value = word.partition("=")[2] if word.startswith("-") else word
        if value:
            words.append(value)
    return words
