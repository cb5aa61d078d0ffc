"""Public files: everything is read or refused with a reason, and the labelled sheets are read as people see them."""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tablehound.errors import SourceError
from tests.read_documents.document_tables import READERS, read_all

REPOSITORY = Path(__file__).resolve().parents[2]
LABELS = Path(__file__).parent / "labels" / "sstqa.json"


@pytest.mark.parametrize("name", ["readxl", "frictionless", "messytables", "csvkit", "csv_spectrum"])
def test_messy_files_are_read_or_refused(shared_data: Path, tmp_path: Path, name: str) -> None:
    seen = 0
    with zipfile.ZipFile(shared_data / "messy" / f"{name}.zip") as archive:
        for member in archive.namelist():
            if Path(member).suffix.lower() not in READERS:
                continue
            path = Path(archive.extract(member, tmp_path))
            try:
                read_all(path)
            except SourceError as error:
                assert str(error)
            seen += 1
    assert seen


def test_locked_workbook_of_the_public_files(shared_data: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(shared_data / "messy" / "messytables.zip") as archive:
        member = next(name for name in archive.namelist() if name.endswith("encrypted_no_password.xls"))
        path = Path(archive.extract(member, tmp_path))
    with pytest.raises(SourceError, match="password"):
        read_all(path)


def test_labelled_sheets(shared_data: Path) -> None:
    """The benchmark of workbooks reaches the figures that the documentation states as minima."""
    assert len(json.loads(LABELS.read_text(encoding="utf-8"))) == 25
    script = REPOSITORY / "benchmarks" / "sstqa.py"
    run = subprocess.run(
        [sys.executable, str(script), "--data", str(shared_data), "--json"], capture_output=True, text=True, check=True
    )
    figures = json.loads(run.stdout)
    assert figures["workbooks_read"] == 102
    assert figures["answers_found"] >= 0.99
    assert figures["region_f1"] >= 0.95
    assert figures["header_paths"] >= 0.95
    assert figures["rollups_right"] == figures["rollups"]
