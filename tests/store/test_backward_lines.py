import os
import tempfile

from hypothesis import given
from hypothesis import strategies as st

from keen_tui.store.backward_lines import lines_backward


@given(st.lists(st.binary(max_size=12)), st.integers(1, 9))
def test_the_lines_are_those_of_the_file_in_reverse(pieces, block):
    content = b"\n".join(pieces)
    with tempfile.TemporaryFile() as file:
        file.write(content)
        file.flush()
        assert list(lines_backward(file.fileno(), len(content), block)) == content.split(b"\n")[::-1]


def test_the_end_is_read_without_the_beginning():
    with tempfile.TemporaryFile() as file:
        file.truncate(2**33)
        file.seek(2**33 - 5)
        file.write(b"\nlast")
        file.flush()
        assert next(lines_backward(file.fileno(), os.fstat(file.fileno()).st_size)) == b"last"
