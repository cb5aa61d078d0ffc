"""Records as tables: nested records flattened to columns by path, arrays of records as child tables with a key."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from tablehound.errors import BrokenSourceError
from tablehound.lake.read.batches import TextBatch
from tablehound.lake.read.contract import Account, SetAside, SourceFile, TableDraft
from tablehound.lake.read.json.parser import plain_text
from tablehound.lake.read.totals.subtotals import mark_subtotals
from tablehound.lake.table import Provenance

Numbered = tuple[int, Any, str | None]
"""A value with its 1-based number (position in the array, or line in the file) and the key of its parent."""
Path = tuple[str, ...]
MAX_CHILD_TABLES = 1_000
"""Paths of arrays of records that become tables; further ones stay in their cells as JSON."""
# Limits of memory and work, by hand.
MAX_MARKED_RECORDS = 10_000
"""Records among which subtotals are looked for."""
MAX_KEY_RECORDS = 100_000
"""First records by which a key is found."""
MAX_PASSES = 3
"""Child tables for which records are made anew each, rather than kept in memory."""
MAX_WHOLE_BYTES = 32 * 2**20
"""Size of the source up to which records are kept in memory for more child tables than that."""
_KEYS = ("id", "_id", "key", "uuid", "guid", "code", "identifier", "slug", "name")
_VALUE = ("value",)
"""Path of a value among records that is no record."""


@dataclass(frozen=True, slots=True)
class Records:
    """Records that can be read several times: in memory, or made anew from the source each time."""

    kept: Sequence[Numbered] | None = None
    again: Callable[[], Iterator[Numbered]] | None = None

    def __iter__(self) -> Iterator[Numbered]:
        return iter(self.kept or ()) if self.again is None else self.again()


def numbered(values: Iterable[Any]) -> Records:
    """Values in memory as records, with their positions."""
    return Records([(number, value, None) for number, value in enumerate(values, start=1)])


@dataclass(slots=True)
class _Plan:
    """What one pass over the records found."""

    columns: dict[Path, None] = field(default_factory=dict)
    children: dict[Path, array[int]] = field(default_factory=dict)
    """Paths of arrays of records, with the positions of the records that have one."""
    plain: set[Path] = field(default_factory=set)
    """Paths with something else somewhere: they remain columns also where they have arrays of records."""
    records: int = 0
    key: Path | None = None
    full: bool = False
    """There are more paths of arrays of records than become tables."""


@dataclass(frozen=True, slots=True)
class _Table:
    """A table to be made of some records."""

    source: SourceFile
    records: Records
    plan: _Plan
    path: str
    ordinal: int
    parent: Path | None
    """Name of the first column, which leads from a child table to its parent."""
    aside: Sequence[SetAside]

    @property
    def key_name(self) -> Path | None:
        """Name of the column in child tables that leads to this one; none without child tables."""
        label = self.path.rpartition(".")[2].removesuffix("[]") or "parent"
        if not self.plan.children:
            return None
        return (label, ".".join(self.plan.key)) if self.plan.key else (f"{label}_row",)

    @property
    def counter(self) -> Path | None:
        """Name of the last column, which counts the rows where child tables need a key and the records have none."""
        return None if self.plan.key else self.key_name


def record_tables(
    source: SourceFile,
    records: Records,
    path: str,
    ordinal: int,
    aside: Sequence[SetAside] = (),
    parent: Path | None = None,
) -> Iterator[TableDraft]:
    """The table of some records and, below it, the tables of the arrays of records within them.

    Args:
        aside: pieces of the source that are no records; they go to the account of the first table.
        parent: name of the column that leads from a child table to its parent.

    Raises:
        BrokenSourceError: too many columns.
    """
    plan = _plan(source, records)
    if records.kept is None and len(plan.children) > MAX_PASSES and source.path.stat().st_size <= MAX_WHOLE_BYTES:
        records = Records(list(records))
        plan = _plan(source, records)
    if not plan.columns and not plan.children and parent is None:
        return
    table = _Table(source, records, plan, path, ordinal, parent, aside)
    yield _draft(table)
    ordinal += 1
    for child in plan.children:
        where = ".".join([path, *child] if path else child) + "[]"
        for draft in record_tables(source, _child_records(table, child), where, ordinal, parent=table.key_name):
            yield draft
            ordinal += 1


def _child_records(table: _Table, child: Path) -> Records:
    """The items of the arrays at a path, each with the key of its record."""
    records, plan = table.records, table.plan

    def parents() -> Iterator[tuple[int, Any]]:
        if records.kept is None:
            for position, (_, record, _) in enumerate(records):
                yield position, record
        else:
            for position in plan.children[child]:
                yield position, records.kept[position][1]

    def rows() -> Iterator[Numbered]:
        number = 0
        for position, record in parents():
            items = _at(record, child)
            if not isinstance(items, list):
                continue
            key = plain_text(_at(record, plan.key)) if plan.key else str(position + 1)
            for item in items:
                number += 1
                yield number, item, key

    return Records(again=rows) if records.kept is None else Records(list(rows()))


def _at(record: Any, path: Path) -> Any:
    value = record
    for name in path:
        if not isinstance(value, dict):
            return None
        value = value.get(name)
    return value


# -- what there is in the records --


def _plan(source: SourceFile, records: Records) -> _Plan:
    plan = _Plan()
    candidates: dict[Path, set[str] | None] = {}
    kept = records.kept is not None
    for position, (_, record, _) in enumerate(records):
        plan.records += 1
        if isinstance(record, dict):
            _find_columns(record, (), plan, source, position if kept else None)
            if plan.records <= MAX_KEY_RECORDS:
                _weed_keys(record, candidates, plan.records == 1)
        elif record is not None and record != []:
            plan.columns[_VALUE] = None
            plan.plain.add(_VALUE)
    plan.children = {path: places for path, places in plan.children.items() if path not in plan.plain}
    for path in plan.children:
        plan.columns.pop(path, None)
    unique = {path for path, seen in candidates.items() if seen is not None and len(seen) == plan.records > 0}
    plan.key = next((path for name in _KEYS for path in [(name,)] if path in unique), None)
    return plan


def _find_columns(record: dict[str, Any], above: Path, plan: _Plan, source: SourceFile, position: int | None) -> None:
    for name, value in record.items():
        path = (*above, name)
        if isinstance(value, dict) and value:
            _find_columns(value, path, plan, source, position)
            continue
        if isinstance(value, list) and any(isinstance(item, dict) for item in value):
            places = plan.children.get(path)
            if places is None and len(plan.children) < MAX_CHILD_TABLES:
                places = plan.children[path] = array("q")
            if places is not None:
                if position is not None:
                    places.append(position)
                continue
            plan.full = True
        if value is not None and value != []:
            plan.plain.add(path)
        plan.columns[path] = None
        if len(plan.columns) > source.settings.max_columns:
            raise BrokenSourceError(
                f"records have more than {source.settings.max_columns} names", where=source.name,
                remedy="raise read.max_columns",
            )  # fmt: skip


def _weed_keys(record: dict[str, Any], candidates: dict[Path, set[str] | None], first: bool) -> None:
    """Keep as keys only names whose values are all there and all different."""
    if first:
        candidates.update({(name,): set() for name in _KEYS if name in record})
    for path, seen in candidates.items():
        value = record.get(path[0])
        if seen is None:
            continue
        if value is None or isinstance(value, dict | list) or plain_text(value) in seen:
            candidates[path] = None
        else:
            seen.add(plain_text(value))


# -- the table --


def _draft(table: _Table) -> TableDraft:
    source, plan = table.source, table.plan
    account = Account()
    if table.parent is not None:
        account.repairs.append(f"the first column leads to the parent record: {' / '.join(table.parent)}")
    if plan.full:
        account.repairs.append(f"more than {MAX_CHILD_TABLES} arrays of records; the further ones stay in their cells")
    draft = TableDraft(
        header=tuple(name for name in (table.parent, *plan.columns, table.counter) if name is not None),
        batches=_Rows(table, account),
        provenance=Provenance(source.name, "json", source.member, sheet=table.path or None, ordinal=table.ordinal),
        account=account,
    )
    return mark_subtotals(draft) if plan.records <= MAX_MARKED_RECORDS else draft


class _Rows:
    """Batches over the records; the account is complete when they are consumed."""

    def __init__(self, table: _Table, account: Account) -> None:
        settings, paths = table.source.settings, table.plan.columns
        self._records, self._account, self._aside = table.records, account, table.aside
        self._has_parent, self._counted = table.parent is not None, table.counter is not None
        self._max_chars, self._batch_rows = settings.max_cell_chars, settings.batch_rows
        self._width = self._has_parent + len(paths) + self._counted
        self._cut = 0
        # Column by name, and the names below it: one walk over a record finds the place of all that it has.
        self._places: dict[str, Any] = {}
        self._value: int | None = None
        for column, path in enumerate(paths, start=int(self._has_parent)):
            names = self._places
            for name in path[:-1]:
                names = names.setdefault(name, [None, {}])[1]
            names.setdefault(path[-1], [None, {}])[0] = column
            if path == _VALUE:
                self._value = column

    def _texts(self, position: int, record: Any, key: str | None) -> list[str | None]:
        texts: list[str | None] = [None] * self._width
        if isinstance(record, dict):
            self._fill(record, self._places, texts)
        elif self._value is not None:
            self._put(record, self._value, texts)
        if self._has_parent:
            texts[0] = key
        if self._counted:
            texts[-1] = str(position)
        return texts

    def _fill(self, record: dict[str, Any], places: dict[str, Any], texts: list[str | None]) -> None:
        for name, value in record.items():
            place = places.get(name)
            if place is None:
                continue
            if isinstance(value, dict) and value:
                self._fill(value, place[1], texts)
            elif place[0] is not None:
                self._put(value, place[0], texts)

    def _put(self, value: Any, column: int, texts: list[str | None]) -> None:
        if value is None or (value == [] and isinstance(value, list)):
            return
        text = plain_text(value)
        if len(text) > self._max_chars:
            self._cut += 1
            text = text[: self._max_chars]
        texts[column] = text

    def __iter__(self) -> Iterator[TextBatch]:
        account = self._account
        account.seen, account.kept = len(self._aside), 0
        account.set_aside[:] = self._aside
        rows: list[list[str | None]] = []
        numbers: list[int] = []
        for position, (number, record, key) in enumerate(self._records, start=1):
            account.seen += 1
            if not self._has_parent and record in (None, {}, []):
                account.set_aside.append(SetAside(number, "blank"))
                continue
            account.kept += 1
            rows.append(self._texts(position, record, key))
            numbers.append(number)
            if len(rows) >= self._batch_rows:
                yield TextBatch(list(zip(*rows, strict=True)), numbers)
                rows, numbers = [], []
        if rows:
            yield TextBatch(list(zip(*rows, strict=True)), numbers)
        if self._cut:
            account.repairs.append(f"{self._cut} cells cut to {self._max_chars} characters")
