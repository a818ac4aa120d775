"""What the worker does before it loads anything: its pipes, its surroundings, its log."""

from __future__ import annotations

import logging
import os
import signal
import sys
import warnings
from collections.abc import MutableMapping
from urllib.parse import urlsplit

from keen_tui.gateway.calls import ModelCall
from keen_tui.security.secrets import redact
from keen_tui.security.untrusted import visible_line

_SHORTEST_SECRET = 6
_ENVIRONMENT = {
    # Else the import of litellm reads the `.env` of the project it stands in.
    "LITELLM_MODE": "PRODUCTION",
    # Else the import asks the network for prices.
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    "LITELLM_LOG": "CRITICAL",
    "HF_HUB_OFFLINE": "1",
}
_UNWANTED = ("USE_LITELLM_PROXY", "AIOHTTP_TRUST_ENV", "LITELLM_RUST")
_LOOPBACK = ("127.0.0.1", "localhost", "::1")

LOG = logging.getLogger("keen_tui.worker")


class Secrets:
    """The keys this worker has been given, to be kept out of its log and its errors."""

    def __init__(self) -> None:
        self._values: set[str] = set()

    def learn(self, call: ModelCall) -> None:
        """Remember the key, the header values and the password of a call."""
        values = [call.api_key or "", *call.headers.values()]
        if call.base_url:
            try:
                values.append(urlsplit(call.base_url).password or "")
            except ValueError:
                values.append(call.base_url)
        for value in values:
            self._values.update(part for part in (value, value.rsplit(" ", 1)[-1]) if len(part) >= _SHORTEST_SECRET)

    def hide(self, text: str) -> str:
        """The text without any known key, nor anything that looks like a secret."""
        for value in sorted(self._values, key=len, reverse=True):
            text = text.replace(value, "[redacted]")
        return redact(text)

    def clean(self, text: str) -> str:
        """`hide`, on one line that can be shown."""
        return visible_line(self.hide(text))


def take_pipes() -> tuple[int, int]:
    """Keep standard input and output for frames, and point 0 at nothing, 1 at the log, where 2 points.

    Whatever prints from here on can neither break a frame nor reach the screen. Returns the descriptors
    to read frames from and to write them to.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    incoming, outgoing = os.dup(0), os.dup(1)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    return incoming, outgoing


def prepare_environment(environ: MutableMapping[str, str]) -> None:
    """What litellm must find in its environment before it is imported."""
    environ.update(_ENVIRONMENT)
    for name in _UNWANTED:
        environ.pop(name, None)
    # A proxy for the world must not stand between Keen and a server on this machine.
    for name in ("NO_PROXY", "no_proxy"):
        hosts = [host for host in environ.get(name, "").split(",") if host.strip()]
        environ[name] = ",".join(dict.fromkeys([*hosts, *_LOOPBACK]))


def start_log(secrets: Secrets) -> None:
    """Send log records to the log file, without secrets. Libraries are heard from errors on.

    Warnings are dropped: pydantic's hold pieces of what the model said.
    """

    class WithoutSecrets(logging.Formatter):
        def format(self, record: logging.LogRecord) -> str:
            return secrets.hide(super().format(record))

    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(WithoutSecrets("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.ERROR)
    LOG.setLevel(logging.INFO)
    warnings.simplefilter("ignore")
