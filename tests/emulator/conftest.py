from collections.abc import AsyncIterator

import aiohttp
import pytest

from tests.emulator import Emulator
from tests.emulator.client import Client


@pytest.fixture
async def emulator() -> AsyncIterator[Emulator]:
    async with Emulator() as running:
        yield running


@pytest.fixture
async def client(emulator: Emulator) -> AsyncIterator[Client]:
    async with aiohttp.ClientSession() as session:
        yield Client(emulator, session)
