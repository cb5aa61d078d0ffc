"""What the benchmarks share: where the data is, and small tables of figures."""

from __future__ import annotations

import argparse
import os
import platform
from collections.abc import Sequence
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent


def data_folder() -> Path:
    """The folder of public data sets: TABLEHOUND_DATA, or beside the checkout."""
    return Path(os.environ.get("TABLEHOUND_DATA", REPOSITORY.parent / "shared" / "data"))


def parser(description: str) -> argparse.ArgumentParser:
    """A command line with the option that all benchmarks have."""
    made = argparse.ArgumentParser(description=description)
    made.add_argument("--data", type=Path, default=data_folder(), help="folder of public data sets")
    return made


def machine() -> str:
    """One line about where figures were measured."""
    return f"{os.cpu_count()} cores, Python {platform.python_version()}, {platform.system()} {platform.machine()}"


def table(header: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """A Markdown table."""
    lines = ["| " + " | ".join(header) + " |", "| " + " | ".join("---" for _ in header) + " |"]
    lines += ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows]
    return "\n".join(lines)
