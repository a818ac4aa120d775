from __future__ import annotations

import subprocess
import sys

FORBIDDEN = ("litellm", "httpx", "aiohttp", "openai", "mcp")
HEAVY = ("_markdown", "_data_table", "_tabbed_content", "_rich_log")


def loaded() -> set[str]:
    code = "import sys, keen_tui.ui.app; print('\\n'.join(sys.modules))"
    return set(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split())


def test_the_dashboard_imports_neither_litellm_nor_heavy_widgets():
    modules = loaded()
    assert not [name for name in modules if name.split(".")[0] in FORBIDDEN]
    assert not [name for name in HEAVY if f"textual.widgets.{name}" in modules]


def test_the_dashboard_prints_nothing_when_it_is_imported():
    done = subprocess.run([sys.executable, "-c", "import keen_tui.ui.app"], capture_output=True, text=True, check=True)
    assert done.stdout == "" and done.stderr == ""
