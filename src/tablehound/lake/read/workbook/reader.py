"""Workbooks: XLSX, XLSM, XLSB, XLS and ODS. Every visible sheet, cut into its tables.

Values come from calamine; what it does not tell (formats, formulas without a stored value, hidden rows, the true
extent of a sheet) comes from a scan of the file's parts. A sheet whose few cells lie far apart is read cell by cell.
"""

from __future__ import annotations

import contextlib
import gc
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from tablehound.errors import BrokenSourceError, SourceError, UnsupportedSourceError
from tablehound.lake.read.contract import SourceFile, TableDraft
from tablehound.lake.read.layout.assemble import draft_region, listed
from tablehound.lake.read.layout.grid import Box, Grid, clip_merges, column_letters
from tablehound.lake.read.layout.pinned import pinned_regions
from tablehound.lake.read.workbook.cells import Cells, apply_facts, read_cells
from tablehound.lake.read.workbook.files import failure, open_archive, workbook_kind, worksheets
from tablehound.lake.read.workbook.ods import ods_sheets
from tablehound.lake.read.workbook.xls import xls_facts
from tablehound.lake.read.workbook.xlsb import XlsbParts
from tablehound.lake.read.workbook.xlsx import SheetFacts, XlsxParts
from tablehound.lake.table import Provenance

_READER_ERRORS = (ValueError, KeyError, IndexError, TypeError, AttributeError, EOFError, OSError, NotImplementedError)
"""What the libraries below raise on damaged files, besides errors of their own."""
_SPARSE_CELLS = 4_000_000
"""A sheet whose extent is larger and mostly empty is read cell by cell."""


@dataclass(slots=True)
class _Sheet:
    name: str
    grid: Grid
    remarks: list[str] = field(default_factory=list)
    ambiguities: list[str] = field(default_factory=list)


def read(source: SourceFile) -> Iterator[TableDraft]:
    """Read the tables of every visible sheet, of hidden ones too if the settings say so.

    Raises:
        SourceMissingError: no such file.
        UnsupportedSourceError: protected by a password, or not a workbook.
        BrokenSourceError: damaged, a bomb, or beyond a limit.
    """
    kind = workbook_kind(source)
    ordinal = 0
    for sheet in _sheets(source, kind):
        first = True
        regions = pinned_regions(sheet.grid, source.overrides, source.name)
        if not regions and sheet.grid.n_rows and (source.overrides.region or source.overrides.skip_rows):
            source.left_out.append(f"sheet {sheet.name!r}, of which nothing is left by what is pinned")
        for region in regions:
            box = sheet.grid.source_box(region.box)
            known = "ods" if kind == "fods" else kind
            place = Provenance(source.name, known, source.member, sheet=sheet.name, region=box.label(), ordinal=ordinal)
            draft = draft_region(sheet.grid, region, place, batch_rows=source.settings.batch_rows)
            if draft is None:
                continue
            if first:
                draft.account.repairs.extend(sheet.remarks)
                draft.account.ambiguities.extend(sheet.ambiguities)
                first = False
            yield draft
            ordinal += 1


def _sheets(source: SourceFile, kind: str) -> Iterator[_Sheet]:
    from lxml.etree import XMLSyntaxError
    from python_calamine import CalamineError, PasswordError

    try:
        if kind in ("xlsx", "xlsm", "ods", "fods"):
            with open_archive(source, kind) as archive:
                yield from _zipped_sheets(source, kind, archive)
        else:
            yield from _binary_sheets(source, kind)
    except SourceError:
        raise
    except PasswordError as error:
        raise UnsupportedSourceError("the workbook is protected by a password", where=source.name) from error
    except (CalamineError, XMLSyntaxError, zipfile.BadZipFile, zlib.error, *_READER_ERRORS) as error:
        raise failure(source, error) from error
    except BaseException as error:
        # A panic of the Rust reader is no Exception; it is told by its type's name.
        if type(error).__name__ != "PanicException":
            raise
        raise BrokenSourceError(f"the workbook cannot be read: {error}", where=source.name) from error


def _binary_sheets(source: SourceFile, kind: str) -> Iterator[_Sheet]:
    known = xls_facts(source) if kind == "xls" else []
    with zipfile.ZipFile(source.path) if kind == "xlsb" else contextlib.nullcontext() as archive:
        parts = XlsbParts(archive) if archive is not None else None
        for index, name, load in worksheets(source, kind):
            facts = known[index] if index < len(known) else SheetFacts()
            if parts is not None:
                facts = parts.facts(name)
            _check_area(source, name, facts.rows * facts.columns)
            yield _sheet(source, name, load, facts)


def _zipped_sheets(source: SourceFile, kind: str, archive: zipfile.ZipFile) -> Iterator[_Sheet]:
    parts = XlsxParts(archive) if kind in ("xlsx", "xlsm") else None
    content = {} if parts is not None else ods_sheets(archive)
    flat: Any = archive.fp if kind == "fods" else None
    for _, name, load in worksheets(source, kind, flat):
        if parts is not None:
            facts = parts.facts(name)
            facts.tables = parts.tables(name)
            merges = None
        else:
            found = content.get(name)
            facts = SheetFacts()
            merges = None
            if found is not None:
                facts = SheetFacts(found.bottom + 1, found.right + 1, 0, found.formats, found.uncached, found.errors)
                facts.exact = found.exact
                facts.hidden_rows, merges = found.hidden_rows, found.merges
        area = facts.rows * facts.columns
        if parts is not None and area > _SPARSE_CELLS and facts.cells * 10 < area:
            facts.exact = parts.odd_dates(name)
            yield _sparse_sheet(source, name, facts)
            continue
        _check_area(source, name, area)
        yield _sheet(source, name, load, facts, merges, parts)


def _check_area(source: SourceFile, sheet: str, area: int) -> None:
    if area > source.settings.max_sheet_cells:
        raise BrokenSourceError(
            f"the sheet spans {area} cells",
            where=f"{source.name}#{sheet}",
            remedy="raise read.max_sheet_cells, or delete stray cells far from the data",
        )


def _sheet(
    source: SourceFile,
    name: str,
    load: Any,
    facts: SheetFacts,
    merges: list[Box] | None = None,
    parts: XlsxParts | None = None,
) -> _Sheet:
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
    if merges is None:
        merges = [Box(*first, *last) for first, last in sheet.merged_cell_ranges or ()]
    shifted = (
        Box(box.top - top, box.left - left, box.bottom - top, box.right - left)
        for box in merges
        if box.top >= top and box.left >= left
    )
    grid = _grid(cells, facts, row_numbers, column_numbers, shifted)
    return _remarked(_Sheet(name, grid, _cut_remark(source, cells)), facts)


def _cut_remark(source: SourceFile, cells: Cells) -> list[str]:
    return [f"{cells.cut} cells cut to {source.settings.max_cell_chars} characters"] if cells.cut else []


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


def _remarked(sheet: _Sheet, facts: SheetFacts) -> _Sheet:
    """What the reader of a table should know about the sheet."""
    if facts.uncached:
        sheet.ambiguities.extend(listed(sorted(facts.uncached), "formula without a stored value, read as empty"))
    for error in sorted(set(facts.errors.values())):
        cells = sorted(place for place, text in facts.errors.items() if text == error)
        sheet.ambiguities.extend(listed(cells, f"the value is the error {error}"))
    days = sorted(place for place, text in facts.exact.items() if ":" not in text)
    sheet.ambiguities.extend(listed(days, "no day that its date format could show, read as its number"))
    if facts.hidden_rows:
        shown = ", ".join(str(row + 1) for row in facts.hidden_rows[:10])
        more = " …" if len(facts.hidden_rows) > 10 else ""
        sheet.ambiguities.append(f"hidden rows are read like others: {shown}{more}")
    if facts.hidden_columns:
        spans = ", ".join(f"{column_letters(a)}:{column_letters(min(b, 16_383))}" for a, b in facts.hidden_columns[:10])
        sheet.ambiguities.append(f"hidden columns are read like others: {spans}")
    return sheet


def _sparse_sheet(source: SourceFile, name: str, facts: SheetFacts) -> _Sheet:
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
    grid = _grid(cells, facts, row_numbers, column_numbers, ())
    found = _remarked(_Sheet(name, grid, _cut_remark(source, cells)), facts)
    found.remarks.append(
        f"the sheet's few cells lie far apart: {len(values)} cells in {facts.rows} rows; merges not read"
    )
    return found


def _plain(value: Any) -> Any:
    return float(value) if isinstance(value, int) and not isinstance(value, bool) else value


def _thinned(used: set[int]) -> list[int]:
    """The used numbers and, where others lie between two of them, up to three blank ones."""
    kept: list[int] = []
    for number in sorted(used):
        if kept:
            kept.extend(range(max(kept[-1] + 1, number - 3), number))
        kept.append(number)
    return kept
