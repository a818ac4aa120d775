from __future__ import annotations

import subprocess
import time

from hypothesis import given, settings
from hypothesis import strategies as st

from keen_tui.tools.diff import compare

TEXTS = st.lists(st.sampled_from(["a", "b", "c", ""]), max_size=30).map("\n".join)


def test_nothing_differs():
    assert compare("a\n", "a\n").hunks == ""


def test_a_change_has_three_lines_around_it_and_is_counted():
    before = "".join(f"{n}\n" for n in range(1, 21))
    change = compare(before, before.replace("10\n", "ten\nmore\n"))
    assert change.hunks == "@@ -7,7 +7,8 @@\n 7\n 8\n 9\n-10\n+ten\n+more\n 11\n 12\n 13\n"
    assert (change.added, change.removed) == (2, 1)


def test_a_missing_final_newline_is_marked():
    assert compare("a\nb", "a\nc\n").hunks == ("@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+c\n")


def test_a_new_file_is_all_additions():
    change = compare("", "x\ny\n")
    assert change.hunks == "@@ -0,0 +1,2 @@\n+x\n+y\n"
    assert (change.added, change.removed) == (2, 0)


def test_changes_far_apart_make_two_hunks():
    before = "".join(f"{n}\n" for n in range(40))
    change = compare(before, before.replace("5\n", "five\n", 1).replace("35\n", "x\n"))
    assert change.hunks.count("@@ -") == 2


def test_25_megabytes_of_other_lines_are_quick_and_the_diff_stays_small():
    before = "".join(f"old {n}\n" for n in range(1_000_000))
    after = "".join(f"new {n}\n" for n in range(1_000_000))
    began = time.process_time()
    change = compare(before, after)
    assert time.process_time() - began < 10
    assert (change.added, change.removed) == (1_000_000, 1_000_000)
    assert len(change.hunks) < 200_000
    assert "rest of the diff is not shown" in change.hunks


def test_one_line_of_a_million_is_found_in_linear_time():
    lines = [f"{n % 7}\n" for n in range(1_000_000)]
    before = "".join(lines)
    lines[500_000] = "other\n"
    change = compare(before, "".join(lines))
    assert (change.added, change.removed) == (1, 1)


@settings(max_examples=25, deadline=None)
@given(TEXTS, TEXTS)
def test_patch_makes_the_new_text_out_of_the_old_one(tmp_path_factory, before, after):
    folder = tmp_path_factory.mktemp("patch")
    (folder / "f").write_bytes(before.encode())
    change = compare(before, after)
    if change.hunks and before and after:
        patch = f"--- f\n+++ f\n{change.hunks}"
        subprocess.run(["git", "apply", "--unidiff-zero", "-"], input=patch.encode(), cwd=folder, check=True)
        assert (folder / "f").read_bytes() == after.encode()
    assert change.hunks.count("\n+") == change.added
    assert change.hunks.count("\n-") == change.removed
