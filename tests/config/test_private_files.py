import os
import stat

import pytest

from keen_tui.config.private_files import write_private


def test_a_fresh_file_is_private_whatever_the_umask(tmp_path):
    before = os.umask(0)
    try:
        write_private(tmp_path / "file", b"x")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "file").stat().st_mode) == 0o600


def test_the_rights_of_others_are_taken_from_a_file_that_was_there(tmp_path):
    (tmp_path / "file").write_bytes(b"old")
    (tmp_path / "file").chmod(0o744)
    write_private(tmp_path / "file", b"new")
    assert stat.S_IMODE((tmp_path / "file").stat().st_mode) == 0o700
    assert (tmp_path / "file").read_bytes() == b"new"


def test_a_failed_write_leaves_nothing_behind(tmp_path):
    (tmp_path / "file").mkdir()
    with pytest.raises(OSError):
        write_private(tmp_path / "file", b"x")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
