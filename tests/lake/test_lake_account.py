"""Nothing is lost silently: what readers say of their rows is checked, and reaches the report."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tablehound.errors import BrokenSourceError
from tablehound.lake import Account, Lake, Provenance, SetAside, SourceFile, TableDraft
from tablehound.lake.ingest.prepare import StoredTable, store_table
from tablehound.lake.store.codec import decode_batch, decode_info
from tablehound.lake.store.report import TableReport
from tablehound.settings import ReadSettings

Rows = Sequence[Sequence[str | None]]


class Parts:
    """Collects what a worker would send ahead."""

    def __init__(self) -> None:
        self.sent: list[tuple[int, bytes]] = []
        self.beats = 0

    def chunks(self, ordinal: int, chunks: list[tuple[int, bytes]]) -> None:
        self.sent += chunks

    def beat(self) -> None:
        self.beats += 1


def batch_of(rows: Rows, width: int, first: int = 1) -> pa.RecordBatch:
    """A batch as readers make them."""
    arrays = [pa.array([row[i] for row in rows], pa.string()) for i in range(width)]
    arrays.append(pa.array(range(first, first + len(rows)), pa.int64()))
    return pa.RecordBatch.from_arrays(arrays, names=[*(f"c{i}" for i in range(width)), "row"])


def store(rows: Rows, width: int, cuts: Sequence[int], **values: Any) -> tuple[StoredTable, TableReport, list[Any]]:
    """Store a table that comes in batches cut at the places."""
    places = sorted({0, len(rows), *(cut % (len(rows) + 1) for cut in cuts)})
    batches = [batch_of(rows[a:b], width, a + 1) for a, b in itertools.pairwise(places)]
    draft = TableDraft(
        header=tuple((f"h{i}",) for i in range(width)),
        batches=batches,
        provenance=Provenance("x.csv", "csv"),
        account=Account(seen=len(rows), kept=len(rows)),
    )
    parts = Parts()
    stored, report = store_table(draft, SourceFile(Path("x"), "x.csv", settings=ReadSettings(**values)), 0, parts)
    chunks = parts.sent + stored.chunks
    back = [tuple(row.values()) for _, data in chunks for row in decode_batch(data, width).to_pylist()]
    assert [n for n, _ in chunks] == [decode_batch(data, width).num_rows for _, data in chunks]
    return stored, report, back


tables = st.integers(1, 4).flatmap(
    lambda width: st.lists(
        st.lists(st.none() | st.text(max_size=6), min_size=width, max_size=width).map(tuple), max_size=30
    ).map(lambda rows: (width, rows))
)


@settings(max_examples=100, deadline=None)
@given(table=tables, cuts=st.lists(st.integers(0, 30), max_size=4), batch_rows=st.integers(1, 40))
def test_cells_come_back_and_the_id_does_not_depend_on_batches(
    table: tuple[int, list[tuple[str | None, ...]]], cuts: list[int], batch_rows: int
) -> None:
    width, rows = table
    whole, report, back = store(rows, width, ())
    assert back == [(*row, number) for number, row in enumerate(rows, start=1)]
    assert (report.seen, report.kept, report.n_rows, report.problem) == (len(rows), len(rows), len(rows), "")
    other, _, back_other = store(rows, width, cuts, batch_rows=batch_rows)
    assert back_other == back
    assert other.id == whole.id
    assert decode_info(other.id, other.n_rows, other.info) == decode_info(whole.id, whole.n_rows, whole.info)


@settings(max_examples=60, deadline=None)
@given(table=tables, data=st.data())
def test_another_cell_is_another_id(table: tuple[int, list[tuple[str | None, ...]]], data: st.DataObject) -> None:
    width, rows = table
    if not rows:
        return
    row, column = data.draw(st.integers(0, len(rows) - 1)), data.draw(st.integers(0, width - 1))
    changed = list(rows)
    new = "" if rows[row][column] is None else None
    changed[row] = (*rows[row][:column], new, *rows[row][column + 1 :])
    assert store(rows, width, ())[0].id != store(changed, width, ())[0].id


def _sabotage(monkeypatch: pytest.MonkeyPatch, account: Account, *, fail_at: int | None = None) -> None:
    def read(source: SourceFile) -> Iterator[TableDraft]:
        for ordinal in range(3):
            rows: Rows = [(f"{ordinal}.{n}",) for n in range(4)]

            def batches(ordinal: int = ordinal, rows: Rows = rows) -> Iterator[pa.RecordBatch]:
                yield batch_of(rows, 1)
                if ordinal == fail_at:
                    raise BrokenSourceError("damaged", where=f"{source.name}#{ordinal}")

            yield TableDraft((("a",),), batches(), Provenance(source.name, "json", ordinal=ordinal), account=account)

    monkeypatch.setattr("tablehound.lake.read.json.reader.read", read)


@pytest.mark.parametrize(
    ("account", "said"),
    [
        (Account(seen=6, kept=4), "does not add up: 6 rows seen, 4 kept, 0 set aside"),
        (Account(seen=3, kept=3), "says 3 rows were kept, but the table has 4"),
    ],
)
def test_an_account_that_does_not_add_up_is_a_problem(
    account: Account, said: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, index: Callable[..., Any]
) -> None:
    _sabotage(monkeypatch, account)
    (tmp_path / "x.json").write_text("{}", encoding="utf-8")
    for _ in range(2):
        report = index(tmp_path / "x.json")
        assert not report.ok
        assert said in report.problems[0].tables[0].problem
        assert not report.to_json()["ok"]


def test_a_broken_table_does_not_take_the_others_along(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, index: Callable[..., Any]
) -> None:
    _sabotage(monkeypatch, Account(seen=4, kept=4), fail_at=1)
    (tmp_path / "x.json").write_text("{}", encoding="utf-8")
    report = index(tmp_path / "x.json")
    (problem,) = report.problems
    assert (problem.where, problem.error) == ("x.json#1", "damaged")
    with Lake.open(tmp_path / "lake") as lake:
        assert sorted(info.provenance.ordinal for info in lake.infos()) == [0, 2]


def test_the_report_says_what_became_of_each_row(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, index: Callable[..., Any]
) -> None:
    aside = [SetAside(1, "header", "a"), SetAside(3, "too many fields", "1,2")]
    account = Account(6, 4, (1,), aside, ["one"], ["two"], {"delimiter": ",", "confidence": "0.9"})
    _sabotage(monkeypatch, account)
    (tmp_path / "x.json").write_text("{}", encoding="utf-8")
    assert index(tmp_path / "x.json").ok
    with Lake.open(tmp_path / "lake") as lake:
        (report,) = lake.report("x.json")
        table = report.tables[0]
        assert lake.table_report(table.table_id) == table
    assert (table.seen, table.kept, table.header_rows) == (6, 4, (1,))
    assert table.reasons == {"header": 1, "too many fields": 1}
    assert table.set_aside == tuple(aside)
    assert (table.repairs, table.ambiguities, table.dialect) == (("one",), ("two",), account.dialect)
    data = report.to_json()
    assert data["tables"][0]["set_aside"][1] == {"row": 3, "reason": "too many fields", "text": "1,2"}
    strict = index(tmp_path / "x.json", read__strict=True)
    (problem,) = strict.problems
    assert "row 3: too many fields" in problem.error
    assert strict.n_tables == 3, "what was read of the same bytes before stays"


def test_strict_takes_what_loses_nothing(folder: Path, index: Callable[..., Any]) -> None:
    assert index(folder, read__strict=True).ok


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rows=st.lists(st.lists(st.text("ab1,.;\"' \n", max_size=5), min_size=1, max_size=5), max_size=12))
def test_accounts_of_the_delimited_reader_add_up(
    rows: list[list[str]], tmp_path_factory: pytest.TempPathFactory, index: Callable[..., Any]
) -> None:
    tmp_path = tmp_path_factory.mktemp("account")
    text = "\n".join(",".join(row) for row in rows)
    (tmp_path / "x.csv").write_text(text, encoding="utf-8")
    report = index(tmp_path / "x.csv", lake=tmp_path / "lake")
    assert not [table.problem for problem in report.problems for table in problem.tables if table.problem]
