import asyncio
import os
import stat
import subprocess
import sys
import textwrap
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from keen_tui.config.credentials import KEY_VARIABLES, find_key, providers_with_keys, save_key
from keen_tui.config.env_file import parse_env
from keen_tui.config.key_command import run_key_command
from keen_tui.config.paths import KeenHome
from keen_tui.config.settings import ProviderSettings
from keen_tui.domain.errors import KeenError

PATH = {"PATH": os.environ["PATH"]}


@pytest.fixture
def home(tmp_path):
    home = KeenHome(tmp_path / "home")
    home.ensure()
    return home


async def test_without_any_key_there_is_none(home):
    assert await find_key(None, "anthropic", home, {}) is None
    assert await find_key(ProviderSettings(), "a-provider-of-mine", home, {"ANTHROPIC_API_KEY": "x"}) is None


async def test_the_first_source_that_has_a_key_wins(home):
    save_key(home, "openai", "from-credentials")
    assert await find_key(None, "openai", home, {}) == "from-credentials"
    home.env_file.write_text("OPENAI_API_KEY=from-env-file\nTEAM=team-env-file\n")
    assert await find_key(None, "openai", home, {}) == "from-env-file"
    environ = {**PATH, "OPENAI_API_KEY": "from-environment"}
    assert await find_key(None, "openai", home, environ) == "from-environment"
    command = ProviderSettings(api_key_command="echo from-command")
    assert await find_key(command, "openai", home, environ) == "from-command"
    both = ProviderSettings(api_key_command="echo from-command", api_key_env="TEAM")
    assert await find_key(both, "openai", home, {**environ, "TEAM": "from-team"}) == "from-team"
    assert await find_key(ProviderSettings(api_key_env="TEAM"), "openai", home, environ) == "team-env-file"


async def test_a_named_variable_takes_the_place_of_the_usual_one(home):
    named = ProviderSettings(api_key_env="TEAM")
    assert await find_key(named, "openai", home, {"OPENAI_API_KEY": "private"}) is None


async def test_the_env_file_of_a_workspace_is_never_read(home, tmp_path, monkeypatch):
    (tmp_path / ".env").write_text("OPENAI_API_KEY=stolen\n")
    monkeypatch.chdir(tmp_path)
    assert await find_key(None, "openai", home, {}) is None


async def test_gemini_takes_either_of_its_variables(home):
    assert await find_key(None, "gemini", home, {"GOOGLE_API_KEY": "g"}) == "g"
    assert await find_key(None, "gemini", home, {"GOOGLE_API_KEY": "g", "GEMINI_API_KEY": "m"}) == "m"
    assert await find_key(None, "gemini", home, {"GOOGLE_API_KEY": "g", "GEMINI_API_KEY": " "}) == "g"


def test_the_large_providers_are_known():
    wanted = "anthropic openai gemini deepseek mistral openrouter groq xai together_ai fireworks_ai cohere"
    wanted += " perplexity cerebras moonshot azure litellm_proxy"
    assert set(wanted.split()) <= set(KEY_VARIABLES)


def test_the_picker_learns_which_keys_there_are_and_where(home):
    home.env_file.write_text("XAI_API_KEY=x")
    found = providers_with_keys(home, {"ANTHROPIC_API_KEY": "a", "GROQ_API_KEY": ""})
    assert found == {"anthropic": "ANTHROPIC_API_KEY", "xai": str(home.env_file)}


@pytest.mark.parametrize("place", ["variable", "named variable", "env file", "file", "keyring", "command"])
async def test_the_picker_knows_every_key_that_a_call_would_find(place, home, monkeypatch):
    environ, providers = dict(PATH), {}
    match place:
        case "variable":
            environ["OPENAI_API_KEY"] = "k"
        case "named variable":
            environ["TEAM"], providers["openai"] = "k", ProviderSettings(api_key_env="TEAM")
        case "env file":
            home.env_file.write_text("OPENAI_API_KEY=k")
        case "command":
            providers["openai"] = ProviderSettings(api_key_command="echo k")
        case "file" | "keyring":
            kept = {}
            ring = SimpleNamespace(
                set_password=lambda service, name, key: kept.update({name: key}),
                get_password=lambda service, name: kept.get(name),
            )
            monkeypatch.setitem(sys.modules, "keyring", ring if place == "keyring" else None)
            save_key(home, "openai", "k")
    assert await find_key(providers.get("openai"), "openai", home, environ) == "k"
    assert "openai" in providers_with_keys(home, environ, providers)
    assert "mistral" not in providers_with_keys(home, environ, providers)


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("A=b", "b"),
        ("export A=b", "b"),
        ("  export  A = b  ", "b"),
        ("A='b # c'", "b # c"),
        ('A="b # c" # d', "b # c"),
        ('A="b\\"c\\n"', 'b"c\n'),
        ("A='b\\n'", "b\\n"),
        ("A=b # c", "b"),
        ("A=b#c", "b#c"),
        ("A=# c", ""),
        ("A=", ""),
        ('A="unclosed', '"unclosed'),
        ("A=x=y==", "x=y=="),
        ("A=$HOME", "$HOME"),
        ("# A=b", None),
        ("A", None),
        ("1A=b", None),
        ("A=b\r", "b"),
        ("A=b\0", "b\0"),
    ],
)
def test_lines_of_an_env_file(line, value):
    assert parse_env(f"X=1\n{line}\nY=2\n") == {"X": "1", "Y": "2"} | ({"A": value} if value is not None else {})


@given(st.dictionaries(st.from_regex(r"[A-Z_]{1,8}", fullmatch=True), st.text(st.characters(codec="utf-8"))))
def test_quoted_values_of_an_env_file_round_trip(values):
    def quoted(text):
        for raw, escaped in (("\\", "\\\\"), ('"', '\\"'), ("\n", "\\n"), ("\r", "\\r")):
            text = text.replace(raw, escaped)
        return f'"{text}"'

    lines = [f"export {name}={quoted(text)} # comment" for name, text in values.items()]
    assert parse_env("\n".join(lines)) == values


@given(st.text())
def test_no_env_file_can_break_the_reader(text):
    parse_env(text)


async def test_an_env_file_that_cannot_be_read_is_named(home):
    home.env_file.mkdir()
    with pytest.raises(KeenError, match=r"\.env can't be read"):
        await find_key(None, "openai", home, {})


async def test_a_command_gives_its_first_line(home):
    assert await run_key_command("printf '\\n  key-1 \\nurl: x\\n'", "x", PATH) == "key-1"


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        ("echo very-secret; exit 3", "exit code 3"),
        ("echo very-secret >&2; exit 1", "exit code 1"),
        ("true", "printed nothing"),
        ("printf 'very-secret\\033[2J\\n'", "is no key"),
        ("no-such-command-very-secret", "exit code 127"),
    ],
)
async def test_a_failing_command_is_explained_without_its_output(home, command, reason):
    with pytest.raises(KeenError, match=reason) as caught:
        await find_key(ProviderSettings(api_key_command=command), "openai", home, PATH)
    assert "very-secret" not in f"{caught.value} {caught.value.hint}"
    assert "openai" in caught.value.message


async def test_a_command_that_never_ends_is_stopped_with_its_children(tmp_path):
    mark = tmp_path / "pid"
    with pytest.raises(KeenError, match=r"did not end within 0\.3 seconds"):
        await run_key_command(f"sleep 60 & echo $! > {mark}; wait", "openai", PATH, timeout=0.3)
    await _gone(int(mark.read_text()))


@pytest.mark.parametrize("command", ["yes", "sleep 0.1; exec yes", "setsid sleep 5 & yes"])
async def test_a_command_that_prints_for_ever_is_stopped(command):
    async with asyncio.timeout(15):
        with pytest.raises(KeenError, match="did not end"):
            await run_key_command(command, "openai", PATH, timeout=0.5)


async def test_a_cancelled_command_is_stopped(tmp_path):
    mark = tmp_path / "pid"
    running = asyncio.create_task(run_key_command(f"echo $$ > {mark}; exec sleep 60", "openai", PATH))
    async with asyncio.timeout(10):
        while not mark.exists() or not mark.read_text():
            await asyncio.sleep(0.01)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    await _gone(int(mark.read_text()))


async def _gone(pid):
    async with asyncio.timeout(10):
        while os.path.exists(f"/proc/{pid}") and " Z " not in Path(f"/proc/{pid}/stat").read_text():
            await asyncio.sleep(0.01)


async def test_a_command_has_no_input_and_its_flood_is_not_kept():
    assert await run_key_command("cat; echo key; head -c 3000000 /dev/zero", "x", PATH, timeout=20) == "key"


def test_a_typed_key_goes_to_a_private_file_and_others_stay(home):
    home.credentials_file.write_text('note = "mine"\n[keys]\nxai = "x"\n')
    assert save_key(home, "openai", " sk-1\n") == str(home.credentials_file)
    assert stat.S_IMODE(home.credentials_file.stat().st_mode) == 0o600
    assert 'note = "mine"' in home.credentials_file.read_text()
    assert asyncio.run(find_key(None, "openai", home, {})) == "sk-1"
    assert asyncio.run(find_key(None, "xai", home, {})) == "x"


@pytest.mark.parametrize("key", ["", "  ", "two words", "line\nbreak", "caf\xe9", "esc\x1b"])
def test_what_is_no_key_is_not_saved(home, key):
    with pytest.raises(KeenError, match="not a key"):
        save_key(home, "openai", key)
    assert not home.credentials_file.exists()


def test_a_broken_credentials_file_is_never_overwritten(home):
    home.credentials_file.write_text("[keys\n")
    with pytest.raises(KeenError, match=r"credentials\.toml, line 1"):
        save_key(home, "openai", "sk-1")
    assert home.credentials_file.read_text() == "[keys\n"


def test_a_credentials_file_that_cannot_be_written_is_explained(tmp_path):
    (tmp_path / "home").write_text("in the way")
    with pytest.raises(KeenError, match="not saved"):
        save_key(KeenHome(tmp_path / "home"), "openai", "sk-1")


KEYRING = """
import json, pathlib
FILE = pathlib.Path(__file__).with_name("ring.json")
def get_password(service, name):
    return (json.loads(FILE.read_text()) if FILE.exists() else {}).get(f"{service}/{name}")
def set_password(service, name, key):
    FILE.write_text(json.dumps({f"{service}/{name}": key}))
"""
BROKEN_KEYRING = """
def get_password(service, name): raise Exception("no bus")
set_password = get_password
"""
SCRIPT = """
import asyncio, sys
from pathlib import Path
from keen_tui.config.credentials import find_key, save_key
from keen_tui.config.paths import KeenHome
home = KeenHome(Path(sys.argv[1]))
assert "keyring" not in sys.modules
print(save_key(home, "openai", "sk-new"))
print(asyncio.run(find_key(None, "openai", home, {})))
"""


@pytest.mark.parametrize(("module", "where"), [(KEYRING, "the system keyring"), (BROKEN_KEYRING, None)])
def test_a_key_goes_to_the_keyring_where_it_works(home, tmp_path, module, where):
    (tmp_path / "keyring.py").write_text(textwrap.dedent(module))
    home.credentials_file.write_text('[keys]\nopenai = "sk-old"\n')
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(home.root)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), os.getcwd()])},
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert done.stdout.splitlines() == [where or str(home.credentials_file), "sk-new"]
    assert ("sk-new" in home.credentials_file.read_text()) == (where is None)
    assert "sk-old" not in home.credentials_file.read_text()
