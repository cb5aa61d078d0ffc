"""``tablehound index``, ``info``, ``show``, ``find`` and ``sql``."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any


def test_index_then_ask_the_lake(folder: Path, run: Callable[..., Any], tmp_path: Path) -> None:
    ran = run("index", folder, "--lake", tmp_path / "lake")
    assert ran.code == 0
    assert "2 tables from 2 sources" in ran.out
    assert run("ask", "How long is the Volga?", tmp_path / "lake").out.startswith("3531")
    assert "2 unchanged" in run("index", folder, "--lake", tmp_path / "lake").out


def test_a_bad_file_is_named_and_the_rest_is_read(folder: Path, run: Callable[..., Any], tmp_path: Path) -> None:
    (folder / "broken.xlsx").write_bytes(b"PK\x03\x04 no workbook")
    ran = run("index", folder, "--lake", tmp_path / "lake")
    assert ran.code == 1
    assert run("index", folder, "--lake", tmp_path / "lake", "--strict").code == 2
    assert "2 tables" in ran.out
    assert "broken.xlsx" in ran.err
    assert "Traceback" not in ran.err
    data = json.loads(run("index", folder, "--lake", tmp_path / "lake", "--json").out)
    assert [problem["source"] for problem in data["problems"]] == ["broken.xlsx"]


def test_report_accounts_for_every_row(folder: Path, run: Callable[..., Any], tmp_path: Path) -> None:
    (folder / "noted.csv").write_text("A title\n\na,b\n1,2\n3,4\n5,6\n\nSource: a book\n", encoding="utf-8")
    ran = run("index", folder, "--lake", tmp_path / "lake", "--report")
    assert "set aside" in ran.out
    assert "A title" in ran.out


def test_info_of_lake_and_table(folder: Path, run: Callable[..., Any]) -> None:
    ran = run("info", folder)
    assert ran.code == 0
    assert "2 tables, 5 rows" in ran.out
    table = run("info", "rivers", folder)
    assert "Length (km)" in table.out
    assert "number" in table.out
    rows = [json.loads(line) for line in run("info", folder, "--json").out.splitlines()]
    assert {row["label"] for row in rows} == {"rivers.csv", "towns.md"}
    assert json.loads(run("info", "rivers", folder, "--json").out)["info"]["n_rows"] == 3


def test_info_tells_a_name_that_is_not_the_sources_own(folder: Path, run: Callable[..., Any]) -> None:
    (folder / "twice.csv").write_text("id,ID,\n1,2,3\n4,5,6\n7,8,9\n", encoding="utf-8")
    shown = run("info", "twice.csv", folder).out
    assert "named 'ID' in the source" in shown
    assert "the source has no name for it" in shown


def test_show_prints_raw_text_and_marks_a_cut(folder: Path, run: Callable[..., Any]) -> None:
    ran = run("show", "rivers", folder, "-n", 1)
    assert "6,650" in ran.out
    assert "… 1 of 3 rows shown" in ran.out
    assert "Volga" in run("show", "rivers", folder, "--rows", "3").out
    shown = json.loads(run("show", "rivers", folder, "--json", "--rows", "3-4").out)
    assert (shown["rows"][0][0], shown["source_rows"]) == ("Volga", [3, 4])
    assert run("show", "rivers", folder, "--rows", "x").code == 2


def test_a_table_that_is_not_there_or_not_one(folder: Path, run: Callable[..., Any]) -> None:
    assert "no table" in run("show", "nothing", folder).err
    assert "names 2 tables" in run("show", ".", folder).err


def test_a_whole_file_name_wins_over_a_part_of_one(folder: Path, run: Callable[..., Any]) -> None:
    (folder / "more_rivers.csv").write_text("a,b\n1,2\n3,4\n", encoding="utf-8")
    assert run("show", "rivers.csv", folder).code == 0
    assert "names 2 tables" in run("show", "rivers", folder).err


def test_find_ranks_and_explains(folder: Path, run: Callable[..., Any]) -> None:
    ran = run("find", "length of rivers", folder, "--explain")
    assert ran.code == 0
    assert "rivers.csv" in ran.out.splitlines()[0]
    first = json.loads(run("find", "length of rivers", folder, "--json").out.splitlines()[0])
    assert (first["rank"], first["label"]) == (1, "rivers.csv")
    assert run("find", "zzzzqqq", folder).code == 1


def test_sql_is_typed_and_read_only(folder: Path, run: Callable[..., Any]) -> None:
    ran = run("sql", 'SELECT sum("Length (km)") AS total FROM T1', folder, "-t", "rivers")
    assert ran.code == 0
    assert "11414" in ran.out
    named = run("sql", 'SELECT "River" FROM r ORDER BY 1', folder, "-t", "r=rivers", "--json")
    assert json.loads(named.out)["rows"] == [["Nile"], ["Rhine"], ["Volga"]]
    for statement in ("DROP TABLE T1", "SELECT * FROM read_csv('/etc/passwd')", "SELECT nonsense FROM T1"):
        refused = run("sql", statement, folder, "-t", "rivers")
        assert refused.code == 2
        assert "Traceback" not in refused.err


def test_json_of_numbers_that_json_has_no_form_of_is_json(run: Callable[..., Any], folder: Path) -> None:
    ran = run("sql", "SELECT 'NaN'::DOUBLE AS a, '-inf'::DOUBLE AS b FROM T1 LIMIT 1", folder, "-t", "rivers", "--json")

    def refuse(constant: str) -> None:
        raise AssertionError(f"{constant} is not JSON")

    assert json.loads(ran.out, parse_constant=refuse)["rows"] == [["nan", "-inf"]]


def test_a_missing_folder_is_named(run: Callable[..., Any], folder: Path, tmp_path: Path) -> None:
    ran = run("ask", "anything?", tmp_path / "nowhere")
    assert ran.code == 2
    assert "nowhere" in ran.err


def test_a_lake_of_another_version_is_refused_with_a_remedy(
    folder: Path, run: Callable[..., Any], tmp_path: Path
) -> None:
    import sqlite3
    from contextlib import closing

    run("index", folder, "--lake", tmp_path / "lake")
    with closing(sqlite3.connect(tmp_path / "lake" / "catalogue.sqlite")) as connection:
        connection.execute("PRAGMA user_version = 99")
        connection.commit()
    ran = run("info", tmp_path / "lake")
    assert ran.code == 2
    assert "version" in ran.err or "format" in ran.err


def test_a_name_that_is_not_unicode_is_found_as_the_shell_gives_it(
    folder: Path, run: Callable[..., Any], tmp_path: Path
) -> None:
    odd = os.fsdecode(b"bad\xff.csv")
    (folder / odd).write_text("a,b\n1,2\n3,4\n", encoding="utf-8")
    lake = tmp_path / os.fsdecode(b"lake\xff")
    assert run("index", folder / odd, "--lake", lake).code == 0
    for name in (odd, "bad\\xff.csv"):
        assert "3" in run("show", name, lake).out


def test_the_report_names_doubts_and_what_is_left_out(folder: Path, run: Callable[..., Any], tmp_path: Path) -> None:
    import sqlite3
    from contextlib import closing

    (folder / "days.csv").write_text("d;n\n01/02/2020;1.234\n03/04/2020;2.345\n", encoding="utf-8")
    (folder / "tablehound.toml").write_text('["gone.csv"]\nskip = true\n', encoding="utf-8")
    with closing(sqlite3.connect(folder / "x.db")) as connection:
        connection.execute("CREATE TABLE t (a)")
        connection.execute("CREATE VIEW seen AS SELECT * FROM t")
    ran = run("index", folder, "--lake", tmp_path / "lake", "--report")
    assert "ambiguous: column 'd': dates fit dmy and mdy; read as mdy" in ran.out
    assert "left out: view 'seen'" in ran.out
    assert (ran.code, "'gone.csv' fits no file" in ran.err) == (0, True)
    told = run("info", "days.csv", tmp_path / "lake").out
    assert "they fit as thousands separators too" in next(line for line in told.splitlines() if line.startswith("n "))
