"""Labelled columns with forms that are easily misread: are kind, unit, scale and values read as the labels say?

Every column of `labels/value_columns.jsonl` is written with its table to a file, indexed, and read through a program in
SQL. A column is right when all aspects that its label judges are right. A *silent change of magnitude* is a number that
is off by a factor of 10 or more in a column whose reading is neither marked nor ambiguous.

Prints, per half and per part, how many columns are read right with a 95% interval (Wilson), and how many values were
changed silently; lists both for the half `develop`, for the half `unseen` only with `--misses`.

    python benchmarks/value_columns.py [--half develop|unseen] [--misses]
"""

from __future__ import annotations

import argparse
import csv
import datetime
import json
import tempfile
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

import openpyxl

from common import table
from tablehound import Lake, Program, Reading, Settings, TableInfo, View, run_program
from tablehound.evaluation.metrics import wilson_interval
from tablehound.lake import index_sources

LABELS = Path(__file__).resolve().parent / "labels" / "value_columns.jsonl"
PARTS = {
    1: "scale",
    2: "units",
    3: "percent and ratios",
    4: "grouping or decimal",
    5: "codes",
    6: "exact digits",
    7: "times and dates",
    8: "censored, flagged, signed",
}
HALVES = ("develop", "unseen")
SYMBOLS = {"$": "usd", "us$": "usd", "€": "eur", "£": "gbp", "rs": "inr", "₹": "inr", "percent": "%", "litre": "l"}
SECONDS = {
    **dict.fromkeys(("ms", "millisecond", "milliseconds"), Decimal("0.001")),
    **dict.fromkeys(("s", "sec", "second", "seconds"), Decimal(1)),
    **dict.fromkeys(("min", "minute", "minutes"), Decimal(60)),
    **dict.fromkeys(("h", "hr", "hour", "hours"), Decimal(3600)),
    **dict.fromkeys(("d", "day", "days"), Decimal(86400)),
}
OFF = 10
"""A number is of another magnitude from this factor on."""
CLOSE = Decimal("1e-12")
"""Relative difference that binary floating point accounts for; digits of part 6 are compared exactly."""


@dataclass(frozen=True, slots=True)
class Item:
    """One labelled column with its table."""

    id: str
    half: str
    part: int
    format: str
    delimiter: str
    table: dict[str, list[Any]]
    column: str
    labels: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What is wrong with one column; nothing when it is read right."""

    item: Item
    wrong: tuple[str, ...] = ()
    silent: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ReadColumn:
    """One column as the program sees it."""

    reading: Reading
    values: dict[int, Any] = field(default_factory=dict)
    """0-based row → value in SQL."""
    can_sum: bool = False

    @property
    def has_mark(self) -> bool:
        """Whether the reading names what is open in a field of its own."""
        return bool(getattr(self.reading, "marks", ())) or self.reading.ambiguous

    @property
    def is_noted(self) -> bool:
        """Whether it carries a note of any kind."""
        return self.has_mark or bool(self.reading.note)

    @property
    def unit(self) -> str | None:
        return symbol(self.reading.unit)

    @property
    def kinds(self) -> set[str]:
        """What the column can be called, by its reading and by the types of its values."""
        types = {type(value) for value in self.values.values() if value is not None}
        kinds: set[str] = {self.reading.kind}
        if types == {datetime.timedelta} or (self.reading.kind == "number" and self.unit in SECONDS):
            kinds.add("duration")
        return kinds | ({"time"} if types == {datetime.time} else set())


def read_items() -> list[Item]:
    """All labelled columns, in the order of the file."""
    with LABELS.open(encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    return [Item(**{name: row[name] for name in Item.__dataclass_fields__}) for row in rows]


def symbol(unit: str | None) -> str | None:
    """One spelling for every unit; None where there is none."""
    plain = unicodedata.normalize("NFKC", unit or "").strip().casefold()
    return SYMBOLS.get(plain, plain) or None


def write(item: Item, folder: Path) -> None:
    """The table of an item as a file named by its id."""
    rows = zip(*item.table.values(), strict=True)
    if item.format == "csv":
        with (folder / f"{item.id}.csv").open("w", encoding="utf-8", newline="") as file:
            csv.writer(file, delimiter=item.delimiter).writerows([list(item.table), *rows])
        return
    book = openpyxl.Workbook()
    sheet = book.worksheets[0]
    sheet.append(list(item.table))
    for at, row in enumerate(rows, 2):
        for place, cell in enumerate(row, 1):
            written = sheet.cell(at, place, native(cell))
            if "format" in cell:
                written.number_format = cell["format"]
    book.save(folder / f"{item.id}.xlsx")


def native(cell: dict[str, Any]) -> str | float | datetime.date | datetime.time:
    """The value that a cell of a workbook keeps."""
    if "date" in cell:
        return datetime.date.fromisoformat(cell["date"])
    if "time" in cell:
        return datetime.time.fromisoformat(cell["time"])
    value: str | float = cell["number"] if "number" in cell else cell["text"]
    return value


def read(item: Item, lake: Lake, info: TableInfo, settings: Settings) -> ReadColumn | str:
    """The column of an item through the public package, or why it cannot be found there."""
    place = list(item.table).index(item.column)
    if len(info.columns) != len(item.table):
        return f"{len(info.columns)} columns, not {len(item.table)}"
    column = info.columns[place]
    quoted = '"' + column.name.replace('"', '""') + '"'
    tables = {"T1": View((info.id,))}
    result = run_program(lake, Program(f"SELECT _row, {quoted}, _rollup FROM T1 ORDER BY _row", tables), settings)
    if not result.ok:
        return f"the program failed: {result.error}"
    total = run_program(lake, Program(f"SELECT SUM({quoted}) FROM T1", tables), settings)
    summed = total.ok and bool(total.rows) and total.rows[0][0] is not None
    return ReadColumn(
        column.reading,
        {row: value for row, value, _ in result.rows},
        summed and column.reading.kind in ("number", "time", "duration") and not getattr(column.reading, "marks", ()),
    )


def number(value: object) -> Decimal | None:
    """A value as an exact number, None where it is none."""
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal | str):
        return None
    try:
        return Decimal(repr(value) if isinstance(value, float) else str(value))
    except InvalidOperation:
        return None


def seconds(value: object, unit: str | None) -> Decimal | None:
    """A duration in seconds."""
    if isinstance(value, datetime.timedelta):
        return Decimal(value // datetime.timedelta(microseconds=1)) / 1_000_000
    exact = None if isinstance(value, str) else number(value)
    return None if exact is None or unit not in SECONDS else exact * SECONDS[unit]


def is_close(value: Decimal, expected: Decimal, exact: bool) -> bool:
    return value == expected or (not exact and value.is_finite() and abs(value - expected) <= CLOSE * abs(expected))


def is_inside(value: object, bounds: Sequence[str | None]) -> bool:
    """Whether a censored cell is not taken for one number: a bare number is wrong, and so are bounds that differ."""
    if isinstance(value, list | tuple):
        return [number(end) for end in value] == [number(end) for end in bounds]
    return value is None or isinstance(value, str)


def is_value(value: Any, expected: Any, item: Item, read_column: ReadColumn) -> bool:
    """Whether a value in SQL is the one of the label."""
    if isinstance(expected, dict):
        if "bounds" in expected:
            return is_inside(value, expected["bounds"])
        return any(is_value(value, each, item, read_column) for each in expected["any"])
    if expected is None or value is None:
        return value is None and expected is None
    kind = item.labels.get("kind")
    if kind == "duration":
        found = seconds(value, read_column.unit)
        return found is not None and is_close(found, Decimal(expected), False)
    if isinstance(value, datetime.datetime):
        value = value.replace(tzinfo=None)
    if isinstance(value, datetime.date):
        texts: set[str] = {value.isoformat(), value.isoformat().removesuffix("T00:00:00")}
        return bool(expected in (texts | {str(value.year)} if kind == ["number", "date"] else texts))
    if isinstance(value, datetime.time):
        return bool(value.replace(tzinfo=None).isoformat() == expected)
    if isinstance(value, bool):
        return bool(str(value).casefold() == expected)
    if isinstance(value, str):
        return kind not in ("number", "date", "time", "boolean") and value.strip() == expected
    found, wanted = number(value), number(expected)
    return kind != "text" and found is not None and wanted is not None and is_close(found, wanted, item.part == 6)


def is_off(value: object, expected: Any, item: Item, read_column: ReadColumn) -> bool:
    """Whether a number is of another magnitude than the label says."""
    if isinstance(expected, dict):
        numbers = [each for each in expected.get("any", ()) if number(each) is not None]
        return bool(numbers) and all(is_off(value, each, item, read_column) for each in numbers)
    if item.labels.get("kind") == "text" or expected is None or isinstance(value, str):
        return False
    found = seconds(value, read_column.unit) if item.labels.get("kind") == "duration" else number(value)
    wanted = number(expected)
    if not found or not wanted or not (found.is_finite() and wanted.is_finite()):
        return False
    return not 1 / Decimal(OFF) < abs(found / wanted) < OFF


def judge(item: Item, found: ReadColumn) -> Outcome:
    """All aspects of a label against what was read."""
    labels, reading = item.labels, found.reading
    wrong: list[str] = []
    if "kind" in labels:
        wanted = labels["kind"] if isinstance(labels["kind"], list) else [labels["kind"]]
        if not found.kinds & set(wanted):
            wrong.append(f"kind {reading.kind}, not {' or '.join(wanted)}")
    if "unit" in labels and found.unit != symbol(labels["unit"]):
        wrong.append(f"unit {reading.unit}, not {labels['unit']}")
    if "scale" in labels and Decimal(str(reading.scale)) != Decimal(str(labels["scale"])):
        wrong.append(f"scale {reading.scale}, not {labels['scale']}")
    if "sum" in labels and found.can_sum != labels["sum"]:
        wrong.append("summed" if found.can_sum else "not summed")
    if "marked" in labels and labels["marked"] != (found.is_noted if labels["marked"] else found.has_mark):
        wrong.append("not marked" if labels["marked"] else "marked")
    silent: list[str] = []
    for row, expected in labels["values"].items():
        value = found.values.get(int(row))
        cell = item.table[item.column][int(row)]
        if not is_value(value, expected, item, found):
            wrong.append(f"row {row}, {cell!r}: {value!r}, not {expected}")
        if not found.has_mark and is_off(value, expected, item, found):
            silent.append(f"{item.id} {item.column!r} row {row}, {cell!r}: {value!r}, not {expected}")
    return Outcome(item, tuple(wrong), tuple(silent))


def outcomes(items: Sequence[Item]) -> Iterator[Outcome]:
    """Index the tables of all items in one lake and judge each column."""
    settings = Settings()
    with tempfile.TemporaryDirectory() as work:
        folder = Path(work, "tables")
        folder.mkdir()
        for item in items:
            write(item, folder)
        index_sources([str(folder)], Path(work, "lake"), settings)
        with Lake.open(Path(work, "lake")) as lake:
            found: dict[str, list[TableInfo]] = {}
            for info in lake.infos():
                found.setdefault(Path(info.provenance.source).stem, []).append(info)
            for item in items:
                infos = found.get(item.id, [])
                if len(infos) != 1:
                    yield Outcome(item, (f"read as {len(infos)} tables",))
                    continue
                column = read(item, lake, infos[0], settings)
                yield Outcome(item, (column,)) if isinstance(column, str) else judge(item, column)


def share(judged: Sequence[Outcome]) -> str:
    """Columns read right, of how many, with the interval of their share."""
    if not judged:
        return "-"
    right = sum(not outcome.wrong for outcome in judged)
    low, high = wilson_interval(right, len(judged))
    return f"{right} of {len(judged)}, {right / len(judged):.3f} ({low:.3f} to {high:.3f})"


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--half", choices=HALVES, help="only this half")
    options.add_argument("--misses", action="store_true", help="list the misses of the unseen half too")
    given = options.parse_args()
    halves = [given.half] if given.half else list(HALVES)
    judged = list(outcomes([item for item in read_items() if item.half in halves]))
    by_half = {half: [outcome for outcome in judged if outcome.item.half == half] for half in halves}
    for half, those in by_half.items():
        if half == "develop" or given.misses:
            for outcome in those:
                if outcome.wrong:
                    print(f"{half} {outcome.item.id} {outcome.item.column!r}: {'; '.join(outcome.wrong)}")
    rows = [
        [f"{part} {name}", *(share([one for one in by_half[half] if one.item.part == part]) for half in halves)]
        for part, name in PARTS.items()
    ]
    rows.append(["all", *(share(by_half[half]) for half in halves)])
    print(table(["columns read right", *halves], rows))
    for half, those in by_half.items():
        silent = [line for outcome in those for line in outcome.silent]
        print(f"silent changes of magnitude, {half}: {len(silent)} values")
        if half == "develop" or given.misses:
            print("\n".join(f"  {line}" for line in silent) or "  none")


if __name__ == "__main__":
    main()
