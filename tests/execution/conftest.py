"""Small lakes in memory for the tests of programs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pyarrow as pa
import pytest

from tablehound.execution import run_program
from tablehound.lake import Column, Provenance, Table, TableInfo, read_column
from tablehound.program import Program, ProgramResult, View
from tablehound.settings import ProgramSettings, Settings


class MemoryLake:
    """As much of a lake as programs need."""

    def __init__(self, tables: Mapping[str, Table]) -> None:
        self._tables = dict(tables)

    def table(self, table_id: str) -> Table:
        return self._tables[table_id]


def make_table(table_id: str, columns: Mapping[str, Sequence[str | None]], rollup_rows: tuple[int, ...] = ()) -> Table:
    arrays = {f"c{i}": pa.array(list(texts), pa.string()) for i, texts in enumerate(columns.values())}
    n_rows = len(next(iter(columns.values())))
    arrays["row"] = pa.array(range(2, n_rows + 2), pa.int64())
    info = TableInfo(
        id=table_id,
        columns=tuple(Column(name, name, reading=read_column(texts, name)) for name, texts in columns.items()),
        n_rows=n_rows,
        provenance=Provenance(f"{table_id}.csv", "csv"),
        rollup_rows=rollup_rows,
    )
    return Table(info, pa.table(arrays))


@pytest.fixture(scope="session")
def lake() -> Any:
    return MemoryLake(
        {
            "cities": make_table(
                "cities",
                {
                    "City": ["Paris", "Rome", "Oslo", "Milan", "Total"],
                    "Population": ["2,148,000", "2,873,000", "n/a", "1,352,000", "6,373,000"],
                    "Founded": ["1200-01-01", "0753-04-21", "1048-05-02", "0600-01-01", None],
                    "country id": ["1", "2", "3", "2", None],
                    "capital": ["yes", "yes", "yes", "no", None],
                },
                rollup_rows=(4,),
            ),
            "countries": make_table(
                "countries",
                {"id": ["1", "2", "4"], "Country": ["France", "Italy", "Spain"], "Area": ["10", "20.5", "x"]},
            ),
            "empty": make_table("empty", {"a": ["", None], "b": [None, None]}),
            "race": make_table("race", {"driver": list("abcde"), "place": ["1", "2", "3", "4", "ret"]}),
            "y2019": make_table("y2019", {"Team": ["A", "B"], "Wins": ["3", "5"], "Note": ["p", "q"]}),
            "y2020": make_table("y2020", {"W": ["7.5", "1"], "team": ["A", "C"]}),
        }
    )


@pytest.fixture(scope="session")
def make_lake() -> Callable[[dict[str, dict[str, list[str | None]]]], Any]:
    """Makes a lake of tables given by column."""
    return lambda tables: MemoryLake({name: make_table(name, columns) for name, columns in tables.items()})


@pytest.fixture(scope="session")
def views() -> dict[str, View]:
    return {
        "T1": View(("cities",)),
        "T2": View(("countries",)),
        "Empty": View(("empty",)),
        "Race": View(("race",)),
        "T3": View(("y2019", "y2020"), ("Team", "Wins", "Note"), ((0, 1, 2), (1, 0, -1))),
    }


@pytest.fixture(scope="session")
def run(lake: Any, views: dict[str, View]) -> Callable[..., ProgramResult]:
    def run_text(text: str, **limits: Any) -> ProgramResult:
        settings = Settings(program=ProgramSettings(**{"timeout": 30.0, **limits}))
        return run_program(lake, Program(text, views), settings)

    return run_text
