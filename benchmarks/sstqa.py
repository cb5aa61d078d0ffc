"""How well workbooks are read: the SSTQA workbooks, and sheets labelled by eye.

Prints, over all workbooks of ``sstqa/tables.zip``: how many are read; of the answers that are literally a cell's text
(as openpyxl reads the cells), the share that is a raw cell of some table, as a header name, title or note or in a row
(``answers_found``), and in a row alone (``answers_in_rows``; an answer may be a column's name). Over the sheets with
labels (``tests/read_documents/labels/sstqa.json``): F1 of regions (the range must be equal once blank edges are cut
off), the share of columns whose header path is right, and precision and recall of roll-up rows. A labelled region
without a table of its range is judged by the table that overlaps it most. Optional regions and roll-ups count neither
way. With ``--speed``, the rate on a large sheet beside calamine's alone.

    python benchmarks/sstqa.py [--data DIR] [--misses] [--json] [--speed]
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import time
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import openpyxl

from tablehound.lake.read.contract import SourceFile, TableDraft
from tablehound.lake.read.layout.grid import Box, column_index
from tablehound.lake.read.workbook.reader import read

REPOSITORY = Path(__file__).resolve().parent.parent
LABELS = REPOSITORY / "tests" / "read_documents" / "labels" / "sstqa.json"


@dataclass(frozen=True)
class Found:
    """A table as read, in the coordinates of its sheet (0-based)."""

    box: Box
    columns: tuple[int, ...]
    paths: tuple[tuple[str, ...], ...]
    rollups: frozenset[int]
    """1-based source rows."""
    body: frozenset[str]
    around: frozenset[str]
    """Header names, title and notes."""


def box_of(label: str) -> Box:
    """``A5:F40`` as a box."""
    first, _, last = label.partition(":")
    corners = []
    for corner in (first, last or first):
        letters = corner.rstrip("0123456789")
        corners.append((int(corner[len(letters) :]) - 1, column_index(letters)))
    return Box(*corners[0], *corners[1])


def columns_of(text: str) -> Iterator[int]:
    """``A:C,E`` as column numbers."""
    for span in text.split(","):
        first, _, last = span.partition(":")
        yield from range(column_index(first), column_index(last or first) + 1)


def found_in(draft: TableDraft) -> Found:
    """What a draft says, with its batches read."""
    rows: list[int] = []
    body: set[str] = set()
    for batch in draft.record_batches():
        rows.extend(batch.column("row").to_pylist())
        for index in range(batch.num_columns - 1):
            body.update(text.strip() for text in batch.column(index).to_pylist() if text)
    around = {name for path in draft.header for name in path} | {draft.title or "", *draft.notes}
    return Found(
        box_of(draft.provenance.region or "A1"),
        tuple(columns_of(draft.account.dialect["columns"])),
        draft.header,
        frozenset(rows[index] for index in draft.rollup_rows),
        frozenset(body),
        frozenset(" ".join(text.split()) for text in around),
    )


def cells_of(path: Path) -> dict[tuple[int, int], str]:
    """Texts of the first sheet by position, as openpyxl reads them."""
    book = openpyxl.load_workbook(path, data_only=True)
    sheet = book.worksheets[0]
    return {
        (cell.row - 1, cell.column - 1): str(cell.value)
        for row in sheet.iter_rows()
        for cell in row
        if cell.value is not None and str(cell.value).strip()
    }


def trimmed(box: Box, cells: dict[tuple[int, int], str]) -> Box:
    """The box without blank rows and columns at its edges."""
    inside = [
        (row, column) for row, column in cells if box.top <= row <= box.bottom and box.left <= column <= box.right
    ]
    if not inside:
        return box
    rows, columns = [row for row, _ in inside], [column for _, column in inside]
    return Box(min(rows), min(columns), max(rows), max(columns))


def overlap(a: Box, b: Box) -> int:
    height = min(a.bottom, b.bottom) - max(a.top, b.top) + 1
    width = min(a.right, b.right) - max(a.left, b.left) + 1
    return max(height, 0) * max(width, 0)


@dataclass
class Tally:
    labelled: int = 0
    found: int = 0
    matched: int = 0
    columns: int = 0
    columns_right: int = 0
    rollups: int = 0
    rollups_found: int = 0
    rollups_right: int = 0

    def f1(self) -> float:
        return 2 * self.matched / max(self.labelled + self.found, 1)


def judge(
    name: str, label: dict[str, Any], tables: list[Found], cells: dict[tuple[int, int], str]
) -> tuple[Tally, list[str]]:
    """Compare one sheet with its label; the second result lists what differs."""
    tally, misses = Tally(), []
    wanted = [trimmed(box_of(region["range"]), cells) for region in label["regions"]]
    optional = [trimmed(box_of(text), cells) for text in label["optional_regions"]]
    got = [trimmed(table.box, cells) for table in tables]
    tally.labelled = len(wanted)
    tally.found = sum(box in wanted or box not in optional for box in got)
    tally.matched = sum(box in got for box in wanted)
    misses += [f"{name}: region {box.label()} not found" for box in wanted if box not in got]
    misses += [f"{name}: region {box.label()} is none" for box in got if box not in wanted and box not in optional]
    required: set[int] = set()
    optional_rows: set[int] = set()
    for region, box in zip(label["regions"], wanted, strict=True):
        required.update(region["rollup_rows"])
        optional_rows.update(region["optional_rollup_rows"])
        best = max(tables, key=lambda table: overlap(table.box, box), default=None)
        first = box_of(region["range"]).left
        for offset, path in enumerate(region["header_paths"]):
            column = first + offset
            if path is None or not any(c == column and box.top <= r <= box.bottom for r, c in cells):
                continue
            names = tuple(" ".join(cells.get((box_of(ref).top, box_of(ref).left), "").split()) for ref in path)
            names = tuple(text for text in names if text)
            read_as = dict(zip(best.columns, best.paths, strict=True)) if best else {}
            tally.columns += 1
            if read_as.get(column) == names:
                tally.columns_right += 1
            else:
                misses.append(f"{name}: column {column} of {region['range']}: {read_as.get(column)} is not {names}")
    rollups = {row for table in tables for row in table.rollups}
    tally.rollups, tally.rollups_right = len(required), len(required & rollups)
    tally.rollups_found = len(rollups - optional_rows)
    misses += [
        f"{name}: roll-up rows {sorted(rollups)} are not {sorted(required)}"
        for _ in [0]
        if required - rollups or rollups - required - optional_rows
    ]
    return tally, misses


def speed(rows: int = 50_000, rounds: int = 5) -> dict[str, float]:
    """CPU seconds to read an XLSX of eight columns: calamine's values alone, and our tables; the best of the rounds."""
    import datetime
    import random

    import xlsxwriter
    from python_calamine import CalamineWorkbook

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "large.xlsx"
        chance = random.Random(0)
        with xlsxwriter.Workbook(str(path), {"constant_memory": True}) as book:
            sheet = book.add_worksheet()
            day = book.add_format({"num_format": "yyyy-mm-dd"})
            sheet.write_row(0, 0, ["id", "name", "city", "day", "amount", "price", "code", "note"])
            for row in range(1, rows + 1):
                sheet.write_row(
                    row, 0, [row, f"name {chance.randint(0, 20_000)}", chance.choice(["Oslo", "Rome", "Bern"])]
                )
                sheet.write_datetime(row, 3, datetime.datetime(2020, 1, 1 + row % 28), day)
                sheet.write_row(row, 4, [chance.randint(0, 100_000), round(chance.random() * 1_000, 2)])
                sheet.write_row(row, 6, [f"{chance.randint(0, 99_999):05d}", f"note {row}"])
        alone, ours = [], []
        for _ in range(rounds):
            start = time.process_time()
            CalamineWorkbook.from_path(path).get_sheet_by_index(0).to_python()
            alone.append(time.process_time() - start)
            start = time.process_time()
            drafts = list(read(SourceFile(path, path.name)))
            assert sum(batch.num_rows for draft in drafts for batch in draft.record_batches()) == rows
            ours.append(time.process_time() - start)
    return {"calamine_seconds": min(alone), "ours_seconds": min(ours), "ratio": min(ours) / min(alone)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    default = os.environ.get("TABLEHOUND_DATA", str(REPOSITORY.parent / "shared" / "data"))
    parser.add_argument("--data", type=Path, default=Path(default), help="folder of the public data sets")
    parser.add_argument("--misses", action="store_true", help="list what differs from the labels")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    parser.add_argument("--speed", action="store_true", help="measure the rate on a large sheet instead")
    arguments = parser.parse_args()
    if arguments.speed:
        for name, figure in speed().items():
            print(f"{name:16} {figure:.3f}")
        return
    folder = arguments.data / "sstqa"
    questions = [json.loads(line) for line in (folder / "questions.jsonl").read_text(encoding="utf-8").splitlines()]
    labels = json.loads(LABELS.read_text(encoding="utf-8"))
    tables: dict[str, list[Found]] = {}
    cells: dict[str, dict[tuple[int, int], str]] = {}
    seconds = 0.0
    with tempfile.TemporaryDirectory() as temporary, zipfile.ZipFile(folder / "tables.zip") as archive:
        names = [name for name in archive.namelist() if name.endswith(".xlsx")]
        for name in names:
            path = Path(archive.extract(name, temporary))
            start = time.perf_counter()
            tables[path.name] = [found_in(draft) for draft in read(SourceFile(path, path.name))]
            seconds += time.perf_counter() - start
            cells[path.name] = cells_of(path)
    literal = in_body = in_any = 0
    misses: list[str] = []
    for question in questions:
        name, answer = f"{question['table_id']}.xlsx", str(question["label"]).strip()
        if answer not in {text.strip() for text in cells[name].values()}:
            continue
        literal += 1
        body = any(answer in table.body for table in tables[name])
        around = any(" ".join(answer.split()) in table.around for table in tables[name])
        in_body += body
        in_any += body or around
        if not body:
            misses.append(f"{name}: answer {answer!r} is {'in a header, title or note' if around else 'nowhere'}")
    total = Tally()
    for name, label in labels.items():
        tally, differing = judge(name, label, tables[name], cells[name])
        misses += differing
        for part in vars(tally):
            setattr(total, part, getattr(total, part) + getattr(tally, part))
    if arguments.misses:
        print("\n".join(misses))
    figures = {
        "workbooks_read": sum(map(bool, tables.values())),
        "tables": sum(map(len, tables.values())),
        "literal_answers": literal,
        "answers_found": in_any / literal,
        "answers_in_rows": in_body / literal,
        "labelled_sheets": len(labels),
        "regions": total.labelled,
        "region_f1": total.f1(),
        "columns": total.columns,
        "header_paths": total.columns_right / total.columns,
        "rollups": total.rollups,
        "rollups_right": total.rollups_right,
        "rollups_marked": total.rollups_found,
        "seconds": seconds,
    }
    if arguments.json:
        print(json.dumps(figures))
        return
    for name, figure in figures.items():
        print(f"{name:16} {figure:.4f}" if isinstance(figure, float) else f"{name:16} {figure}")


if __name__ == "__main__":
    main()
