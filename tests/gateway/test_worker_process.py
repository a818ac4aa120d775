"""The worker as a process: it starts, dies, is started again, and outlives nobody."""

from __future__ import annotations

import asyncio
import os
import signal
import stat
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from keen_tui.domain.errors import GatewayError
from keen_tui.gateway.client import WorkerGateway
from tests.gateway.providers import KEY, a_call, all_of, provider, silent_after, streams

pytestmark = pytest.mark.asyncio(loop_scope="session")

ANSWER = b'data: {"n":1}\n\n'


@asynccontextmanager
async def a_worker(folder: Path, **options: Any) -> AsyncIterator[WorkerGateway]:
    gateway = WorkerGateway(log_file=folder / "log" / "worker.log", **options)
    try:
        yield gateway
    finally:
        await gateway.close()


async def until(condition: Callable[[], bool], seconds: float = 30) -> None:
    async with asyncio.timeout(seconds):
        while not condition():
            await asyncio.sleep(0.01)


def is_running(pid: int) -> bool:
    """Whether a process runs; one that has ended and was not waited for does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


async def test_a_killed_worker_fails_its_calls_and_the_next_call_starts_another(worker: WorkerGateway) -> None:
    async with provider(silent_after(ANSWER)) as here, asyncio.timeout(90):
        calls = [worker.stream(a_call(here.url)) for _ in range(2)]
        for call in calls:
            assert await anext(call) == {"n": 1}
        first = worker.worker_pid
        assert first is not None
        os.kill(first, signal.SIGKILL)
        for call in calls:
            with pytest.raises(GatewayError) as failed:
                await anext(call)
            assert failed.value.kind == "worker_died"
        async with aclosing(worker.stream(a_call(here.url))) as again:
            assert await anext(again) == {"n": 1}
        assert worker.worker_pid not in (None, first)
    assert not Path(f"/proc/{first}").exists(), "nothing is left to wait for"


async def test_closing_ends_the_worker_and_its_calls_even_while_litellm_is_imported(tmp_path: Path) -> None:
    async with a_worker(tmp_path) as gateway:
        call = asyncio.create_task(all_of(gateway, a_call("http://127.0.0.1:9")))
        await until(lambda: gateway.worker_pid is not None)
        pid = gateway.worker_pid
        async with asyncio.timeout(5):
            await gateway.close()
        assert not Path(f"/proc/{pid}").exists(), "nothing is left to wait for"
        with pytest.raises(GatewayError) as failed:
            await call
        assert failed.value.kind == "worker_died"
        with pytest.raises(GatewayError, match="closed"):
            await all_of(gateway, a_call("http://127.0.0.1:9"))


async def test_an_idle_worker_ends_and_starts_again_when_it_is_needed(tmp_path: Path) -> None:
    states: list[str] = []
    async with a_worker(tmp_path, idle_seconds=0.1, on_state=states.append) as gateway:
        for _ in range(2):
            await gateway.start()
            await until(lambda: states[-1:] == ["starting"])
            await until(lambda: states[-1:] == ["stopped"])
            assert gateway.worker_pid is None
    assert states == ["starting", "stopped"] * 2


async def test_the_worker_does_not_outlive_a_killed_dashboard(tmp_path: Path) -> None:
    program = f"""
import asyncio
from pathlib import Path
from keen_tui.gateway.client import WorkerGateway

async def main():
    gateway = WorkerGateway(log_file=Path({str(tmp_path)!r}) / "worker.log")
    await gateway.start()
    while gateway.worker_pid is None:
        await asyncio.sleep(0.01)
    print(gateway.worker_pid, flush=True)
    await asyncio.Event().wait()

asyncio.run(main())
"""
    dashboard = await asyncio.create_subprocess_exec(sys.executable, "-c", program, stdout=subprocess.PIPE)
    assert dashboard.stdout is not None
    pid = int(await dashboard.stdout.readline())
    assert is_running(pid)
    dashboard.kill()
    await dashboard.wait()
    await until(lambda: not is_running(pid), 20)


async def test_a_worker_that_cannot_start_says_so(tmp_path: Path) -> None:
    async with a_worker(tmp_path, python=str(tmp_path / "no-python")) as gateway:
        await gateway.start()
        with pytest.raises(GatewayError, match="could not be started") as failed:
            await all_of(gateway, a_call("http://127.0.0.1:9"))
    assert failed.value.kind == "worker_died"


async def test_a_litellm_that_cannot_be_imported_says_so(tmp_path: Path) -> None:
    broken = tmp_path / "broken"
    broken.mkdir()
    (broken / "litellm.py").write_text("raise ImportError('half installed')")
    environ = {**os.environ, "PYTHONPATH": str(broken)}
    async with a_worker(tmp_path, environ=environ) as gateway:
        for _ in range(2):
            with pytest.raises(GatewayError, match=r"could not load litellm.*half installed") as failed:
                await all_of(gateway, a_call("http://127.0.0.1:9"))
            assert failed.value.kind == "worker_died"


async def test_a_worker_that_never_gets_ready_is_ended(tmp_path: Path) -> None:
    slow = tmp_path / "slow"
    slow.mkdir()
    (slow / "litellm.py").write_text("import time\ntime.sleep(600)")
    environ = {**os.environ, "PYTHONPATH": str(slow)}
    async with a_worker(tmp_path, environ=environ, start_seconds=0.5) as gateway:
        with pytest.raises(GatewayError, match="did not get ready") as failed:
            await all_of(gateway, a_call("http://127.0.0.1:9"))
    assert failed.value.kind == "worker_died"


@pytest.fixture(scope="module")
def hostile_workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project that would like to be imported, and a .env that would like to be loaded."""
    folder = tmp_path_factory.mktemp("hostile")
    for name in ("litellm", "json", "httpx", "keen_tui"):
        (folder / f"{name}.py").write_text("raise SystemExit('the project was imported')")
    (folder / ".env").write_text("HTTP_PROXY=http://127.0.0.1:1\nNO_PROXY=\nOPENAI_API_KEY=env-key-of-project\n")
    return folder


async def test_nothing_of_the_workspace_reaches_the_worker(
    tmp_path: Path, hostile_workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(hostile_workspace)
    chunk = b'data: {"choices":[{"index":0,"delta":{"content":"x"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'
    environ = {
        **os.environ,
        "ANTHROPIC_API_KEY": "env-key-of-person",
        "HTTP_PROXY": "http://127.0.0.1:1",
        "LITELLM_LOG": "DEBUG",
        "LITELLM_MODE": "DEV",
    }
    states: list[str] = []
    async with (
        a_worker(tmp_path, environ=environ, on_state=states.append) as gateway,
        provider(streams(chunk)) as here,
    ):
        await all_of(gateway, a_call(here.url))
        await all_of(gateway, a_call(here.url, api_key=None))
        await all_of(gateway, a_call(here.url, "litellm"))
        log = gateway.log_file
    assert states == ["starting", "ready", "stopped"]
    assert here.received[0].headers["x-api-key"] == KEY
    assert "x-api-key" not in here.received[1].headers
    assert here.received[2].headers["authorization"] == f"Bearer {KEY}"
    text = log.read_text()
    assert "ready" in text
    assert KEY not in text and "hello" not in text and "env-key" not in text
    assert stat.S_IMODE(log.stat().st_mode) == 0o600


async def test_the_worker_writes_nothing_to_the_terminal(tmp_path: Path) -> None:
    program = f"""
import asyncio
from contextlib import aclosing
from pathlib import Path
from keen_tui.domain.errors import GatewayError
from keen_tui.gateway.client import WorkerGateway
from tests.gateway.providers import a_call, all_of, provider, refuses

async def main():
    gateway = WorkerGateway(log_file=Path({str(tmp_path)!r}) / "worker.log")
    for status in (401, 429, 500):
        async with provider(refuses(status, "{{}}")) as here:
            for wire in ("anthropic", "litellm"):
                try:
                    await all_of(gateway, a_call(here.url, wire))
                except GatewayError:
                    pass
    await gateway.count("meta-llama/Llama-3-8b", ["some text"])
    await gateway.close()

asyncio.run(main())
"""
    root = Path(__file__).resolve().parents[2]
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", program, cwd=root, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    out, err = await process.communicate()
    assert (out, err) == (b"", b"")
    assert process.returncode == 0


async def test_tokens_are_counted_by_litellm(worker: WorkerGateway) -> None:
    counts = await worker.count("gpt-4o", ["hello world", "", "word " * 100])
    assert counts[0] == 2 and counts[1] == 0 and 90 < counts[2] < 110
    assert await worker.count("nobody/knows-this", ["hello world"]) == [2]


async def test_the_client_imports_neither_litellm_nor_an_http_client() -> None:
    modules = "client routed routes resolve catalogue calls protocol local_servers"
    program = "import sys\n" + "".join(f"import keen_tui.gateway.{name}\n" for name in modules.split())
    program += "from keen_tui.gateway.catalogue import Catalogue\nCatalogue.load().search('')\n"
    program += "print(sorted({'litellm', 'httpx', 'aiohttp', 'openai'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


async def test_a_worker_that_floods_its_pipe_with_nonsense_is_ended(tmp_path: Path) -> None:
    program = tmp_path / "python"
    program.write_text("#!/bin/sh\nexec yes\n")
    program.chmod(0o700)
    gateway = WorkerGateway(log_file=tmp_path / "worker.log", python=str(program))
    async with asyncio.timeout(20):
        with pytest.raises(GatewayError):
            await gateway.count("gpt-4o", ["x"])
        await gateway.close()
