"""TurnMemory: the compact record of the tools that ran in a turn."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict


class Activity(BaseModel):
    """One completed tool call. `text_offset` is in UTF-8 bytes of the turn's assistant prose."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    text_offset: int
    tool: str
    status: Literal["success", "error"]
    target: str | None = None
    server: str | None = None
    file_changed: str | None = None
    failed_command: str | None = None
    exit_code: int | None = None
