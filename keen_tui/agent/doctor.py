"""Checks of the installation: each says what was found and, where something is wrong, what to do."""

from __future__ import annotations

import asyncio
import importlib.metadata
import os
import platform
import shutil
import sqlite3
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from keen_tui import __version__
from keen_tui.config.credentials import providers_with_keys
from keen_tui.config.paths import KeenHome
from keen_tui.config.settings import Settings
from keen_tui.domain.errors import KeenError
from keen_tui.gateway.calls import Gateway
from keen_tui.gateway.catalogue import Catalogue
from keen_tui.gateway.local_servers import find_local_servers

State = Literal["ok", "note", "problem"]


@dataclass(frozen=True, slots=True)
class Check:
    """One line of the report. `hint` is empty when there is nothing to do."""

    name: str
    state: State
    found: str
    hint: str = ""


async def check_all(home: KeenHome, settings: Settings, environ: Mapping[str, str], gateway: Gateway) -> list[Check]:
    """Every check, in the order of the report. Nothing is changed."""
    return [
        Check("keen", "ok", f"{__version__} on Python {platform.python_version()}, {platform.system()}"),
        *_terminal(environ),
        _home(home),
        _database(home),
        _programs(),
        _catalogue(),
        await _worker(gateway),
        _keys(home, settings, environ),
        await _servers(environ),
        _model(settings),
    ]


def _terminal(environ: Mapping[str, str]) -> list[Check]:
    size = shutil.get_terminal_size((0, 0))
    term = environ.get("TERM", "")
    inside = "tmux" if environ.get("TMUX") else "screen" if environ.get("STY") else ""
    remote = "over SSH" if environ.get("SSH_CONNECTION") else "local"
    place = ", ".join(filter(None, [term or "TERM is not set", inside, remote]))
    checks = [Check("terminal", "ok", place)]
    if not term or term == "dumb":
        checks = [Check("terminal", "problem", place, "Set TERM, for example: export TERM=xterm-256color")]
    if size.columns:
        small = size.columns < 40 or size.lines < 10
        hint = "Keen needs at least 40 columns and 10 rows." if small else ""
        checks.append(Check("size", "problem" if small else "ok", f"{size.columns}x{size.lines}", hint))
    colours = environ.get("COLORTERM") or ("256 colours" if "256" in term else "16 colours")
    if "NO_COLOR" in environ:
        colours = "none (NO_COLOR is set)"
    return [*checks, Check("colours", "ok", colours)]


def _home(home: KeenHome) -> Check:
    if not home.root.exists():
        return Check("home", "note", f"{home.root} is made at the first start")
    if not os.access(home.root, os.W_OK):
        return Check("home", "problem", f"{home.root} can't be written", "Make it writable, or set KEEN_HOME.")
    if home.root.stat().st_mode & 0o077:
        return Check("home", "note", f"{home.root} can be read by others", f"chmod 700 {home.root}")
    return Check("home", "ok", str(home.root))


def _database(home: KeenHome) -> Check:
    if not home.database.exists():
        return Check("database", "note", "made at the first start")
    try:
        connection = sqlite3.connect(f"file:{home.database}?mode=ro", uri=True)
        try:
            (result,) = connection.execute("PRAGMA quick_check(1)").fetchone()
            (tasks,) = connection.execute("SELECT count(*) FROM tasks").fetchone()
        finally:
            connection.close()
    except sqlite3.Error as error:
        hint = f"Move {home.database} away; the transcripts under tasks/ are kept."
        return Check("database", "problem", str(error), hint)
    if result != "ok":
        return Check("database", "problem", result, f"Move {home.database} away; transcripts are kept.")
    return Check("database", "ok", f"{tasks} tasks")


def _programs() -> Check:
    missing = [name for name in ("git", "rg", "bash") if not shutil.which(name)]
    if "bash" in missing:
        return Check("programs", "problem", "bash is not on PATH", "Install bash: the agent runs commands with it.")
    if missing:
        return Check("programs", "note", f"{' and '.join(missing)} not found", "Keen works without, slower.")
    return Check("programs", "ok", "git, rg and bash")


def _catalogue() -> Check:
    try:
        version = importlib.metadata.version("litellm")
        return Check("models", "ok", f"litellm {version} knows {len(Catalogue.load().names()):,} chat models")
    except (KeenError, importlib.metadata.PackageNotFoundError) as error:
        return Check("models", "problem", str(error), "Install Keen again; it brings litellm along.")


async def _worker(gateway: Gateway) -> Check:
    began = time.monotonic()
    try:
        await asyncio.wait_for(gateway.count("gpt-4o", ["one two three"]), timeout=60)
    except (KeenError, TimeoutError) as error:
        return Check("model worker", "problem", str(error) or "it did not answer in 60 s", "See keen.log.")
    return Check("model worker", "ok", f"ready in {time.monotonic() - began:.1f} s")


def _keys(home: KeenHome, settings: Settings, environ: Mapping[str, str]) -> Check:
    try:
        keys = providers_with_keys(home, environ, settings.providers)
    except KeenError as error:
        return Check("keys", "problem", error.message, error.hint)
    if not keys:
        return Check("keys", "note", "none found", "Set a provider's variable, or add a key with /model.")
    return Check("keys", "ok", ", ".join(f"{name} ({where})" for name, where in keys.items()))


async def _servers(environ: Mapping[str, str]) -> Check:
    servers = await find_local_servers(environ)
    if not servers:
        return Check("local servers", "note", "none answer (Ollama, LM Studio, llama.cpp, vLLM)")
    listed = ", ".join(f"{s.kind} with {len(s.models)} models" for s in servers)
    return Check("local servers", "ok", listed)


def _model(settings: Settings) -> Check:
    if settings.model is None:
        return Check("model", "note", "not chosen yet", "`keen` asks for one; `keen --model demo` needs no key.")
    return Check("model", "ok", settings.model)
