"""Native exchanges of past turns that stand in for their compact form, in memory only.

A turn that ended abnormally after tool work is pending: the model goes on from its full exchange, so
that nothing that ran is run again. With the tool history `full`, completed turns stay whole as well.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

from keen_tui.domain.exchange import NativeMessage, ToolCall, ToolResult, Wire
from keen_tui.gateway.resolve import ResolvedModel
from keen_tui.translate.base import Translator

ToolHistory = Literal["none", "full"]
INTERRUPTED = "interrupted"


class KeptExchanges:
    """The exchanges by turn id. They fit one model in one wire format, the one that they came from."""

    def __init__(self) -> None:
        self._pending: dict[str, tuple[NativeMessage, ...]] = {}
        self._full: dict[str, tuple[NativeMessage, ...]] = {}
        self._owner: tuple[str, Wire] | None = None
        self._history: ToolHistory = "none"

    def set_tool_history(self, history: ToolHistory) -> None:
        """`full` keeps completed turns whole from the next end of a turn on; `none` drops those it kept."""
        self._history = history
        if history == "none":
            self._full.clear()

    def of(self, model: ResolvedModel, wire: Wire | None = None) -> Mapping[str, tuple[NativeMessage, ...]]:
        """The exchanges that a request to `model` carries; none in another wire format than theirs."""
        if self._owner != (model.name, wire or model.wire):
            return {}
        return {**self._full, **self._pending}

    def incomplete(self, turn: str, exchange: Sequence[NativeMessage], model: ResolvedModel) -> None:
        """Keep the exchange of a turn that ended abnormally after tool work."""
        self._own(model)
        self._pending[turn] = tuple(exchange)

    def completed(self, turn: str, exchange: Sequence[NativeMessage], model: ResolvedModel) -> None:
        """A turn came to its normal end: the pending turns take their compact form."""
        self._own(model)
        if self._history == "full":
            self._full |= self._pending
            self._full[turn] = tuple(exchange)
        self._pending.clear()

    def leave(self, model: ResolvedModel) -> bool:
        """Drop what another model than this one made. True when there was something."""
        if self._owner in (None, (model.name, model.wire)):
            return False
        return self.clear()

    def clear(self) -> bool:
        """Drop everything. True when there was something."""
        had = bool(self._pending or self._full)
        self._pending.clear()
        self._full.clear()
        self._owner = None
        return had

    def _own(self, model: ResolvedModel) -> None:
        self.leave(model)
        self._owner = (model.name, model.wire)


def settled(
    exchange: Iterable[NativeMessage],
    calls: Sequence[ToolCall],
    answered: Mapping[str, ToolResult],
    translator: Translator,
) -> list[NativeMessage]:
    """The exchange in complete pairs: `calls`, still open, get their results or the error `interrupted`."""
    results = [answered.get(call.id) or ToolResult(call.id, call.name, INTERRUPTED, is_error=True) for call in calls]
    return [*exchange, *translator.results(results)]
