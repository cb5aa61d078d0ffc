"""What the rules know of one table: its columns' words, kinds and distinct values, read once and kept."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from tablehound.backbone.rules.lexicon import expand
from tablehound.backbone.rules.words import fold, identifier_words, stem
from tablehound.lake.table import Column, TableInfo

if TYPE_CHECKING:
    from tablehound.lake import Lake

_KEPT = 64


@dataclass
class ColumnProfile:
    """One column: ``words`` are the header's folded words, written out; ``texts`` the raw cells."""

    index: int
    column: Column
    texts: list[str | None]

    @property
    def name(self) -> str:
        return self.column.name

    @property
    def kind(self) -> str:
        return self.column.kind

    @cached_property
    def words(self) -> tuple[str, ...]:
        return identifier_words(" ".join((*self.column.path[:-1], self.column.name)))

    @cached_property
    def stems(self) -> frozenset[str]:
        plain = [stem(word) for word in self.words]
        return frozenset(plain) | {stem(word) for word in expand(self.words)}

    @cached_property
    def folded(self) -> list[str]:
        return [fold(text) if text else "" for text in self.texts]

    @cached_property
    def distinct(self) -> dict[str, list[int]]:
        """Folded value → row indices."""
        found: dict[str, list[int]] = {}
        for row, text in enumerate(self.folded):
            if text:
                found.setdefault(text, []).append(row)
        return found


@dataclass
class TableProfile:
    """One table, or the first of a union cluster."""

    info: TableInfo
    columns: list[ColumnProfile]
    n_rows: int

    @cached_property
    def title_stems(self) -> frozenset[str]:
        text = " ".join((self.info.title or "", *self.info.notes))
        return frozenset(stem(word) for word in identifier_words(text))


class Profiles:
    """Profiles of a lake's tables; the most recent ones are kept."""

    def __init__(self, lake: Lake) -> None:
        self._lake = lake
        self._kept: OrderedDict[str, TableProfile] = OrderedDict()

    def get(self, table_id: str) -> TableProfile:
        """The profile of a table.

        Raises:
            TableMissingError: the lake has no such table.
        """
        if table_id in self._kept:
            self._kept.move_to_end(table_id)
            return self._kept[table_id]
        table = self._lake.table(table_id)
        columns = [ColumnProfile(i, c, table.column(i)) for i, c in enumerate(table.info.columns)]
        profile = TableProfile(table.info, columns, table.n_rows)
        self._kept[table_id] = profile
        while len(self._kept) > _KEPT:
            self._kept.popitem(last=False)
        return profile
