"""Workbooks: XLSX, XLSM, XLSB, XLS and ODS. Every visible sheet, cut into its tables.

file -> sheets -> cells -> regions -> header -> assemble -> totals
"""

from __future__ import annotations

from collections.abc import Iterator

from tablehound.lake.read.contract import SourceFile, TableDraft
from tablehound.lake.read.layout.assemble import draft_region
from tablehound.lake.read.layout.pinned import pinned_regions
from tablehound.lake.read.workbook.files import file_kind
from tablehound.lake.read.workbook.sheets import Sheet, sheets
from tablehound.lake.table import Provenance


def read(source: SourceFile) -> Iterator[TableDraft]:
    """Read the tables of every visible sheet, by a setting of hidden ones too.

    Raises:
        SourceMissingError: no such file.
        UnsupportedSourceError: protected by a password, or not a workbook.
        BrokenSourceError: damaged, a bomb, or beyond a limit.
    """
    kind = file_kind(source)
    ordinal = 0
    for sheet in sheets(source, kind):
        for draft in _tables(source, "ods" if kind == "fods" else kind, sheet, ordinal):
            yield draft
            ordinal += 1


def _tables(source: SourceFile, kind: str, sheet: Sheet, ordinal: int) -> Iterator[TableDraft]:
    """The tables of a sheet; the first one's account also reports on the sheet."""
    grid, repairs, ambiguities = sheet.grid, sheet.repairs, sheet.ambiguities
    regions = pinned_regions(grid, source.overrides, source.name)
    if not regions and grid.n_rows and (source.overrides.region or source.overrides.skip_rows):
        source.left_out.append(f"sheet {sheet.name!r}, of which nothing is left by what is pinned")
    for region in regions:
        box = grid.source_box(region.box).label()
        place = Provenance(source.name, kind, source.member, sheet=sheet.name, region=box, ordinal=ordinal)
        draft = draft_region(grid, region, place, batch_rows=source.settings.batch_rows)
        if draft is None:
            continue
        draft.account.repairs.extend(repairs)
        draft.account.ambiguities.extend(ambiguities)
        repairs, ambiguities = [], []
        yield draft
        ordinal += 1
