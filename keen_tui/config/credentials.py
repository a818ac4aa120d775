"""Where a provider's key comes from. A `.env` of the workspace is never read."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence

from keen_tui.config.env_file import read_env_file
from keen_tui.config.key_command import run_key_command
from keen_tui.config.key_variables import KEY_VARIABLES
from keen_tui.config.paths import KeenHome
from keen_tui.config.saved_keys import save_key, saved_key, saved_providers
from keen_tui.config.settings import ProviderSettings

__all__ = ["KEY_VARIABLES", "find_key", "providers_with_keys", "save_key"]


async def find_key(
    provider: ProviderSettings | None, provider_name: str, home: KeenHome, environ: Mapping[str, str]
) -> str | None:
    """The key of a provider, or None when there is none.

    In this order: the variable named by `api_key_env` (it takes the place of the usual ones), the output
    of `api_key_command`, the provider's usual variables, the same in the home's `.env`,
    `credentials.toml`, the keyring. Raises KeenError when the command fails or a file can't be read.
    """
    named = provider.api_key_env if provider else None
    if named and (key := environ.get(named, "").strip()):
        return key
    if provider and provider.api_key_command:
        return await run_key_command(provider.api_key_command, provider_name, environ)
    variables = (named,) if named else KEY_VARIABLES.get(provider_name, ())
    found = _first(variables, environ) or _first(variables, read_env_file(home.env_file))
    return found or await asyncio.to_thread(saved_key, home, provider_name)


def providers_with_keys(
    home: KeenHome, environ: Mapping[str, str], providers: Mapping[str, ProviderSettings] | None = None
) -> dict[str, str]:
    """Providers that have a key or an address of their own, with where it comes from.

    Looks where `find_key` looks, without running a command or asking the keyring. `providers` are those of
    the settings. Raises KeenError when a file can't be read.
    """
    own, providers = read_env_file(home.env_file), providers or {}
    named = {name: (at.api_key_env,) for name, at in providers.items() if at.api_key_env}
    found = {name: "your settings" for name, at in providers.items() if at.base_url or at.api_key_command}
    found |= saved_providers(home)
    for provider, variables in {**KEY_VARIABLES, **named}.items():
        found |= _place(provider, variables, environ, own, home)
    return found


def _place(
    provider: str, variables: Sequence[str], environ: Mapping[str, str], own: Mapping[str, str], home: KeenHome
) -> dict[str, str]:
    """Where the first of these variables with a value stands; empty when there is none."""
    for variable in variables:
        if environ.get(variable, "").strip():
            return {provider: variable}
    return {provider: str(home.env_file)} if _first(variables, own) else {}


def _first(variables: Sequence[str], values: Mapping[str, str]) -> str | None:
    return next((value for name in variables if (value := values.get(name, "").strip())), None)
