from __future__ import annotations

import hashlib
import random
import uuid
from pathlib import Path

import pytest

from keen_tui.security.secret_formats import FORMATS
from keen_tui.security.secrets import find_secrets, places_of, redact
from tests.security.secret_samples import SAMPLES, core

ROOT = Path(__file__).parents[2]
TEXT = {".py", ".md", ".toml", ".tcss", ".svg", ".lock", ".txt", ""}


def test_there_is_a_sample_of_every_format() -> None:
    assert {known.kind for known in FORMATS} <= set(SAMPLES)


@pytest.mark.parametrize("kind", SAMPLES)
def test_each_kind_is_found_by_its_name_and_goes(kind: str) -> None:
    text = f"# Notes\n\n- see {SAMPLES[kind]}\n"
    assert [(found.kind, found.line) for found in find_secrets(text)] == [(kind, 3)]
    assert core(kind) not in redact(text)


def test_places_name_lines_and_kinds_and_never_values() -> None:
    text = "\n".join(SAMPLES[kind] for kind in ("GitHub token", "AWS access key", "npm token"))
    assert places_of(find_secrets(text)) == "line 1: GitHub token; line 2: AWS access key; line 3: npm token"
    many = places_of(find_secrets("\n".join([SAMPLES["npm token"]] * 9)))
    assert many.endswith("line 5: npm token and 4 more")


def test_a_format_without_a_plain_beginning_is_found_too() -> None:
    """A quick look for a few fixed characters must never hide a match."""
    for known in FORMATS:
        assert known.needle in SAMPLES[known.kind] or known.kind in (
            "GitHub token",
            "Hugging Face token",
            "Slack token",
        )


def _ordinary() -> list[Path]:
    """All but the tests that must write down values that look like secrets."""
    tests = [ROOT / "tests" / name for name in ("translate", "screens", "bench")]
    places = [ROOT / "keen_tui", ROOT / "themes", *tests]
    files = [path for place in places for path in place.rglob("*") if path.is_file()]
    files += [path for path in ROOT.iterdir() if path.is_file()]
    return [path for path in files if path.suffix in TEXT and "__pycache__" not in path.parts]


def test_the_projects_own_tree_gives_no_finding() -> None:
    files = _ordinary()
    assert len(files) > 200
    for path in files:
        text = path.read_text(encoding="utf-8", errors="replace")
        assert places_of(find_secrets(text)) == "", path


def test_hashes_ids_pictures_and_words_give_no_finding() -> None:
    chance = random.Random(7)
    digests = [hashlib.new(name, b"x").hexdigest() for name in ("md5", "sha1", "sha256", "sha512")]
    picture = "".join(chance.choices("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", k=4000))
    ids = [str(uuid.UUID(int=chance.getrandbits(128))) for _ in range(20)]
    text = "\n".join(
        [
            *(f"- commit {digest}" for digest in digests),
            *(f"sha256:{digest}" for digest in digests),
            *(f"id: {one}" for one in ids),
            f"![a picture](data:image/png;base64,{picture}==)",
            "The token is read from the keyring; the password never is. A key of a mapping is no secret key.",
            "- Use `API_KEY` from the environment: export API_KEY=$(pass show api)",
            "- Set password: <your password>, token=$TOKEN, api_key: ${API_KEY}",
            "See https://example.org/docs?page=2&sort=token and git@github.com:owner/name.git",
            "max_tokens = 4096, token_count: 1200, primary_key=True",
        ]
    )
    assert places_of(find_secrets(text)) == ""
