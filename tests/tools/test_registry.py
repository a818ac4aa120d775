from __future__ import annotations

import subprocess
import sys

import pytest

from keen_tui.tools.ask_user import AskUser
from keen_tui.tools.registry import ToolBox, standard_tools

NAMES = ["read_file", "write_file", "edit_file", "glob", "grep", "bash", "web_fetch", "ask_user"]


def test_the_standard_tools_come_in_a_fixed_order():
    assert [spec.name for spec in standard_tools().specs] == NAMES


def test_a_tool_is_found_by_its_name_and_nothing_else_is():
    box = standard_tools()
    assert box.get("bash").spec.name == "bash"
    assert box.get("rm") is None


def test_two_tools_of_one_name_are_refused():
    with pytest.raises(ValueError, match="same name"):
        ToolBox([AskUser(), AskUser()])


@pytest.mark.parametrize("name", NAMES)
def test_every_parameter_is_described_and_no_other_is_allowed(name):
    spec = standard_tools().get(name).spec
    assert spec.description
    assert spec.parameters["type"] == "object"
    assert spec.parameters["additionalProperties"] is False
    assert set(spec.parameters["required"]) <= set(spec.parameters["properties"])
    assert all(inner["description"] and inner["type"] for inner in spec.parameters["properties"].values())


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("arguments", [{}, {"path": 3, "pattern": None, "command": [], "url": {}}])
def test_the_target_of_a_broken_call_is_none(name, arguments, workspace):
    assert standard_tools().get(name).target(arguments, workspace) is None


def test_targets_are_bounded_and_free_of_secrets(workspace):
    box = standard_tools()
    url = "https://me:pw@example.org:8443/a?key=1#x"
    assert box.get("read_file").target({"path": str(workspace / "src/a.py")}, workspace) == "src/a.py"
    assert box.get("edit_file").target({"path": "/etc/passwd"}, workspace) == "…/passwd"
    assert box.get("glob").target({"pattern": "*.py"}, workspace) == "*.py"
    assert box.get("grep").target({"pattern": "x", "path": "src"}, workspace) == "src :: x"
    assert box.get("grep").target({"pattern": "x", "path": "."}, workspace) == "x"
    assert box.get("web_fetch").target({"url": url}, workspace) == "https://example.org:8443/a"
    assert box.get("bash").target({"command": "ls \n -l"}, workspace) == "ls -l"
    assert len(box.get("bash").target({"command": "x" * 999}, workspace).encode()) <= 256
    assert box.get("ask_user").target({"question": "why?"}, workspace) is None


def test_importing_the_registry_loads_no_http_client_and_no_parser():
    code = (
        "import keen_tui.tools.registry as r, sys; r.standard_tools();"
        "print([m for m in ('httpx', 'markdownify', 'bs4', 'pathspec', 'litellm') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
