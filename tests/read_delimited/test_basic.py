"""A plain file comes back as it was."""

from __future__ import annotations

from pathlib import Path

from tablehound.lake.read.contract import SourceFile
from tablehound.lake.read.delimited.reader import read


def test_plain_file(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("id,name\n007,NA\n8,\n", encoding="utf-8")
    (draft,) = read(SourceFile(path, "a.csv"))
    assert draft.header == (("id",), ("name",))
    (batch,) = draft.record_batches()
    assert batch.column(0).to_pylist() == ["007", "8"]
    assert batch.column(1).to_pylist() == ["NA", ""]
    assert draft.account.seen == draft.account.kept + len(draft.account.set_aside)
