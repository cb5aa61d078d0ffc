"""Programs that mean harm, or do it by mistake: refused, or killed within their limits, and the next one still runs."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from tablehound.program import ProgramResult

Run = Callable[..., ProgramResult]

REFUSED = [
    "SELECT * FROM read_csv('/etc/passwd')",
    "SELECT * FROM read_text('/etc/passwd')",
    "SELECT content FROM read_blob('/etc/passwd')",
    "SELECT * FROM '/etc/passwd'",
    'SELECT * FROM "/etc/passwd"',
    "SELECT * FROM glob('/*')",
    "SELECT * FROM parquet_scan('http://127.0.0.1:1/x.parquet')",
    "SELECT * FROM read_json('https://example.org/x.json')",
    "COPY T1 TO '/tmp/out.csv'",
    "COPY (SELECT 1) TO '/tmp/out.csv'",
    "EXPORT DATABASE '/tmp/out'",
    "ATTACH '/tmp/x.db'",
    "INSTALL httpfs",
    "LOAD httpfs",
    "LOAD json",
    "PRAGMA version",
    "PRAGMA database_list",
    "SET enable_external_access = true",
    "SET lock_configuration = false",
    "RESET lock_configuration",
    "CALL duckdb_settings()",
    "SELECT * FROM duckdb_settings()",
    "SELECT * FROM duckdb_secrets()",
    "SELECT current_setting('temp_directory')",
    "SELECT getenv('HOME')",
    "SELECT * FROM query('SELECT 1')",
    "SELECT * FROM query_table('T1')",
    "SELECT * FROM information_schema.tables",
    "SELECT * FROM sqlite_master",
    "SELECT 1; SELECT 2",
    "SELECT 1; DROP VIEW T1",
    "CREATE TABLE x AS SELECT 1",
    "CREATE TEMP TABLE x (a INT)",
    "DROP VIEW T1",
    "DELETE FROM T1",
    'UPDATE "__T1" SET City = 1',
    "INSERT INTO T1 VALUES (1)",
    "WITH x AS (SELECT 1) DELETE FROM T1",
    "EXPLAIN ANALYZE SELECT 1",
    "PREPARE p AS SELECT 1",
    "EXECUTE p",
    "USE memory",
    "SHOW TABLES",
    "CHECKPOINT",
    "SELECT " + "(" * 5_000 + "1" + ")" * 5_000,
    "SELECT " + "1+" * 60_000 + "1",
    "SELECT count(*) FROM T1, " + ", ".join(f"T1 a{n}" for n in range(4_000)),
    "SELECT 1 FROM T1 " + "JOIN T1 USING (City) " * 2_000,
    "SELECT City FROM T1" + " UNION ALL SELECT City FROM T1" * 100,
    "SELECT City FROM T1 WHERE " + " OR ".join(["Population=1"] * 1_000),
    "SELECT " + "NOT " * 100 + "City FROM T1",
    "SELECT City" + "[1]" * 12_000 + " FROM T1",
    'SELECT 5!, * FROM "duckdb_settings"()',
    'SELECT * FROM "duckdb_settings"()',
    "SELECT \"getenv\"('HOME')",
    "SELECT * FROM T1, LATERAL duckdb_tables()",
    "SELECT * FROM made_up_function(1)",
]

EXHAUSTING = [
    "SELECT repeat('a', 2000000000)",
    "SELECT length(repeat('a', 2000000000)) FROM range(1000)",
    "SELECT len(list_transform(range(400000000), lambda x: x + 1))",
    "SELECT count(*) FROM range(100000000) a, range(100000000) b",
    "SELECT a.range, b.range FROM range(100000000) a, range(100000) b ORDER BY hash(a.range + b.range)",
    "WITH RECURSIVE r AS (SELECT 1 AS a UNION ALL SELECT a + 1 FROM r) SELECT max(a) FROM r",
    "SELECT list(a.range) FROM range(1000000000) a",
    "SELECT string_agg(repeat('x', 1000000), '') FROM range(100000)",
]


def read_of(pid: int, name: str) -> bytes:
    """A file of ``/proc``; empty when the process is gone."""
    try:
        return Path(f"/proc/{pid}/{name}").read_bytes()
    except (FileNotFoundError, ProcessLookupError):
        return b""


def program_children() -> set[int]:
    """The processes that run programs for this one."""
    if not Path("/proc/self").exists():
        pytest.skip("needs /proc")
    everyone = [int(path.name) for path in Path("/proc").iterdir() if path.name.isdigit()]
    ours = [pid for pid in everyone if f"\nPPid:\t{os.getpid()}\n".encode() in read_of(pid, "status")]
    return {pid for pid in ours if b"from tablehound." in read_of(pid, "cmdline")}


@pytest.mark.parametrize("text", REFUSED, ids=lambda text: text[:40])
def test_refused(run: Run, text: str) -> None:
    result = run(text)
    assert not result.ok, result.rows
    assert result.error
    assert "Traceback" not in result.error


@pytest.mark.parametrize("text", EXHAUSTING, ids=lambda text: text[:40])
def test_killed_within_limits(run: Run, text: str) -> None:
    result = run(text, timeout=1.0, memory_mb=300)
    assert not result.ok
    assert "stopped" in str(result.error) or "memory" in str(result.error).lower()


def test_the_next_program_runs_after_a_kill(run: Run) -> None:
    assert not run("SELECT count(*) FROM range(100000000) a, range(100000000) b", timeout=1.0).ok
    assert run("SELECT count(*) FROM T1").rows == ((4,),)


def test_a_huge_result_is_not_built(run: Run) -> None:
    result = run("SELECT * FROM range(100000000000)", max_result_rows=5)
    assert result.ok, result.error
    assert len(result.rows) == 5
    assert result.truncated


def test_a_huge_cell_is_not_read(run: Run) -> None:
    result = run("SELECT repeat('a', 300000000)", memory_mb=2_000)
    assert not result.ok
    assert "too large" in str(result.error) or "memory" in str(result.error)


def test_nothing_is_written(run: Run, tmp_path: Path) -> None:
    target = tmp_path / "out.csv"
    assert not run(f"COPY (SELECT 1) TO '{target}'").ok
    assert not target.exists()


def test_no_secret_reaches_the_child(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "secret-of-the-test")
    from tablehound.execution.pool import Runner

    runner = Runner(64)
    try:
        if not Path("/proc/self").exists():
            pytest.skip("needs /proc")
        text = b""
        # Empty until the new program has started.
        while not text:
            text = read_of(runner.child.pid, "environ")
        assert b"LC_ALL" in text and b"secret-of-the-test" not in text
        assert os.environ["OPENAI_API_KEY"]
    finally:
        runner.kill()


def test_words_in_texts_and_names_are_not_mistaken(run: Run) -> None:
    assert run("SELECT count(*) FROM T1 WHERE City <> 'read_csv(x); DROP TABLE'").rows == ((4,),)
    assert run('SELECT 1 AS "glob(" -- COPY me').rows == ((1,),)


def test_a_child_that_died_while_waiting_is_replaced(run: Run) -> None:
    assert run("SELECT 1").ok
    children = program_children()
    assert children
    for pid in children:
        os.kill(pid, signal.SIGKILL)
    assert run("SELECT 2").rows == ((2,),)


def test_programs_run_side_by_side(run: Run) -> None:
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(3) as threads:
        results = list(threads.map(lambda n: run(f"SELECT {n} + count(*) FROM T1").rows, range(9)))
    assert results == [((n + 4,),) for n in range(9)]
