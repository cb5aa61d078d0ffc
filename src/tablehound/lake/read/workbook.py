"""Workbooks: XLSX, XLSM, XLSB, XLS and ODS. Every visible sheet, cut into its tables.

Values come from calamine; what it does not tell (formats, formulas without a stored value, hidden rows, the true
extent of a sheet) comes from a scan of the file's parts. A sheet whose few cells lie far apart is read cell by cell.
"""

from __future__ import annotations

import contextlib
import gc
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from tablehound.errors import BrokenSourceError, SourceError, UnsupportedSourceError
from tablehound.lake.read.bands import header_depth
from tablehound.lake.read.cell_kinds import NUMBER, TEXT
from tablehound.lake.read.draft import SourceFile, TableDraft
from tablehound.lake.read.grid import Box, Grid, clip_merges, column_letters, parse_range
from tablehound.lake.read.ods_parts import ods_sheets
from tablehound.lake.read.region_draft import draft_region, listed
from tablehound.lake.read.regions import Region, find_regions
from tablehound.lake.read.workbook_cells import apply_formats, cell_text, column_texts, cut_long
from tablehound.lake.read.workbook_files import failure, open_archive, workbook_kind, worksheets
from tablehound.lake.read.xls_parts import xls_facts
from tablehound.lake.read.xlsx_parts import SheetFacts, XlsxParts
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
        for region in _regions(source, sheet):
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


def _regions(source: SourceFile, sheet: _Sheet) -> list[Region]:
    """The tables of a sheet: as found, or as an override pins them."""
    pins, grid = source.overrides, sheet.grid
    if pins.region is None and not pins.skip_rows:
        found = find_regions(grid)
        if pins.header_rows is None:
            return found
        return [replace(region, depth=min(pins.header_rows, region.box.height)) for region in found]
    box = Box(0, 0, grid.n_rows - 1, grid.n_columns - 1)
    if pins.region is not None:
        box = _inside(grid, parse_range(pins.region, source.name))
    if pins.skip_rows:
        first = next((i for i in range(grid.n_rows) if grid.row_number(i) > pins.skip_rows), grid.n_rows)
        box = replace(box, top=max(box.top, first))
    if box.top > box.bottom or box.left > box.right:
        return []
    depth = header_depth(grid, box) if pins.header_rows is None else min(pins.header_rows, box.height)
    return [Region(box, depth)]


def _inside(grid: Grid, wanted: Box) -> Box:
    """The part of a range of the source that the grid holds."""
    rows = [i for i in range(grid.n_rows) if wanted.top < grid.row_number(i) <= wanted.bottom + 1]
    numbers = grid.column_numbers or range(grid.n_columns)
    columns = [i for i in range(grid.n_columns) if wanted.left <= numbers[i] <= wanted.right]
    return Box(rows[0], columns[0], rows[-1], columns[-1]) if rows and columns else Box(1, 1, 0, 0)


def _sheets(source: SourceFile, kind: str) -> Iterator[_Sheet]:
    from lxml.etree import XMLSyntaxError
    from python_calamine import CalamineError, PasswordError

    try:
        if kind in ("xlsx", "xlsm", "ods", "fods"):
            with open_archive(source, kind) as archive:
                yield from _zipped_sheets(source, kind, archive)
        else:
            known = xls_facts(source) if kind == "xls" else []
            for index, name, load in worksheets(source, kind):
                facts = known[index] if index < len(known) else SheetFacts()
                _check_area(source, name, facts.rows * facts.columns)
                yield _sheet(source, name, load, facts)
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
                facts = SheetFacts(found.bottom + 1, found.right + 1, 0, found.formats, hidden_rows=found.hidden_rows)
                merges = found.merges
        area = facts.rows * facts.columns
        if parts is not None and area > _SPARSE_CELLS and facts.cells * 10 < area:
            yield _sparse_sheet(source, name, facts)
            continue
        _check_area(source, name, area)
        yield _sheet(source, name, load, facts, merges)


def _check_area(source: SourceFile, sheet: str, area: int) -> None:
    if area > source.settings.max_sheet_cells:
        raise BrokenSourceError(
            f"the sheet spans {area} cells",
            where=f"{source.name}#{sheet}",
            remedy="raise read.max_sheet_cells, or delete stray cells far from the data",
        )


def _sheet(source: SourceFile, name: str, load: Any, facts: SheetFacts, merges: list[Box] | None = None) -> _Sheet:
    import numpy as np

    sheet = load()
    _check_area(source, name, sheet.total_height * sheet.total_width)
    top, left = sheet.start or (0, 0)
    columns: list[list[str | None]] = []
    cut = 0
    with _no_collection():
        rows = sheet.to_python(skip_empty_area=True)
        n_rows, width = len(rows), len(rows[0]) if rows else 0
        if width > source.settings.max_columns:
            raise BrokenSourceError(f"the sheet has {width} columns", where=f"{source.name}#{name}")
        kinds = np.zeros((n_rows, width), dtype=np.uint8)
        for index, values in enumerate(zip(*rows, strict=True)):
            texts, codes = column_texts(values)
            if TEXT in codes:
                cut += cut_long(texts, source.settings.max_cell_chars)
            columns.append(texts)
            kinds[:, index] = codes
        del rows
    if merges is None:
        merges = [Box(*first, *last) for first, last in sheet.merged_cell_ranges or ()]
    shifted = (
        Box(box.top - top, box.left - left, box.bottom - top, box.right - left)
        for box in merges
        if box.top >= top and box.left >= left
    )
    grid = _grid(columns, kinds, facts, range(top + 1, top + n_rows + 1), range(left, left + width), shifted)
    made = _remarked(_Sheet(name, grid), facts)
    if cut:
        made.remarks.append(f"{cut} cells cut to {source.settings.max_cell_chars} characters")
    return made


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
    columns: list[list[str | None]],
    kinds: Any,
    facts: SheetFacts,
    row_numbers: Sequence[int],
    column_numbers: Sequence[int],
    merges: Any,
) -> Grid:
    n_rows, width = kinds.shape
    if n_rows and width:
        if isinstance(row_numbers, range) and isinstance(column_numbers, range):
            apply_formats(columns, facts.formats, row_numbers[0] - 1, column_numbers[0])
        at_row = {number - 1: index for index, number in enumerate(row_numbers)} if facts.uncached else {}
        at_column = {number: index for index, number in enumerate(column_numbers)} if facts.uncached else {}
        for row, column in facts.uncached:
            if row in at_row and column in at_column:
                kinds[at_row[row], at_column[column]] = NUMBER
    rows = {number - 1: index for index, number in enumerate(row_numbers)} if facts.sum_rows or facts.tables else {}
    places = {number: index for index, number in enumerate(column_numbers)} if facts.tables else {}
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
        columns,
        kinds,
        clip_merges(merges, n_rows, width),
        row_numbers=row_numbers,
        column_numbers=column_numbers,
        sum_rows=frozenset(rows[row] for row in facts.sum_rows | totals if row in rows),
        defined=tuple(defined),
    )


def _remarked(sheet: _Sheet, facts: SheetFacts) -> _Sheet:
    """What the reader of a table should know about the sheet."""
    if facts.uncached:
        sheet.ambiguities.extend(listed(sorted(facts.uncached), "formula without a stored value, read as empty"))
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
    import numpy as np
    import openpyxl

    book = openpyxl.load_workbook(source.path, read_only=True, data_only=True)
    try:
        sheet = book[name]
        sheet.reset_dimensions()
        cells = {
            (cell.row - 1, cell.column - 1): text
            for row in sheet.iter_rows()
            for cell in row
            if cell.value is not None and (text := cell_text(_plain(cell.value))) is not None
        }
    finally:
        book.close()
    row_numbers = _thinned({row for row, _ in cells})
    column_numbers = _thinned({column for _, column in cells})
    _check_area(source, name, len(row_numbers) * len(column_numbers))
    at_row = {row: index for index, row in enumerate(row_numbers)}
    at_column = {column: index for index, column in enumerate(column_numbers)}
    columns: list[list[str | None]] = [[None] * len(row_numbers) for _ in column_numbers]
    for (row, column), text in cells.items():
        columns[at_column[column]][at_row[row]] = text
    kinds = np.zeros((len(row_numbers), len(column_numbers)), dtype=np.uint8)
    for index, texts in enumerate(columns):
        columns[index], kinds[:, index] = column_texts([text or "" for text in texts])
    for place, known in facts.formats.items():
        if place in cells:
            column = columns[at_column[place[1]]]
            column[at_row[place[0]]] = known.render(cells[place]) if _numeric(cells[place]) else cells[place]
    grid = _grid(columns, kinds, replace(facts, formats={}), [row + 1 for row in row_numbers], column_numbers, ())
    found = _remarked(_Sheet(name, grid), facts)
    found.remarks.append(
        f"the sheet's few cells lie far apart: {len(cells)} cells in {facts.rows} rows; merges not read"
    )
    return found


def _plain(value: Any) -> Any:
    return float(value) if isinstance(value, int) and not isinstance(value, bool) else value


def _numeric(text: str) -> bool:
    return text.replace(".", "", 1).lstrip("-").isdigit()


def _thinned(used: set[int]) -> list[int]:
    """The used numbers and, where others lie between two of them, up to three blank ones."""
    kept: list[int] = []
    for number in sorted(used):
        if kept:
            kept.extend(range(max(kept[-1] + 1, number - 3), number))
        kept.append(number)
    return kept
