"""Sheets as grids: the texts of their cells, corrected by what only the file's parts show.

Values come from calamine; what it leaves out (formats, formulas without a stored value, hidden rows, the true extent of
a sheet) comes from a scan of the file's parts. A sheet whose few cells lie far apart is read cell by cell.
"""

from __future__ import annotations

import contextlib
import gc
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from tablehound.errors import BrokenSourceError, SourceError, UnsupportedSourceError
from tablehound.lake.read.contract import SourceFile
from tablehound.lake.read.layout.assemble import listed
from tablehound.lake.read.layout.grid import Box, Grid, clip_merges, column_letters
from tablehound.lake.read.workbook.cells import Cells, apply_facts, read_cells
from tablehound.lake.read.workbook.facts import SheetFacts
from tablehound.lake.read.workbook.files import failure, open_archive, worksheets
from tablehound.lake.read.workbook.ods import ods_facts
from tablehound.lake.read.workbook.xls import xls_facts
from tablehound.lake.read.workbook.xlsb import XlsbParts
from tablehound.lake.read.workbook.xlsx import XlsxParts

# What decides that a sheet is sparse, by hand.
SPARSE_AREA = 4_000_000
"""A sheet of a larger extent …"""
SPARSE_ONE_IN = 10
"""… with less than one filled cell in so many is read cell by cell."""
MAX_BLANK_LINES = 3
"""Blank rows or columns that remain where a sparse sheet has more."""
MAX_SHOWN = 10
"""Hidden rows and columns that an account lists."""
_LAST_COLUMN = 16_383
_READER_ERRORS = (ValueError, KeyError, IndexError, TypeError, AttributeError, EOFError, OSError, NotImplementedError)
"""What the libraries below raise on damaged files, besides errors of their own."""


@dataclass(slots=True)
class Sheet:
    """The cells of a sheet, and what the account of its first table reports of it."""

    name: str
    grid: Grid
    repairs: list[str] = field(default_factory=list)
    ambiguities: list[str] = field(default_factory=list)


def sheets(source: SourceFile, kind: str) -> Iterator[Sheet]:
    """The sheets to read of a workbook of a kind.

    Raises:
        UnsupportedSourceError: protected by a password.
        BrokenSourceError: damaged, beyond a limit, or a pinned sheet is missing.
    """
    from lxml.etree import XMLSyntaxError
    from python_calamine import CalamineError, PasswordError

    try:
        with contextlib.nullcontext() if kind == "xls" else open_archive(source, kind) as archive:
            yield from _sheets(source, kind, archive)
    except SourceError:
        raise
    except PasswordError as error:
        raise UnsupportedSourceError("the workbook is protected by a password", where=source.name) from error
    except (CalamineError, XMLSyntaxError, zipfile.BadZipFile, zlib.error, *_READER_ERRORS) as error:
        raise failure(source, error) from error
    except BaseException as error:
        # A panic of the Rust reader is no Exception; its type's name identifies it.
        if type(error).__name__ != "PanicException":
            raise
        raise BrokenSourceError(f"the workbook cannot be read: {error}", where=source.name) from error


def _sheets(source: SourceFile, kind: str, archive: zipfile.ZipFile | None) -> Iterator[Sheet]:
    parts = XlsxParts(archive) if archive is not None and kind in ("xlsx", "xlsm") else None
    facts_of = _facts_of(source, kind, archive) if parts is None else lambda _, name: parts.facts(name)
    packed: Any = archive.fp if archive is not None and kind == "fods" else None
    for index, name, load in worksheets(source, kind, packed):
        facts = facts_of(index, name)
        area = facts.rows * facts.columns
        if parts is not None and area > SPARSE_AREA and facts.cells * SPARSE_ONE_IN < area:
            facts.exact = parts.odd_dates(name)
            yield _sparse_sheet(source, name, facts)
            continue
        _check_area(source, name, area)
        yield _dense_sheet(source, name, load, facts, parts)


def _facts_of(source: SourceFile, kind: str, archive: zipfile.ZipFile | None) -> Callable[[int, str], SheetFacts]:
    """The facts of a sheet by its index and name."""
    if archive is None:
        by_index = dict(enumerate(xls_facts(source)))
        return lambda index, _: by_index.get(index, SheetFacts())
    if kind == "xlsb":
        parts = XlsbParts(archive)
        return lambda _, name: parts.facts(name)
    by_name = ods_facts(archive)
    return lambda _, name: by_name.get(name, SheetFacts())


def _check_area(source: SourceFile, sheet: str, area: int) -> None:
    if area > source.settings.max_sheet_cells:
        raise BrokenSourceError(
            f"the sheet spans {area} cells",
            where=f"{source.name}#{sheet}",
            remedy="raise read.max_sheet_cells, or delete stray cells far from the data",
        )


def _dense_sheet(source: SourceFile, name: str, load: Any, facts: SheetFacts, parts: XlsxParts | None) -> Sheet:
    sheet = load()
    _check_area(source, name, sheet.total_height * sheet.total_width)
    top, left = sheet.start or (0, 0)
    with _no_collection():
        rows = sheet.to_python(skip_empty_area=True)
        width = len(rows[0]) if rows else 0
        if width > source.settings.max_columns:
            raise BrokenSourceError(f"the sheet has {width} columns", where=f"{source.name}#{name}")
        row_numbers, column_numbers = range(top + 1, top + len(rows) + 1), range(left, left + width)
        cells = read_cells(rows, source.settings.max_cell_chars)
        if cells.odd and parts is not None:
            facts.exact = parts.odd_dates(name)
        apply_facts(cells, rows, facts, row_numbers, column_numbers)
        del rows
    merges = facts.merges or [Box(*first, *last) for first, last in sheet.merged_cell_ranges or ()]
    shifted = (
        Box(box.top - top, box.left - left, box.bottom - top, box.right - left)
        for box in merges
        if box.top >= top and box.left >= left
    )
    return _sheet(source, name, cells, facts, _grid(cells, facts, row_numbers, column_numbers, shifted))


@contextlib.contextmanager
def _no_collection() -> Iterator[None]:
    """No search for garbage while many small objects are made that all stay: it would look at each of them again."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _grid(
    cells: Cells, facts: SheetFacts, row_numbers: Sequence[int], column_numbers: Sequence[int], merges: Iterable[Box]
) -> Grid:
    n_rows, width = cells.kinds.shape
    known = bool(facts.sum_rows or facts.tables or facts.indents)
    rows = {number - 1: index for index, number in enumerate(row_numbers)} if known else {}
    places = {number: index for index, number in enumerate(column_numbers)} if known else {}
    defined = []
    for table in facts.tables:
        box = table.box
        if all(row in rows for row in (box.top, box.bottom)) and all(c in places for c in (box.left, box.right)):
            inside = Box(rows[box.top], places[box.left], rows[box.bottom], places[box.right])
            defined.append((inside, table.header_rows))
    totals = {
        row for table in facts.tables for row in range(table.box.bottom + 1 - table.total_rows, table.box.bottom + 1)
    }
    return Grid(
        cells.columns,
        cells.kinds,
        clip_merges(merges, n_rows, width),
        row_numbers=row_numbers,
        column_numbers=column_numbers,
        sum_rows=frozenset(rows[row] for row in facts.sum_rows | totals if row in rows),
        defined=tuple(defined),
        indents={
            (rows[row], places[column]): indent
            for (row, column), indent in facts.indents.items()
            if row in rows and column in places
        },
    )


def _sheet(source: SourceFile, name: str, cells: Cells, facts: SheetFacts, grid: Grid) -> Sheet:
    """A sheet with what the account of its first table reports of it."""
    sheet = Sheet(name, grid)
    if cells.cut:
        sheet.repairs.append(f"{cells.cut} cells cut to {source.settings.max_cell_chars} characters")
    if facts.uncached:
        sheet.ambiguities.extend(listed(sorted(facts.uncached), "formula without a stored value, read as empty"))
    for error in sorted(set(facts.errors.values())):
        places = sorted(place for place, text in facts.errors.items() if text == error)
        sheet.ambiguities.extend(listed(places, f"the value is the error {error}"))
    days = sorted(place for place, text in facts.exact.items() if ":" not in text)
    sheet.ambiguities.extend(listed(days, "no day that its date format could show, read as its number"))
    if facts.hidden_rows:
        shown = ", ".join(str(row + 1) for row in facts.hidden_rows[:MAX_SHOWN])
        more = " …" if len(facts.hidden_rows) > MAX_SHOWN else ""
        sheet.ambiguities.append(f"hidden rows are read like others: {shown}{more}")
    if facts.hidden_columns:
        spans = ", ".join(
            f"{column_letters(a)}:{column_letters(min(b, _LAST_COLUMN))}" for a, b in facts.hidden_columns[:MAX_SHOWN]
        )
        sheet.ambiguities.append(f"hidden columns are read like others: {spans}")
    return sheet


def _sparse_sheet(source: SourceFile, name: str, facts: SheetFacts) -> Sheet:
    """A sheet of few cells far apart: long stretches of blank rows and columns are left out of the grid."""
    import openpyxl

    book = openpyxl.load_workbook(source.path, read_only=True, data_only=True)
    try:
        sheet = book[name]
        sheet.reset_dimensions()
        values = {
            (cell.row - 1, cell.column - 1): _plain(cell.value)
            for row in sheet.iter_rows()
            for cell in row
            if cell.value is not None and cell.value != ""
        }
    finally:
        book.close()
    at_row = {row: index for index, row in enumerate(_thinned({row for row, _ in values}))}
    at_column = {column: index for index, column in enumerate(_thinned({column for _, column in values}))}
    _check_area(source, name, len(at_row) * len(at_column))
    rows: list[list[Any]] = [[""] * len(at_column) for _ in at_row]
    for (row, column), value in values.items():
        rows[at_row[row]][at_column[column]] = value
    row_numbers, column_numbers = [row + 1 for row in at_row], list(at_column)
    cells = read_cells(rows, source.settings.max_cell_chars)
    apply_facts(cells, rows, facts, row_numbers, column_numbers)
    found = _sheet(source, name, cells, facts, _grid(cells, facts, row_numbers, column_numbers, ()))
    found.repairs.append(
        f"the sheet's few cells lie far apart: {len(values)} cells in {facts.rows} rows; merges not read"
    )
    return found


def _plain(value: Any) -> Any:
    return float(value) if isinstance(value, int) and not isinstance(value, bool) else value


def _thinned(used: set[int]) -> list[int]:
    """The used numbers and, where others lie between two of them, a few blank ones."""
    kept: list[int] = []
    for number in sorted(used):
        if kept:
            kept.extend(range(max(kept[-1] + 1, number - MAX_BLANK_LINES), number))
        kept.append(number)
    return kept
