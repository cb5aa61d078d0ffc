"""The scale builder: as many tables as asked, the same ones whatever the processes, like those they are made from."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from click.testing import CliRunner

from tablehound.errors import UsageError
from tablehound.evaluation import ScaleOptions, build_scale, data_set
from tablehound.evaluation.builders.scale import csv_path, lake_pools, make_table
from tablehound.interfaces.cli import cli
from tablehound.lake import Lake, index_sources
from tablehound.settings import Settings

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


@pytest.fixture(scope="module")
def lake_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("scale") / "lake"
    index_sources(data_set("own").load(EXAMPLES).sources, path, Settings(workers=1))
    return path


def files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*.csv"))}


def test_the_same_tables_on_any_number_of_processes(lake_path: Path, tmp_path: Path) -> None:
    one = build_scale(lake_path, tmp_path / "one", ScaleOptions(300, mean_rows=10))
    two = build_scale(lake_path, tmp_path / "two", ScaleOptions(300, mean_rows=10, workers=2))
    assert one == two
    assert files(tmp_path / "one") == files(tmp_path / "two")
    assert len(files(tmp_path / "one")) == one["tables"] == 300
    # A larger lake holds the smaller one; another seed gives another.
    build_scale(lake_path, tmp_path / "more", ScaleOptions(301, mean_rows=10))
    assert files(tmp_path / "one").items() <= files(tmp_path / "more").items()
    build_scale(lake_path, tmp_path / "other", ScaleOptions(3, seed=1, mean_rows=10))
    assert not files(tmp_path / "other").items() & files(tmp_path / "one").items()


def test_cells_come_from_columns_of_the_name_and_some_are_new(lake_path: Path) -> None:
    with Lake.open(lake_path) as lake:
        pools = lake_pools(lake)
    known = {text for values in pools.values.values() for text in values.tolist()}
    cells = [c for number in range(40) for column in make_table(pools, number, 0)[1] for c in column]
    new = sum(cell not in known for cell in cells) / len(cells)
    assert 0.0 < new < 0.3
    assert len(set(cells)) < len(cells)


def test_the_command_writes_files_that_a_reader_reads(lake_path: Path, tmp_path: Path) -> None:
    arguments = ["bench", "build", "scale", "--data", str(lake_path), "--out", str(tmp_path), "--tables", "5"]
    done = CliRunner().invoke(cli, arguments, standalone_mode=False)
    assert done.exception is None, done.output
    for number in range(5):
        with csv_path(tmp_path, number).open(encoding="utf-8", newline="") as lines:
            rows = list(csv.reader(lines))
        assert len({len(row) for row in rows}) == 1
        assert len(rows) >= 5


def test_a_lake_without_tables_to_build_from_is_refused(tmp_path: Path) -> None:
    (tmp_path / "one.csv").write_text("a,b\n1,2\n", encoding="utf-8")
    index_sources([str(tmp_path / "one.csv")], tmp_path / "lake", Settings(workers=1))
    with pytest.raises(UsageError, match="two rows"):
        build_scale(tmp_path / "lake", tmp_path / "out", ScaleOptions(2))


def test_transpose_is_a_command_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "set" / "tables").mkdir(parents=True)
    (tmp_path / "set" / "tables" / "t.csv").write_text("name,age\nAnn,7\nBob,9\n", encoding="utf-8")
    (tmp_path / "set" / "questions.jsonl").write_text("", encoding="utf-8")
    arguments = ["bench", "build", "transpose", "--data", str(tmp_path / "set"), "--out", str(tmp_path / "turned")]
    done = CliRunner().invoke(cli, arguments, standalone_mode=False)
    assert done.exception is None, done.output
    assert (tmp_path / "turned" / "tables" / "t.csv").read_text(encoding="utf-8") == "name,Ann,Bob\nage,7,9\n"
