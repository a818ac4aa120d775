"""Keys that were typed into Keen: in the system's keyring, else in `credentials.toml`."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from types import ModuleType
from typing import Any

import tomli_w

from keen_tui.config.paths import KeenHome
from keen_tui.config.private_files import make_private_folder, write_private
from keen_tui.config.toml_files import read_toml
from keen_tui.domain.errors import KeenError

SERVICE = "keen-tui"
KEYRING = "the system keyring"


def save_key(home: KeenHome, provider_name: str, key: str) -> str:
    """Keep a key and return where, in words for the person. May block: call it in a thread.

    Raises KeenError when the key is no key or can't be written anywhere.
    """
    key = key.strip()
    if not key or not key.isascii() or not key.isprintable() or " " in key:
        raise KeenError(
            "This is not a key: a key is one word of plain letters, digits and signs. Nothing was saved.",
            "Copy the key again and paste it whole.",
        )
    if _write_to_keyring(provider_name, key):
        _write_file(home, provider_name, None)
        return KEYRING
    _write_file(home, provider_name, key)
    return str(home.credentials_file)


def saved_providers(home: KeenHome) -> dict[str, str]:
    """Providers with a kept key, and where it is. The keyring itself is not asked: it may want a password.

    Raises ConfigError for a broken file.
    """
    content = read_toml(home.credentials_file)
    return dict.fromkeys(_noted(content), KEYRING) | dict.fromkeys(_keys(content), str(home.credentials_file))


def saved_key(home: KeenHome, provider_name: str) -> str | None:
    """The kept key of a provider. May block: call it in a thread. Raises ConfigError for a broken file."""
    return _keys(read_toml(home.credentials_file)).get(provider_name) or _read_from_keyring(provider_name)


def _keys(content: Mapping[str, Any]) -> dict[str, str]:
    keys = content.get("keys")
    if not isinstance(keys, dict):
        return {}
    return {name: key for name, key in keys.items() if isinstance(key, str) and key}


def _noted(content: Mapping[str, Any]) -> list[str]:
    """The providers whose keys the keyring holds."""
    names = content.get("in_keyring")
    return [name for name in names if isinstance(name, str)] if isinstance(names, list) else []


def _write_file(home: KeenHome, provider_name: str, key: str | None) -> None:
    """Keep a key in the file; None notes that the keyring holds it."""
    content = read_toml(home.credentials_file)
    keys = _keys(content)
    noted = [name for name in _noted(content) if name != provider_name]
    if key is None:
        keys.pop(provider_name, None)
        noted.append(provider_name)
    else:
        keys[provider_name] = key
    content |= {"keys": keys, "in_keyring": sorted(noted)}
    try:
        make_private_folder(home.root)
        write_private(home.credentials_file, tomli_w.dumps(content).encode())
    except OSError as error:
        raise KeenError(
            f"{home.credentials_file} can't be written: {error.strerror or error}. The key was not saved.",
            "Make the folder writable, or set the provider's key variable in the environment.",
        ) from error


def _keyring() -> ModuleType | None:
    """The optional keyring package, or None where it is not installed."""
    try:
        return importlib.import_module("keyring")
    except ImportError:
        return None


def _write_to_keyring(provider_name: str, key: str) -> bool:
    keyring = _keyring()
    if keyring is None:
        return False
    try:
        keyring.set_password(SERVICE, provider_name, key)
        return bool(keyring.get_password(SERVICE, provider_name) == key)
    except Exception:  # noqa: BLE001 - keyring back ends are plug-ins and raise what they like
        return False


def _read_from_keyring(provider_name: str) -> str | None:
    keyring = _keyring()
    if keyring is None:
        return None
    try:
        key = keyring.get_password(SERVICE, provider_name)
    except Exception:  # noqa: BLE001 - keyring back ends are plug-ins and raise what they like
        return None
    return key if isinstance(key, str) and key else None
