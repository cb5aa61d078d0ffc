"""Public files: csv-spectrum, messy collections, and a sample of Pollock's polluted files."""

from __future__ import annotations

import csv
import json
import zipfile
from pathlib import Path

import pytest

from tablehound.errors import SourceError
from tablehound.lake.read.contract import SourceFile, TableDraft
from tablehound.lake.read.delimited.reader import read

Rows = list[list[str | None]]
# The shared copy of these two differs from what their own expectation was made from: line ends, and a phone number.
SPECTRUM_OTHER_DATA = {"newlines_crlf.csv": ("\r\n", "\n"), "location_coordinates.csv": ("1234567890", "2095257564")}
DELIMITED = {".csv", ".tsv", ".txt", ".psv", ".ssv", ".unknown", ".bad"}


def tables(path: Path) -> list[tuple[TableDraft, Rows]]:
    found = []
    for draft in read(SourceFile(path, path.name)):
        rows: Rows = []
        for batch in draft.record_batches():
            columns = [batch.column(i).to_pylist() for i in range(batch.num_columns - 1)]
            rows += [list(row) for row in zip(*columns, strict=True)]
        assert draft.account.seen == draft.account.kept + len(draft.account.set_aside)
        found.append((draft, rows))
    return found


def test_csv_spectrum(shared_data: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(shared_data / "messy" / "csv_spectrum.zip") as archive:
        archive.extractall(tmp_path)
    paths = sorted(tmp_path.rglob("*.csv"))
    assert len(paths) == 12
    for path in paths:
        text = path.with_suffix(".json").read_text(encoding="utf-8")
        loaded = json.loads(text)
        expected: list[dict[str, str]] = loaded if isinstance(loaded, list) else [loaded]
        if path.name in SPECTRUM_OTHER_DATA:
            theirs, ours = SPECTRUM_OTHER_DATA[path.name]
            expected = [{key: value.replace(theirs, ours) for key, value in record.items()} for record in expected]
        ((draft, rows),) = tables(path)
        names = [levels[0] for levels in draft.header]
        assert [dict(zip(names, row, strict=True)) for row in rows] == expected, path.name


@pytest.mark.slow
@pytest.mark.parametrize("archive", ["csvkit", "frictionless", "messytables", "readxl"])
def test_messy_files_are_read_or_refused(shared_data: Path, tmp_path: Path, archive: str) -> None:
    with zipfile.ZipFile(shared_data / "messy" / f"{archive}.zip") as file:
        file.extractall(tmp_path)
    for path in sorted(tmp_path.rglob("*")):
        if not path.is_file() or path.suffix.lower() not in DELIMITED:
            continue
        try:
            tables(path)
        except SourceError as error:
            assert str(error)


def test_polluted_files(shared_data: Path, tmp_path: Path) -> None:
    """A sample; the whole is a benchmark."""
    with zipfile.ZipFile(shared_data / "pollock" / "polluted_files.zip") as archive:
        names = sorted(name for name in archive.namelist() if "/csv/" in f"/{name}" and name.endswith(".csv"))
        taken = [name for name in names if "file_" in name] + names[::120]
        right = 0
        for name in taken:
            clean = list(
                csv.reader(archive.read(name.replace("csv/", "clean/", 1)).decode("utf-8-sig").splitlines(True))
            )
            path = tmp_path / "a.csv"
            path.write_bytes(archive.read(name))
            draft, rows = tables(path)[0]
            header = [" ".join(levels) for levels in draft.header]
            got = [[text or "" for text in row] for row in rows]
            right += ([header, *got] if any(header) else got) == clean
    assert right >= 0.9 * len(taken)
