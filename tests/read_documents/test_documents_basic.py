"""Each document format gives a table with its header and rows."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import pytest

from tablehound.lake.read.contract import SourceFile
from tablehound.lake.read.html import reader as html
from tablehound.lake.read.json import reader as json
from tablehound.lake.read.markdown import reader as markdown

TEXTS = {
    "html": (html, "<table><tr><th>a<th>b<tr><td>1<td>2</table>"),
    "md": (markdown, "| a | b |\n|---|---|\n| 1 | 2 |\n"),
    "json": (json, '[{"a": 1, "b": 2}]'),
    "jsonl": (json, '{"a": 1, "b": 2}\n'),
}


@pytest.mark.parametrize("suffix", sorted(TEXTS))
def test_one_table_with_header_and_row(tmp_path: Path, suffix: str) -> None:
    reader: ModuleType = TEXTS[suffix][0]
    path = tmp_path / f"t.{suffix}"
    path.write_text(TEXTS[suffix][1], encoding="utf-8")
    drafts = list(reader.read(SourceFile(path, path.name)))
    assert [draft.header for draft in drafts] == [(("a",), ("b",))]
    (batch,) = drafts[0].record_batches()
    assert batch.to_pydict() == {"c0": ["1"], "c1": ["2"], "row": batch.to_pydict()["row"]}
