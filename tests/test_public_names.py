"""The public names are pinned: adding or removing one is a decision, not an accident."""

from __future__ import annotations

import subprocess
import sys

import tablehound


def test_public_names_are_these() -> None:
    assert sorted(tablehound.__all__) == [
        "Answer",
        "Candidate",
        "CellMatch",
        "CellRef",
        "Column",
        "EvidenceTable",
        "IndexReport",
        "Lake",
        "Pattern",
        "Program",
        "ProgramResult",
        "Provenance",
        "Reading",
        "Settings",
        "Step",
        "Table",
        "TableInfo",
        "Trail",
        "View",
        "__version__",
        "ask",
        "errors",
        "find",
        "open_engine",
        "open_lake",
        "replay",
        "run_program",
    ]


def test_every_public_name_can_be_had() -> None:
    assert all(getattr(tablehound, name) is not None for name in tablehound.__all__)


def test_ask_can_be_called_whatever_was_imported_first() -> None:
    code = "import tablehound; from tablehound.api import open_lake; assert callable(tablehound.ask)"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_import_loads_nothing_heavy() -> None:
    heavy = "numpy pyarrow polars duckdb pandas lxml openai openpyxl rich click onnxruntime scipy"
    code = f"import sys, tablehound; print(*(set('{heavy}'.split()) & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


def test_help_loads_nothing_heavy() -> None:
    heavy = "numpy pyarrow polars duckdb pandas lxml openai openpyxl rich onnxruntime scipy"
    code = (
        "import sys\nfrom tablehound.interfaces.cli import main\n"
        "try:\n    main(['--help'])\nexcept SystemExit as stop:\n    assert stop.code == 0\n"
        f"print('LOADED', *(set('{heavy}'.split()) & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "LOADED"
