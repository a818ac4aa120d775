"""Running sums of block heights: append, change and look-up in O(log n)."""

from __future__ import annotations

from collections.abc import Iterable


class Heights:
    """A list of row counts with prefix sums (a Fenwick tree)."""

    def __init__(self, values: Iterable[int] = ()) -> None:
        self._values: list[int] = []
        self._tree: list[int] = [0]
        self.total = 0
        for value in values:
            self.append(value)

    def __len__(self) -> int:
        return len(self._values)

    def __getitem__(self, index: int) -> int:
        return self._values[index]

    def append(self, value: int) -> None:
        self._values.append(value)
        index = len(self._values)
        node = value
        step = 1
        while step < index & -index:
            node += self._tree[index - step]
            step *= 2
        self._tree.append(node)
        self.total += value

    def pop(self) -> int:
        """Take the last height off, and return it."""
        value = self._values.pop()
        self._tree.pop()
        self.total -= value
        return value

    def change(self, index: int, value: int) -> int:
        """Set one height; returns by how much it grew."""
        delta = value - self._values[index]
        if delta:
            self._values[index] = value
            self.total += delta
            node = index + 1
            while node < len(self._tree):
                self._tree[node] += delta
                node += node & -node
        return delta

    def before(self, index: int) -> int:
        """The sum of the heights before `index`."""
        total = 0
        while index > 0:
            total += self._tree[index]
            index -= index & -index
        return total

    def find(self, row: int) -> tuple[int, int]:
        """The index whose rows hold `row`, and the row inside it. Rows past the end give the last index.

        Raises IndexError when there are no heights.
        """
        if not self._values:
            raise IndexError("there are no blocks")
        row = max(0, row)
        index, left = 0, row
        step = 1 << (len(self._values).bit_length())
        while step:
            node = index + step
            if node < len(self._tree) and self._tree[node] <= left:
                index = node
                left -= self._tree[node]
            step //= 2
        if index >= len(self._values):
            last = len(self._values) - 1
            return last, row - self.before(last)
        return index, left
