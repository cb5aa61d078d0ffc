"""How a backbone may see a table. The blind rule is enforced here, where the table is shown, and nowhere later.

With ``backbone.blind`` the names of files and sheets, titles and notes do not reach the backbone: the
:class:`TableInfo` inside :class:`ShownTable` has none of them, and the preview is rendered from such a table.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import TYPE_CHECKING

from tablehound.backbone.protocol import ShownTable
from tablehound.lake.table import Provenance, Table, TableInfo
from tablehound.program import View
from tablehound.retrieval.patterns.types import Pattern
from tablehound.settings import SeekSettings, Settings

if TYPE_CHECKING:
    from tablehound.lake import Lake


def blind_info(info: TableInfo) -> TableInfo:
    """The info without anything that is not content: no file, member, sheet, region, title or notes."""
    return dataclasses.replace(
        info, provenance=Provenance(source="", format=info.provenance.format), title=None, notes=()
    )


def show_view(
    lake: Lake,
    view: View,
    alias: str,
    settings: Settings,
    *,
    matched: Sequence[Pattern] = (),
    rows: Sequence[int] = (),
    answering: bool = False,
) -> ShownTable:
    """A table or union cluster under an alias, with the rows (0-based) that patterns matched. The preview is of the
    cluster's first table.

    ``answering`` says that it is shown to the answer step: the ablation ``match_only`` spares it, ``match_only_qa``
    does not.
    """
    from tablehound.lake import preview, shows_whole

    table = lake.table(view.table_ids[0])
    if settings.backbone.blind:
        table = Table(blind_info(table.info), table.cells)
    seek = preview_settings(settings.seek, answering=answering)
    text = preview(table, seek, tuple(rows))
    return ShownTable(
        alias=alias,
        info=table.info,
        view=view,
        preview=text,
        whole=len(view.table_ids) == 1 and shows_whole(table, seek),
        matched=tuple(matched),
        matched_rows=tuple(rows),
    )


def preview_settings(seek: SeekSettings, *, answering: bool) -> SeekSettings:
    """The settings that a preview is rendered with: ``match_only`` says whether it holds matched rows only."""
    match_only = seek.match_only_qa if answering else seek.match_only or seek.match_only_qa
    return dataclasses.replace(seek, match_only=match_only)
