"""Records as tables: nested records flattened to columns by path, arrays of records as child tables with a key."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from tablehound.errors import BrokenSourceError
from tablehound.lake.read.batches import TextBatch
from tablehound.lake.read.draft import Account, SetAside, SourceFile, TableDraft
from tablehound.lake.read.rollups import rollup_rows
from tablehound.lake.table import Provenance

Numbered = tuple[int, Any]
"""A value with its 1-based number: position in the array, or line in the file."""
Path = tuple[str, ...]
MAX_CHILD_TABLES = 1_000
"""Paths of arrays of records that become tables; further ones stay in their cells as JSON."""
_KEYS = ("id", "_id", "key", "uuid", "guid", "code", "identifier", "slug", "name")


class Raw(str):
    """A number as it is written in the document."""

    __slots__ = ()


def plain_text(value: Any) -> str:
    """The text of a value: strings and numbers as they are, the rest as JSON."""
    if isinstance(value, str):
        return str(value)
    return _dumped(value)


def _dumped(value: Any) -> str:
    if isinstance(value, Raw):
        return str(value)
    if isinstance(value, dict):
        return (
            "{" + ", ".join(f"{json.dumps(str(k), ensure_ascii=False)}: {_dumped(v)}" for k, v in value.items()) + "}"
        )
    if isinstance(value, list):
        return "[" + ", ".join(map(_dumped, value)) + "]"
    return json.dumps(value, ensure_ascii=False)


@dataclass(slots=True)
class _Plan:
    """What one pass over the records found."""

    columns: dict[Path, None] = field(default_factory=dict)
    children: dict[Path, None] = field(default_factory=dict)
    plain: set[Path] = field(default_factory=set)
    """Paths that hold arrays of plain values somewhere: they stay columns also where they hold records."""
    records: int = 0
    key: Path | None = None


def record_tables(
    source: SourceFile,
    records: Callable[[], Iterator[Numbered]],
    path: str,
    ordinal: int,
    aside: Sequence[SetAside] = (),
) -> Iterator[TableDraft]:
    """The table of some records and, below it, the tables of the arrays of records within them.

    ``records`` is called several times: once to find the columns, then once for each table. ``aside`` are pieces of
    the source that are no records; they go to the account of the first table.

    Raises:
        BrokenSourceError: nested beyond the limit, or too many columns.
    """
    yield from _tables(source, records, path, ordinal, None, 0, aside)


@dataclass(frozen=True, slots=True)
class _Parent:
    """The column that leads from a child table to its parent."""

    name: Path


def _tables(
    source: SourceFile,
    records: Callable[[], Iterator[Numbered]],
    path: str,
    ordinal: int,
    parent: _Parent | None,
    level: int,
    aside: Sequence[SetAside] = (),
) -> Iterator[TableDraft]:
    if level > source.settings.max_nesting:
        raise BrokenSourceError("records are nested too deep", where=source.name)
    plan = _plan(source, records)
    if not plan.columns and not plan.children:
        return
    label = path.rpartition(".")[2].removesuffix("[]") or "parent"
    own = _Parent((label, _name(plan.key)) if plan.key else (f"{label}_row",)) if plan.children else None
    yield _draft(source, records, path, ordinal, plan, parent, own, aside)
    ordinal += 1
    for child in plan.children:

        def rows(child: Path = child, key: Path | None = plan.key) -> Iterator[Numbered]:
            position = 0
            for number, record in records():
                items = _at(record, child) if isinstance(record, dict) else None
                if not isinstance(items, list):
                    continue
                mark = _at(record, key) if key else str(number)
                for item in items:
                    position += 1
                    yield position, {_MARK: mark, **item} if isinstance(item, dict) else {_MARK: mark, "value": item}

        where = ".".join([path, *child] if path else child) + "[]"
        for draft in _tables(source, rows, where, ordinal, own, level + 1):
            yield draft
            ordinal += 1


_MARK: Any = ("parent",)
"""Name under which a child record carries its parent's key; names of a document are strings, so it meets none."""


def _name(path: Path) -> str:
    return ".".join(path)


def _at(record: dict[str, Any], path: Path) -> Any:
    value: Any = record
    for name in path:
        if not isinstance(value, dict):
            return None
        value = value.get(name)
    return value


def _plan(source: SourceFile, records: Callable[[], Iterator[Numbered]]) -> _Plan:
    plan = _Plan()
    candidates: dict[Path, set[str] | None] = {}
    for _, record in records():
        plan.records += 1
        if not isinstance(record, dict):
            plan.columns.setdefault(("value",))
            continue
        _find_columns(record, (), plan, source)
        if plan.records <= 100_000:
            _weed_keys(record, candidates, plan.records == 1)
    plan.children = {path: None for path in plan.children if path not in plan.plain}
    for path in plan.children:
        plan.columns.pop(path, None)
    unique = {path for path, seen in candidates.items() if seen is not None and len(seen) == plan.records > 0}
    plan.key = next((path for name in _KEYS for path in [(name,)] if path in unique), None)
    return plan


def _find_columns(record: dict[str, Any], above: Path, plan: _Plan, source: SourceFile) -> None:
    if len(above) > source.settings.max_nesting:
        raise BrokenSourceError("records are nested too deep", where=source.name)
    for name, value in record.items():
        path = (*above, name)
        if isinstance(value, dict) and value:
            _find_columns(value, path, plan, source)
            continue
        if isinstance(value, list) and any(isinstance(item, dict) for item in value):
            if len(plan.children) < MAX_CHILD_TABLES or path in plan.children:
                plan.children[path] = None
                continue
        elif value is not None and value != []:
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


def _draft(
    source: SourceFile,
    records: Callable[[], Iterator[Numbered]],
    path: str,
    ordinal: int,
    plan: _Plan,
    parent: _Parent | None,
    own: _Parent | None,
    aside: Sequence[SetAside],
) -> TableDraft:
    paths = [column for column in plan.columns if column != (_MARK,)]
    header: list[Path] = [*paths]
    if parent is not None:
        header.insert(0, parent.name)
        paths.insert(0, (_MARK,))
    numbered = own is not None and plan.key is None
    if numbered and own is not None:
        header.append(own.name)
    account = Account()
    if parent is not None:
        account.repairs.append(f"the first column leads to the parent record: {' / '.join(parent.name)}")
    batches = _Rows(source, records, paths, numbered, account, aside)
    rollups: tuple[int, ...] = ()
    if plan.records <= 10_000:
        listed = [column for batch in [batches.whole()] for column in batch]
        rollups = rollup_rows(listed, plan.records)
    return TableDraft(
        header=tuple(header),
        batches=batches,
        provenance=Provenance(source.name, "json", source.member, sheet=path or None, ordinal=ordinal),
        rollup_rows=rollups,
        account=account,
    )


class _Rows:
    """Batches over the records; the account is complete once they were gone through."""

    def __init__(
        self,
        source: SourceFile,
        records: Callable[[], Iterator[Numbered]],
        paths: list[Path],
        numbered: bool,
        account: Account,
        aside: Sequence[SetAside],
    ) -> None:
        self.source, self.records, self.paths = source, records, paths
        self.numbered, self.account, self.aside = numbered, account, aside

    def _texts(self, number: int, record: Any) -> list[str | None]:
        limit = self.source.settings.max_cell_chars
        texts: list[str | None] = []
        for path in self.paths:
            if isinstance(record, dict):
                value = _at(record, path)
                value = None if isinstance(value, dict) and value else value
            else:
                value = record if path == ("value",) else None
            text = None if value is None or (value == [] and isinstance(value, list)) else plain_text(value)
            texts.append(text if text is None or len(text) <= limit else text[:limit])
        if self.numbered:
            texts.append(str(number))
        return texts

    def whole(self) -> list[list[str | None]]:
        """All cells by column."""
        rows = [self._texts(number, record) for number, record in self.records()]
        return [list(column) for column in zip(*rows, strict=True)]

    def __iter__(self) -> Iterator[TextBatch]:
        account = self.account
        account.seen, account.kept = len(self.aside), 0
        account.set_aside[:] = self.aside
        rows: list[list[str | None]] = []
        numbers: list[int] = []
        for number, record in self.records():
            account.seen += 1
            if record is None or record == {}:
                account.set_aside.append(SetAside(number, "blank"))
                continue
            account.kept += 1
            rows.append(self._texts(number, record))
            numbers.append(number)
            if len(rows) >= self.source.settings.batch_rows:
                yield TextBatch(list(zip(*rows, strict=True)), numbers)
                rows, numbers = [], []
        if rows:
            yield TextBatch(list(zip(*rows, strict=True)), numbers)
