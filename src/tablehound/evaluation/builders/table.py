"""A small table in memory, as the builders make and write them."""

from __future__ import annotations

import csv
import html
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

FileFormat = Literal["csv", "markdown", "html"]
_SUFFIX: dict[FileFormat, str] = {"csv": ".csv", "markdown": ".md", "html": ".html"}


@dataclass(frozen=True, slots=True)
class PlainTable:
    """Name, header and rows of texts. None is an absent value, written as an empty cell."""

    name: str
    header: tuple[str, ...]
    rows: tuple[tuple[str | None, ...], ...]

    def index(self, column: str) -> int:
        return self.header.index(column)

    def column(self, index: int) -> list[str | None]:
        return [row[index] for row in self.rows]

    def project(self, columns: Sequence[str], name: str | None = None) -> PlainTable:
        """Only these columns, in this order; rows stay as they are, duplicates too."""
        places = [self.index(column) for column in columns]
        rows = tuple(tuple(row[place] for place in places) for row in self.rows)
        return PlainTable(name or self.name, tuple(columns), rows)

    def take(self, places: Sequence[int], name: str | None = None) -> PlainTable:
        """The rows at these places."""
        return replace(self, name=name or self.name, rows=tuple(self.rows[place] for place in places))

    def with_column(self, index: int, texts: Sequence[str | None], header: str | None = None) -> PlainTable:
        """One column replaced, and its header if given."""
        rows = tuple((*row[:index], text, *row[index + 1 :]) for row, text in zip(self.rows, texts, strict=True))
        names = self.header if header is None else (*self.header[:index], header, *self.header[index + 1 :])
        return replace(self, header=names, rows=rows)

    def transposed(self) -> PlainTable:
        """Rows as columns: the header becomes the first column, the first column becomes the header."""
        lines = [self.header, *self.rows]
        turned = list(zip(*lines, strict=True))
        return PlainTable(self.name, tuple(text or "" for text in turned[0]), tuple(turned[1:]))

    def unique(self, columns: Sequence[str]) -> bool:
        """Whether the columns together tell all rows apart, with no absent value among them."""
        part = self.project(columns).rows
        return len(set(part)) == len(part) and all(text is not None for row in part for text in row)

    def same_rows(self, other: PlainTable) -> bool:
        """Whether both have the same header and the same rows, in any order."""
        return self.header == other.header and Counter(self.rows) == Counter(other.rows)


def write_table(table: PlainTable, folder: Path, form: FileFormat = "csv") -> Path:
    """Write the table as ``folder/<name>.<suffix>``."""
    path = folder / f"{table.name}{_SUFFIX[form]}"
    if form == "csv":
        with path.open("w", encoding="utf-8", newline="") as out:
            writer = csv.writer(out, lineterminator="\n")
            writer.writerow(table.header)
            writer.writerows([["" if text is None else text for text in row] for row in table.rows])
        return path
    path.write_text(_markdown(table) if form == "markdown" else _html(table), encoding="utf-8")
    return path


def _markdown(table: PlainTable) -> str:
    def line(cells: Sequence[str | None]) -> str:
        shown = ((text or "").replace("\\", "\\\\").replace("|", "\\|").replace("\n", " ") for text in cells)
        return "| " + " | ".join(shown) + " |"

    return "\n".join([line(table.header), "|" + " --- |" * len(table.header), *map(line, table.rows)]) + "\n"


def _html(table: PlainTable) -> str:
    def line(cells: Sequence[str | None], tag: str) -> str:
        return "<tr>" + "".join(f"<{tag}>{html.escape(text or '')}</{tag}>" for text in cells) + "</tr>"

    rows = "\n".join(line(row, "td") for row in table.rows)
    return f'<!doctype html><meta charset="utf-8">\n<table>\n{line(table.header, "th")}\n{rows}\n</table>\n'
