from __future__ import annotations

import re

from tests.readme_tables import README, with_tables


def test_the_tables_of_keys_and_commands_are_those_of_the_registry() -> None:
    readme = README.read_text()
    assert readme == with_tables(readme), "run: python -m tests.readme_tables"


def test_every_picture_and_file_that_the_readme_names_is_there() -> None:
    links = re.findall(r"\]\((?!https?:)([^)#]+)\)", README.read_text())
    assert links
    assert [link for link in links if not (README.parent / link).exists()] == []


def test_ci_runs_the_readmes_test_command() -> None:
    command = next(line for line in README.read_text().splitlines() if "pytest" in line)
    assert command in (README.parent / ".ci" / "run").read_text()
