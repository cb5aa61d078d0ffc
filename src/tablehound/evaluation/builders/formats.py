"""The ``formats`` and ``transpose`` builders: the same tables as Markdown, HTML, CSV or a mixture, or turned."""

from __future__ import annotations

import csv
import random
import shutil
from pathlib import Path
from typing import Literal

from tablehound.errors import UsageError
from tablehound.evaluation.builders.table import FileFormat, PlainTable, write_table

Form = Literal["csv", "markdown", "html", "mixed"]
_FORMS: tuple[FileFormat, ...] = ("csv", "html", "markdown")


def build_formats(source: Path, out: Path, form: Form, *, transpose: bool = False, seed: int = 0) -> int:
    """Write the CSV tables of a built set (``siblings``, ``wild``) in another format, with the same questions.

    Args:
        source: folder with ``tables/*.csv`` and ``questions.jsonl``.
        out: made if need be; its ``tables`` are replaced.
        form: ``mixed`` draws a format for every table by the seed.
        transpose: rows as columns.
        seed: of the mixture.

    Returns:
        How many tables were written.

    Raises:
        UsageError: the source is no built set.
    """
    tables = sorted((source / "tables").glob("*.csv"))
    if not tables or not (source / "questions.jsonl").exists():
        raise UsageError(f"{source} holds no tables/*.csv and questions.jsonl", remedy="build siblings or wild first")
    folder = out / "tables"
    if folder.exists():
        shutil.rmtree(folder)
    folder.mkdir(parents=True)
    random_ = random.Random(seed)
    for path in tables:
        table = _read(path)
        if transpose:
            table = table.transposed()
        write_table(table, folder, random_.choice(_FORMS) if form == "mixed" else form)
    shutil.copyfile(source / "questions.jsonl", out / "questions.jsonl")
    return len(tables)


def _read(path: Path) -> PlainTable:
    with path.open(encoding="utf-8", newline="") as lines:
        header, *rows = list(csv.reader(lines))
    return PlainTable(path.stem, tuple(header), tuple(tuple(row) for row in rows))
