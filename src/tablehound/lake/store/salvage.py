"""Taking what is sound out of a damaged catalogue into a new one."""

from __future__ import annotations

import contextlib
import sqlite3
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import xxhash

from tablehound.lake.store import catalogue
from tablehound.lake.store.report import decode_reports
from tablehound.lake.store.sums import SUMMED, Head, add_functions, digest, read_head, row_sum, table_rows, write_head

_PROBED = 100_000
"""Keys that are asked for one by one where a stretch of a table cannot be gone through."""

Row = tuple[Any, ...]


@dataclass(slots=True)
class Salvaged:
    """What came of it."""

    roots: set[str] = field(default_factory=set)
    """Where the sources were found that the old catalogue named."""
    lost: set[str] = field(default_factory=set)
    """Names of sources of which something is damaged, as far as they can be read."""
    n_tables: int | None = None
    """Tables that the damaged lake had; None when that cannot be read."""


def salvage(old: Path, new: Path) -> Salvaged:
    """Copy sources all of whose rows are sound, with their reports and tables, and sound entries of index segments.

    Args:
        old: the damaged catalogue, which is only read.
        new: an empty catalogue.
    """
    found = Salvaged()
    with contextlib.closing(sqlite3.connect(new, isolation_level=None)) as target:
        add_functions(target)
        try:
            source = sqlite3.connect(f"{old.resolve().as_uri()}?mode=ro", uri=True, isolation_level=None)
        except sqlite3.Error:
            return found
        with contextlib.closing(source):
            # What cannot be decoded is compared with its sum, as bytes, and found to be damaged.
            source.text_factory = lambda data: data.decode("utf-8", "backslashreplace")
            target.execute("BEGIN IMMEDIATE")
            _copy(source, target, found)
            target.execute("COMMIT")
    return found


def _copy(source: sqlite3.Connection, target: sqlite3.Connection, found: Salvaged) -> None:
    head = _head(source)
    if head is not None:
        found.n_tables = head.n_tables
    generation = _generation(source) if head is None else head.generation
    sources: dict[int, list[Row]] = defaultdict(list)
    for row, sound in _rows(source, "sources", "id"):
        _, root, name, _, content, born, died = row
        if sound and not born <= generation < died:
            continue
        if isinstance(root, str):
            found.roots.add(root)
        if sound:
            sources[content].append(row)
        else:
            found.lost.add(str(name))
    contents = {row[0]: row for row, sound in _rows(source, "contents", "id") if sound}
    places = _places(source)
    found.roots.update(places.values())
    if head is not None and digest((row[0], row[1], row_sum(*row)) for row in contents.values()) == head.contents:
        # All of them were alive; entries of sources that are lost are made again, from the index if it has them.
        free = max((row[0] for rows in sources.values() for row in rows), default=0)
        for content in contents.keys() - sources.keys():
            free += 1
            name = contents[content][1]
            sources[content].append((free, places.get(name, ""), name, "", content, generation, catalogue.NEVER))
    tables: dict[int, dict[int, Row]] = defaultdict(dict)
    for row, sound in _rows(source, "tables", "key"):
        if sound and row[2] in contents:
            tables[row[2]][row[0]] = row
    for content, entries in sources.items():
        kept = contents.get(content)
        if kept is None or not _is_whole(source, target, kept, tables[content]):
            found.lost.update(str(row[2]) for row in entries)
            continue
        for table, rows in (("contents", [kept]), ("tables", tables[content].values()), ("sources", entries)):
            for row in rows:
                _insert(target, table, row)
    for row in _segments(source, generation):
        _insert(target, "segments", row)
    table_ids = sorted({table_id for _, table_id in table_rows(target, generation)})
    write_head(target, generation, xxhash.xxh3_64_hexdigest(" ".join(table_ids).encode()))


def _head(source: sqlite3.Connection) -> Head | None:
    with contextlib.suppress(sqlite3.Error):
        return read_head(source)
    return None


def _places(source: sqlite3.Connection) -> dict[str, str]:
    """Name → root of sources, from their index, which lies on other pages than they do."""
    places: dict[str, str] = {}
    with contextlib.suppress(sqlite3.Error):
        for name, root in source.execute("SELECT name, root FROM sources INDEXED BY sources_by_name"):
            places[str(name)] = str(root)
    return places


def _generation(source: sqlite3.Connection) -> int:
    """The generation that was live, when the head does not say: the newest whose tables are those of the digest."""
    values: dict[Any, Any] = {}
    with contextlib.suppress(sqlite3.Error):
        values = dict(source.execute("SELECT key, value FROM meta"))
    born = {values.get("generation")}
    with contextlib.suppress(sqlite3.Error):
        born |= {row[0] for row in source.execute("SELECT DISTINCT born FROM sources UNION SELECT born FROM segments")}
    numbers = sorted((number for number in born if isinstance(number, int) and number >= 0), reverse=True)
    for number in numbers:
        with contextlib.suppress(sqlite3.Error):
            rows = table_rows(source, number)
            if digest(rows) == values.get("tables"):
                return number
    stated = values.get("generation")
    return stated if isinstance(stated, int) and stated in numbers else max(numbers, default=0)


def _is_whole(source: sqlite3.Connection, target: sqlite3.Connection, content: Row, tables: dict[int, Row]) -> bool:
    """Whether a content has all tables that its report names, and each all its cells, which are then copied."""
    named = {table.table_id for report in decode_reports(content[-1]) for table in report.tables}
    if not content[6] or not named <= {row[1] for row in tables.values()}:
        return False
    target.execute("SAVEPOINT one")
    for key, row in tables.items():
        if not _copy_chunks(source, target, key, row[3]):
            target.execute("ROLLBACK TO one")
            target.execute("RELEASE one")
            return False
    target.execute("RELEASE one")
    return True


def _copy_chunks(source: sqlite3.Connection, target: sqlite3.Connection, key: int, n_rows: int) -> bool:
    low = key * catalogue.CHUNKS_PER_TABLE
    left = n_rows
    statement = "SELECT id, n_rows, data, sum FROM chunks WHERE id >= ? AND id < ? ORDER BY id"
    try:
        rows = source.execute(statement, (low, low + catalogue.CHUNKS_PER_TABLE))
        for number, row in enumerate(rows):
            if row[0] != low + number or row[-1] != row_sum(*row[:-1]):
                return False
            _insert(target, "chunks", row[:-1])
            left -= row[1]
    except sqlite3.Error:
        return False
    return left == 0


def _segments(source: sqlite3.Connection, generation: int) -> Iterator[Row]:
    """Sound entries of index segments that were alive; of those over the same tables the newest."""
    statement = f"SELECT {', '.join(SUMMED['segments'])}, sum, died FROM segments"
    rows: list[Row] = []
    with contextlib.suppress(sqlite3.Error):
        rows.extend(source.execute(statement))
    covered: dict[str, set[str]] = defaultdict(set)
    sound = [row[:-2] for row in rows if row[-2] == row_sum(*row[:-2]) and row[2] <= generation < row[-1]]
    for row in sorted(sound, key=lambda row: (-row[2], row[1])):
        table_ids = set(row[4].split())
        if covered[row[0]].isdisjoint(table_ids):
            covered[row[0]] |= table_ids
            yield row


def _insert(target: sqlite3.Connection, table: str, row: Row) -> None:
    columns = (*SUMMED[table], "sum")
    marks = ", ".join("?" * len(columns))
    target.execute(f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({marks})", (*row, row_sum(*row)))


def _rows(source: sqlite3.Connection, table: str, key: str) -> Iterator[tuple[Row, bool]]:
    """Rows of a table in the order of ``SUMMED``, each with whether it is sound; around what cannot be gone through."""
    statement = f"SELECT {', '.join(SUMMED[table])}, sum FROM {table}"
    seen: set[Any] = set()
    for order in ("", f" ORDER BY {key} DESC"):
        try:
            for row in source.execute(statement + order):
                if row[0] in seen:
                    break
                seen.add(row[0])
                yield row[:-1], row[-1] == row_sum(*row[:-1])
            else:
                return
        except (sqlite3.Error, MemoryError):
            continue
    known = {number for number in seen if isinstance(number, int)}
    # Between what was read from the first row on and from the last row back.
    for number in range(1, min(max(known, default=0) + _PROBED, 2 * _PROBED)):
        if number not in known:
            with contextlib.suppress(sqlite3.Error):
                for row in source.execute(f"{statement} WHERE {key} = ?", (number,)):
                    yield row[:-1], row[-1] == row_sum(*row[:-1])
