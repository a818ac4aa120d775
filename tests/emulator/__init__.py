"""Model providers on 127.0.0.1: real streams, strict refusals, scripted answers and faults."""

from tests.emulator.replies import FAULT_KINDS, Call, Fault, Recorded, Reply, Say
from tests.emulator.server import BAD_KEY, FORBIDDEN_KEY, NO_SUCH_MODEL, Emulator

__all__ = [
    "BAD_KEY",
    "FAULT_KINDS",
    "FORBIDDEN_KEY",
    "NO_SUCH_MODEL",
    "Call",
    "Emulator",
    "Fault",
    "Recorded",
    "Reply",
    "Say",
]
