"""``tablehound grep``: like ripgrep, but for tables."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest


def test_prints_table_row_column_and_text(folder: Path, run: Callable[..., Any]) -> None:
    ran = run("grep", "v.lga", folder)
    assert (ran.code, ran.out) == (0, "rivers.csv:3:River: Volga\n")


def test_headers_are_searched_too(folder: Path, run: Callable[..., Any]) -> None:
    assert run("grep", "inhabit", folder).out == "towns.md:header:Inhabitants: Inhabitants\n"


def test_nothing_found_is_exit_code_1(folder: Path, run: Callable[..., Any]) -> None:
    ran = run("grep", "nonsense", folder)
    assert (ran.code, ran.out) == (1, "")


def test_values_match_however_they_are_written(folder: Path, run: Callable[..., Any]) -> None:
    assert run("grep", "--value", "6650", folder).out == "rivers.csv:2:Length (km): 6,650\n"


def test_ranges_may_be_open(folder: Path, run: Callable[..., Any]) -> None:
    assert run("grep", "--range", "3000..", "-t", "length", folder).out.count("\n") == 2
    assert run("grep", "--range", "3000..4000", folder).out == "rivers.csv:3:Length (km): 3531\n"


def test_case_and_columns(folder: Path, run: Callable[..., Any]) -> None:
    assert run("grep", "-s", "volga", folder).code == 1
    assert run("grep", "sea", "-t", "river", folder).code == 1
    assert run("grep", "sea", "-t", "flows", folder).code == 0


def test_counts_tables_and_limit(folder: Path, run: Callable[..., Any]) -> None:
    assert run("grep", "-c", "sea", folder).out == "rivers.csv:3\n"
    assert run("grep", "-l", "-e", "oslo", "-e", "nile", folder).out == "rivers.csv\ntowns.md\n"
    cut = run("grep", "sea", folder, "--limit", 2)
    assert len(cut.out.splitlines()) == 3
    assert cut.out.splitlines()[-1].startswith("…")


def test_json_lines(folder: Path, run: Callable[..., Any]) -> None:
    (line,) = run("grep", "--json", "-F", "Oslo", folder).out.splitlines()
    data = json.loads(line)
    assert (data["label"], data["row"], data["column"], data["text"]) == ("towns.md", 3, "Town", "Oslo")


@pytest.mark.parametrize("pattern", ["(?<=a)b", r"(a)\1", "(unclosed"])
def test_what_the_engine_cannot_do_is_refused_with_advice(folder: Path, run: Callable[..., Any], pattern: str) -> None:
    ran = run("grep", pattern, folder)
    assert ran.code == 2
    assert ran.out == ""
    assert "tablehound:" in ran.err
    assert "Traceback" not in ran.err


def test_an_empty_value_is_misuse(folder: Path, run: Callable[..., Any]) -> None:
    ran = run("grep", "--value", " ", folder)
    assert ran.code == 2
    assert "--value is empty" in ran.err


@pytest.mark.parametrize("command", ["grep", "find"])
def test_a_source_without_tables_says_so(tmp_path: Path, run: Callable[..., Any], command: str) -> None:
    (tmp_path / "empty").mkdir()
    ran = run(command, "oslo", tmp_path / "empty")
    assert ran.code == 1
    assert "no tables" in ran.err


def test_no_pattern_and_bad_range_are_misuse(folder: Path, run: Callable[..., Any]) -> None:
    assert run("grep").code == 2
    assert run("grep", "--range", "5", folder).code == 2
    assert "9" in run("grep", "--range", "9..1", folder).err


def test_a_reader_that_goes_away_is_no_failure(folder: Path) -> None:
    (folder / "many.csv").write_text("a,b\n" + "word,other\n" * 50_000, encoding="utf-8")
    command = [sys.executable, "-m", "tablehound", "grep", ".", str(folder), "--limit", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as ran:
        assert ran.stdout is not None
        ran.stdout.readline()
        ran.stdout.close()
        assert ran.wait() == 0
