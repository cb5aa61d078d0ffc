"""Workbooks: XLSX, XLSM, XLSB, XLS and ODS. Every visible sheet, cut into its tables.

Values come from calamine; what it does not tell (formats, formulas without a stored value, hidden rows, the true
extent of a sheet) comes from a scan of the file's parts. A sheet whose few cells lie far apart is read cell by cell.
"""

from __future__ import annotations

import mmap
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from tablehound.errors import BrokenSourceError, SourceError, SourceMissingError, UnsupportedSourceError
from tablehound.lake.read.cell_kinds import NUMBER
from tablehound.lake.read.draft import SourceFile, TableDraft
from tablehound.lake.read.grid import Box, Grid, clip_merges, column_letters
from tablehound.lake.read.ods_parts import ods_sheets
from tablehound.lake.read.region_draft import draft_region, listed
from tablehound.lake.read.regions import find_regions
from tablehound.lake.read.workbook_cells import apply_formats, cell_text, column_texts
from tablehound.lake.read.xlsx_parts import SheetFacts, XlsxParts
from tablehound.lake.table import Provenance

_ZIP, _COMPOUND = b"PK\x03\x04", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_SPARSE_CELLS = 4_000_000
"""A sheet whose extent is larger and mostly empty is read cell by cell."""
_SMALL_ARCHIVE = 64 << 20
"""An archive that expands to less is no bomb, whatever its ratio."""


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
    kind = _kind(source)
    ordinal = 0
    for sheet in _sheets(source, kind):
        first = True
        for region in find_regions(sheet.grid):
            box = sheet.grid.source_box(region.box)
            provenance = Provenance(
                source.name, kind, source.member, sheet=sheet.name, region=box.label(), ordinal=ordinal
            )
            draft = draft_region(sheet.grid, region, provenance, batch_rows=source.settings.batch_rows)
            if draft is None:
                continue
            if first:
                draft.account.repairs.extend(sheet.remarks)
                draft.account.ambiguities.extend(sheet.ambiguities)
                first = False
            yield draft
            ordinal += 1


def _kind(source: SourceFile) -> str:
    try:
        with source.path.open("rb") as file:
            head = file.read(8)
    except FileNotFoundError as error:
        raise SourceMissingError("no such file", where=source.name) from error
    except OSError as error:
        raise BrokenSourceError(f"cannot be opened: {error}", where=source.name) from error
    if head.startswith(_ZIP[:2]):
        return _archive_kind(source)
    if head.startswith(_COMPOUND):
        _check_encrypted_package(source)
        return "xls"
    if head[:2] == b"\x09\x08":
        return "xls"
    raise UnsupportedSourceError("not a workbook: neither a ZIP archive nor a compound file", where=source.name)


def _check_encrypted_package(source: SourceFile) -> None:
    """An XLSX with a password is a compound file with a stream of this name."""
    name = "EncryptedPackage".encode("utf-16-le")
    with source.path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        if data.find(name) >= 0:
            raise UnsupportedSourceError("the workbook is protected by a password", where=source.name)


def _archive_kind(source: SourceFile) -> str:
    """Which workbook format a ZIP archive is, after checks against bombs."""
    limit = source.settings
    try:
        with zipfile.ZipFile(source.path) as archive:
            members = archive.infolist()
            if len(members) > limit.max_archive_members:
                raise BrokenSourceError("the archive has too many members", where=source.name)
            size = sum(member.file_size for member in members)
            packed = max(sum(member.compress_size for member in members), 1)
            if size > limit.max_source_bytes or (size > _SMALL_ARCHIVE and size / packed > limit.max_archive_ratio):
                raise BrokenSourceError(
                    f"the archive expands from {packed} to {size} bytes",
                    where=source.name,
                    remedy="raise read.max_archive_ratio if you trust the file",
                )
            names = {member.filename.lower().lstrip("/") for member in members}
            if any(member.flag_bits & 1 for member in members):
                raise UnsupportedSourceError("the workbook is protected by a password", where=source.name)
            if "content.xml" in names and "META-INF/manifest.xml" in archive.namelist():
                manifest = archive.read("META-INF/manifest.xml")[:1_000_000]
                if b"encryption-data" in manifest:
                    raise UnsupportedSourceError("the workbook is protected by a password", where=source.name)
    except (zipfile.BadZipFile, NotImplementedError, EOFError, OSError, RuntimeError) as error:
        raise BrokenSourceError(f"the archive is damaged: {error}", where=source.name) from error
    if "xl/workbook.bin" in names:
        return "xlsb"
    if "content.xml" in names:
        return "ods"
    if any(name.startswith("xl/") for name in names) or {"[content_types].xml", "workbook.xml"} <= names:
        return "xlsm" if source.path.suffix.lower() == ".xlsm" else "xlsx"
    raise UnsupportedSourceError("a ZIP archive, but not a workbook", where=source.name)


def _sheets(source: SourceFile, kind: str) -> Iterator[_Sheet]:
    from lxml.etree import XMLSyntaxError
    from python_calamine import CalamineError, PasswordError

    try:
        if kind in ("xlsx", "xlsm", "ods"):
            with zipfile.ZipFile(source.path) as archive:
                yield from _zipped_sheets(source, kind, archive)
        else:
            for meta, sheet in _calamine_sheets(source, kind):
                yield _sheet(source, meta, sheet, SheetFacts())
    except SourceError:
        raise
    except PasswordError as error:
        raise UnsupportedSourceError("the workbook is protected by a password", where=source.name) from error
    except (CalamineError, XMLSyntaxError, zipfile.BadZipFile, ValueError, KeyError, EOFError, OSError) as error:
        raise _failure(source, error) from error
    except BaseException as error:
        # A panic of the Rust reader is no Exception; it is told by its type's name.
        if type(error).__name__ != "PanicException":
            raise
        raise BrokenSourceError(f"the workbook cannot be read: {error}", where=source.name) from error


def _failure(source: SourceFile, error: Exception) -> SourceError:
    text = str(error)
    if "password" in text.lower() or "encrypt" in text.lower():
        return UnsupportedSourceError("the workbook is protected by a password", where=source.name)
    return BrokenSourceError(f"the workbook cannot be read: {text or type(error).__name__}", where=source.name)


def _calamine_sheets(source: SourceFile, kind: str) -> Iterator[tuple[Any, Any]]:
    """Metadata and a function that loads the sheet, for each worksheet to read."""
    from python_calamine import CalamineWorkbook, SheetTypeEnum, SheetVisibleEnum

    # By path the reader goes by the ending, which tells more when it fails; other endings are tried in turn.
    known = (
        source.path.suffix.lower() in (f".{kind}", ".xlsx", ".xlsm") if kind != "xls" else source.path.suffix == ".xls"
    )
    with source.path.open("rb") as file:
        book = CalamineWorkbook.from_path(source.path) if known else CalamineWorkbook.from_filelike(file)
        for meta in book.sheets_metadata:
            if meta.typ != SheetTypeEnum.WorkSheet and meta.typ != SheetTypeEnum.MacroSheet:
                continue
            if meta.visible != SheetVisibleEnum.Visible and not source.settings.hidden_sheets:
                continue
            yield meta, lambda name=meta.name: book.get_sheet_by_name(name)


def _zipped_sheets(source: SourceFile, kind: str, archive: zipfile.ZipFile) -> Iterator[_Sheet]:
    parts = XlsxParts(archive) if kind != "ods" else None
    content = ods_sheets(archive) if kind == "ods" else {}
    for meta, load in _calamine_sheets(source, kind):
        if parts is not None:
            facts = parts.facts(meta.name)
            facts.tables = parts.tables(meta.name)
            merges = None
        else:
            found = content.get(meta.name)
            facts = SheetFacts()
            merges = None
            if found is not None:
                facts = SheetFacts(found.bottom + 1, found.right + 1, 0, found.formats, hidden_rows=found.hidden_rows)
                merges = found.merges
        area = facts.rows * facts.columns
        if parts is not None and area > _SPARSE_CELLS and facts.cells * 10 < area:
            yield _sparse_sheet(source, meta.name, facts)
            continue
        _check_area(source, meta.name, area)
        yield _sheet(source, meta, load, facts, merges)


def _check_area(source: SourceFile, sheet: str, area: int) -> None:
    if area > source.settings.max_sheet_cells:
        raise BrokenSourceError(
            f"the sheet spans {area} cells",
            where=f"{source.name}#{sheet}",
            remedy="raise read.max_sheet_cells, or delete stray cells far from the data",
        )


def _sheet(source: SourceFile, meta: Any, load: Any, facts: SheetFacts, merges: list[Box] | None = None) -> _Sheet:
    import numpy as np

    sheet = load()
    _check_area(source, meta.name, sheet.total_height * sheet.total_width)
    top, left = sheet.start or (0, 0)
    rows = sheet.to_python(skip_empty_area=True)
    n_rows, width = len(rows), len(rows[0]) if rows else 0
    if width > source.settings.max_columns:
        raise BrokenSourceError(f"the sheet has {width} columns", where=f"{source.name}#{meta.name}")
    columns: list[list[str | None]] = []
    kinds = np.zeros((n_rows, width), dtype=np.uint8)
    for index, values in enumerate(zip(*rows, strict=True)):
        texts, codes = column_texts(values)
        columns.append(texts)
        kinds[:, index] = codes
    if merges is None:
        merges = [Box(*first, *last) for first, last in sheet.merged_cell_ranges or ()]
    shifted = (
        Box(box.top - top, box.left - left, box.bottom - top, box.right - left)
        for box in merges
        if box.top >= top and box.left >= left
    )
    grid = _grid(columns, kinds, facts, range(top + 1, top + n_rows + 1), range(left, left + width), shifted)
    return _remarked(_Sheet(meta.name, grid), facts)


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
