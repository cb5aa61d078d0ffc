"""Sets of tables as an index keeps them: numbers, whose ids are looked up only when they are needed.

A common word occurs in tens of thousands of tables; ranking needs to count over them, and to name a few.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set
from functools import cached_property
from typing import Any

import numpy as np

from tablehound.retrieval.arrays import Array


class TableNames:
    """The ids of all tables of an engine, by number."""

    def __init__(self, ids: Sequence[str]) -> None:
        self.ids = ids

    @cached_property
    def numbers(self) -> dict[str, int]:
        """Id → number."""
        return {table_id: number for number, table_id in enumerate(self.ids)}


class TableSet(Set[str]):
    """An immutable set of table ids."""

    __slots__ = ("mask", "names")

    def __init__(self, names: TableNames, mask: Array) -> None:
        self.names = names
        self.mask = mask
        """Per number, whether the table is in the set."""

    def __contains__(self, table_id: object) -> bool:
        number = self.names.numbers.get(table_id) if isinstance(table_id, str) else None
        return number is not None and bool(self.mask[number])

    def __iter__(self) -> Iterator[str]:
        ids = self.names.ids
        return (ids[number] for number in np.flatnonzero(self.mask).tolist())

    def __len__(self) -> int:
        return int(np.count_nonzero(self.mask))

    def __hash__(self) -> int:
        return self._hash()

    def __repr__(self) -> str:
        return f"TableSet({sorted(self)!r})"

    @classmethod
    def _from_iterable(cls, it: Iterable[Any]) -> frozenset[Any]:
        """What ``&``, ``|`` and ``-`` give."""
        return frozenset(it)


def masks(sets: Sequence[Set[str]]) -> tuple[TableNames, list[Array]]:
    """Sets of tables as masks over numbers, and whose numbers they are."""
    first = sets[0] if sets else None
    if isinstance(first, TableSet) and all(isinstance(s, TableSet) and s.names is first.names for s in sets):
        return first.names, [s.mask for s in sets if isinstance(s, TableSet)]
    names = TableNames(sorted(frozenset().union(*sets)))
    return names, [np.array([table_id in tables for table_id in names.ids], bool) for tables in sets]


def best_numbers(score: Array, ids: Sequence[str], size: int) -> list[int]:
    """Numbers of the ``size`` largest positive scores, ties by id."""
    found = np.flatnonzero(score > 0)
    if len(found) > size > 0:
        least = np.partition(score[found], len(found) - size)[len(found) - size]
        above = found[score[found] > least]
        tied = sorted(found[score[found] == least].tolist(), key=ids.__getitem__)[: size - len(above)]
        found = np.concatenate([above, np.array(tied, np.int64)])
    return sorted(found.tolist(), key=lambda number: (-float(score[number]), ids[number]))[:size]
