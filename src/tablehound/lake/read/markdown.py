"""Pipe tables of Markdown files."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tablehound.lake.read.draft import SourceFile, TableDraft
from tablehound.lake.read.region_draft import draft_of_rows
from tablehound.lake.table import Provenance

_DELIMITER_ROW = re.compile(r"^\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$")


def read(source: SourceFile) -> Iterator[TableDraft]:
    """Read every pipe table of a file."""
    lines = source.path.read_text(encoding="utf-8-sig", errors="replace").splitlines()
    ordinal, at = 0, 0
    while at + 1 < len(lines):
        if "|" in lines[at] and "|" in lines[at + 1] and _DELIMITER_ROW.match(lines[at + 1]):
            end = at + 2
            while end < len(lines) and "|" in lines[end]:
                end += 1
            rows = [_cells(lines[at]), *(_cells(line) for line in lines[at + 2 : end])]
            found = draft_of_rows(rows, Provenance(source.name, "markdown", source.member, ordinal=ordinal))
            if found is not None:
                yield found
                ordinal += 1
            at = end
        else:
            at += 1


def _cells(line: str) -> list[str]:
    inner = line.strip().removeprefix("|").removesuffix("|")
    return [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", inner)]
