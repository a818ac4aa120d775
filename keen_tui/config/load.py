"""The settings from all their sources, and one setting back into the user's file."""

from __future__ import annotations

import copy
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tomli_w
from pydantic import ValidationError

from keen_tui.config.paths import KeenHome
from keen_tui.config.private_files import make_private_folder, write_private
from keen_tui.config.problems import ConfigError, dotted, explain
from keen_tui.config.settings import MODES, Settings
from keen_tui.config.toml_files import read_toml

__all__ = ["ConfigError", "LoadedSettings", "load_settings", "save_setting", "workspace_config"]

_SETTING_VARIABLES = {"KEEN_MODEL": "model", "KEEN_MODE": "mode"}
_ADDRESS_VARIABLES = {
    "ANTHROPIC_BASE_URL": ("anthropic",),
    "OPENAI_BASE_URL": ("openai",),
    "GEMINI_BASE_URL": ("gemini",),
    "OLLAMA_HOST": ("ollama", "ollama_chat"),
}
OLLAMA_PORT = 11434

Table = dict[str, Any]


@dataclass(frozen=True, slots=True)
class LoadedSettings:
    """`notices` are sentences about keys that were ignored."""

    settings: Settings
    notices: tuple[str, ...] = ()


def workspace_config(workspace: Path) -> Path:
    return workspace / ".keen" / "config.toml"


def load_settings(
    home: KeenHome, workspace: Path, environ: Mapping[str, str], flags: Mapping[str, Any]
) -> LoadedSettings:
    """Defaults, then the user's file, the workspace's file, the environment, the flags; later ones win.

    `flags` are dotted keys to values; None means not given. Raises ConfigError, which names the source
    and the key. Nothing is written.
    """
    user = read_toml(home.config_file)
    settings = _checked(user, str(home.config_file))
    merged: Table = user
    notices: list[str] = []
    project_file = workspace_config(workspace)
    if not _same(project_file, home.config_file):
        project, notices = _without_rights(read_toml(project_file), settings, project_file)
        _checked(project, str(project_file))
        merged = _merge(merged, project)
    for source, layer in (*_environment_layers(environ), *_flag_layers(flags)):
        _checked(layer, source)
        merged = _merge(merged, layer)
    return LoadedSettings(_checked(merged, str(home.config_file)), tuple(notices))


def save_setting(home: KeenHome, dotted_key: str, value: Any) -> None:
    """Set one key of the user's file, such as `ui.mouse` or `models."a/b".wire`; None removes it.

    All other keys stay, those that Keen does not know among them. Raises ConfigError, and leaves the
    file alone, when the key or value is not allowed, or the file is broken or can't be written.
    """
    path = _parse_key(dotted_key)
    if value is not None:
        _checked(_nested(path, value), "The setting was not saved")
    content = read_toml(home.config_file)
    table = content
    for part in path[:-1]:
        table = table.setdefault(part, {})
        if not isinstance(table, dict):
            raise ConfigError(f"{home.config_file}: {dotted(path[:-1])} is not a table. Nothing was saved.")
    if value is None:
        table.pop(path[-1], None)
    else:
        table[path[-1]] = value
    try:
        make_private_folder(home.root)
        write_private(home.config_file, tomli_w.dumps(content).encode())
    except OSError as error:
        raise ConfigError(
            f"{home.config_file} can't be written: {error.strerror or error}. The setting was not saved, "
            "the file is as it was.",
            "Make room on the disk or make the folder writable, then try again.",
        ) from error


def _checked(table: Table, source: str) -> Settings:
    try:
        return Settings.model_validate(table)
    except ValidationError as error:
        raise explain(error, source) from error


def _without_rights(project: Table, user: Settings, path: Path) -> tuple[Table, list[str]]:
    """The workspace's table without what a repository must not decide, and a notice for each such key."""
    kept = copy.deepcopy(project)
    notices = []

    def ignore(key: str, why: str) -> None:
        notices.append(f"{path}: {key} is ignored, {why}.")

    for section in ("providers", "keys"):
        table = kept.pop(section, None)
        if isinstance(table, dict):
            for name in table:
                ignore(dotted([section, name]), "a workspace may not set it")
        elif table is not None:
            ignore(section, "a workspace may not set it")
    mode = kept.get("mode")
    if mode in MODES and MODES.index(mode) > MODES.index(user.mode):
        del kept["mode"]
        ignore("mode", f'"{mode}" allows more than your own "{user.mode}"')
    network = kept.get("network")
    if isinstance(network, dict) and network.get("allow_private_addresses") is True:
        if not user.network.allow_private_addresses:
            ignore("network.allow_private_addresses", "a workspace may not allow it")
        del network["allow_private_addresses"]
    limits = kept.get("limits")
    cost = limits.get("task_cost") if isinstance(limits, dict) else None
    if isinstance(limits, dict) and isinstance(cost, int | float) and cost > user.limits.task_cost:
        del limits["task_cost"]
        ignore("limits.task_cost", f"it is higher than your own {user.limits.task_cost:g}")
    return kept, notices


def _environment_layers(environ: Mapping[str, str]) -> list[tuple[str, Table]]:
    layers: list[tuple[str, Table]] = []
    for variable, key in _SETTING_VARIABLES.items():
        if value := environ.get(variable, "").strip():
            layers.append((f"environment variable {variable}", {key: value}))
    for variable, providers in _ADDRESS_VARIABLES.items():
        if value := environ.get(variable, "").strip():
            url = ollama_address(value) if variable == "OLLAMA_HOST" else value
            table = {"providers": {name: {"base_url": url} for name in providers}}
            layers.append((f"environment variable {variable}", table))
    return layers


def ollama_address(host: str) -> str:
    """A base URL from what OLLAMA_HOST may hold: host, host:port or a URL. 0.0.0.0 is this machine."""
    scheme, found, rest = host.strip().partition("://")
    if not found:
        scheme, rest = "http", host.strip()
    place, slash, path = rest.partition("/")
    if place.count(":") > 1 and not place.startswith("["):
        place = f"[{place}]"
    elif place.startswith(":"):
        place = "127.0.0.1" + place
    name, colon, port = place.rpartition(":") if not place.endswith("]") else (place, "", "")
    if not colon:
        name, port = place, str(OLLAMA_PORT) if not found else ""
    if name in ("0.0.0.0", "[::]"):
        name = "127.0.0.1"
    return f"{scheme}://{name}" + (f":{port}" if port else "") + slash + path


def _flag_layers(flags: Mapping[str, Any]) -> list[tuple[str, Table]]:
    return [
        (f"option --{key.split('.')[-1].replace('_', '-')}", _nested(_parse_key(key), value))
        for key, value in flags.items()
        if value is not None
    ]


def _parse_key(dotted_key: str) -> list[str]:
    path: list[str] = []
    try:
        if "\n" in dotted_key or "#" in dotted_key.replace('"', ""):
            raise ValueError("a key is one line")
        table: Any = tomllib.loads(f"{dotted_key} = 0")
        while isinstance(table, dict):
            (name,) = table
            path.append(name)
            table = table[name]
    except ValueError as error:
        raise ConfigError(f"{dotted_key!r} is not the key of a setting.") from error
    return path


def _nested(path: list[str], value: Any) -> Table:
    table = value
    for part in reversed(path):
        table = {part: table}
    return dict(table)


def _merge(below: Table, above: Table) -> Table:
    merged = dict(below)
    for key, value in above.items():
        old = merged.get(key)
        merged[key] = _merge(old, value) if isinstance(old, dict) and isinstance(value, dict) else value
    return merged


def _same(one: Path, other: Path) -> bool:
    try:
        return one.samefile(other)
    except OSError:
        return False
