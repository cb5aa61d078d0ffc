"""Database servers by URL. The tests start a real PostgreSQL, and a real MariaDB where there is one."""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from tablehound.lake import Lake

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="starts servers as on Unix")


def _find(name: str) -> str | None:
    found = shutil.which(name)
    versions = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"))
    return found or (str(versions[-1]) if versions else None)


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port


def _as_user(name: str, folder: Path) -> dict[str, Any]:
    """Arguments for subprocess: servers refuse to run as root, so they run as the user that their package made."""
    if os.geteuid() != 0:
        return {}
    try:
        entry = pwd.getpwnam(name)
    except KeyError:
        pytest.skip(f"runs as root and there is no user {name!r}")
    os.chown(folder, entry.pw_uid, entry.pw_gid)
    return {"user": entry.pw_uid, "group": entry.pw_gid, "cwd": folder}


def _run(command: Sequence[str | Path], **values: Any) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False, **values)
    assert done.returncode == 0, done.stderr + done.stdout


@pytest.fixture(scope="module")
def postgresql() -> Iterator[str]:
    """URL of an empty PostgreSQL database."""
    pytest.importorskip("adbc_driver_postgresql")
    initdb, pg_ctl = _find("initdb"), _find("pg_ctl")
    if initdb is None or pg_ctl is None:
        pytest.skip("PostgreSQL is not installed")
    folder = Path(tempfile.mkdtemp(prefix="tablehound-postgresql-"))
    user = _as_user("postgres", folder)
    port = _free_port()
    _run([initdb, "-D", folder / "data", "-A", "trust", "-U", "someone", "-E", "UTF8", "--no-sync"], **user)
    options = f"-p {port} -k {folder} -c listen_addresses=127.0.0.1 -c fsync=off"
    start = [pg_ctl, "-D", str(folder / "data"), "-o", options, "-w", "-l", str(folder / "log"), "start"]
    done = subprocess.run(start, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False, **user)
    assert done.returncode == 0, (folder / "log").read_text(encoding="utf-8")
    yield f"postgresql://someone:a%20secret@127.0.0.1:{port}/postgres"
    _run([pg_ctl, "-D", folder / "data", "-m", "immediate", "stop"], **user)
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="module")
def mariadb() -> Iterator[str]:
    """URL of an empty MariaDB database."""
    pytest.importorskip("pymysql")
    install, server, admin = _find("mariadb-install-db"), _find("mariadbd"), _find("mariadb-admin")
    if install is None or server is None or admin is None:
        pytest.skip("MariaDB is not installed")
    folder = Path(tempfile.mkdtemp(prefix="tablehound-mariadb-"))
    user = _as_user("mysql", folder)
    data = f"--datadir={folder / 'data'}"
    _run([install, "--no-defaults", data, "--auth-root-authentication-method=normal"], **user)
    port = _free_port()
    sock = f"--socket={folder / 's'}"
    command = [server, "--no-defaults", data, sock, f"--port={port}", "--bind-address=127.0.0.1"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **user)
    for _ in range(200):
        alive = subprocess.run([admin, "--no-defaults", sock, "-u", "root", "ping"], capture_output=True, check=False)
        if alive.returncode == 0:
            break
        time.sleep(0.1)
    _run([admin, "--no-defaults", sock, "-u", "root", "create", "shop"])
    yield f"mysql://root@127.0.0.1:{port}/shop"
    process.terminate()
    process.wait()
    shutil.rmtree(folder, ignore_errors=True)


def _execute(url: str, *statements: str) -> None:
    if url.startswith("postgresql"):
        from adbc_driver_postgresql import dbapi

        with dbapi.connect(url) as connection, connection.cursor() as cursor:
            for statement in statements:
                cursor.execute(statement)
            connection.commit()
        return
    import pymysql

    port = int(url.rpartition(":")[2].partition("/")[0])
    with pymysql.connect(host="127.0.0.1", port=port, user="root", database="shop") as connection:
        for statement in statements:
            connection.cursor().execute(statement)
        connection.commit()


def _rows(lake_path: Path) -> dict[str | None, list[tuple[str | None, ...]]]:
    with Lake.open(lake_path) as lake:
        return {info.provenance.sheet: list(lake.table(info.id).rows()) for info in lake.infos()}


def test_postgresql(postgresql: str, index: Callable[..., Any], tmp_path: Path) -> None:
    _execute(
        postgresql,
        """CREATE TABLE goods (id int PRIMARY KEY, name text, price numeric(10, 2), sold date, tags text[], info jsonb,
        raw bytea, seen timestamptz, weight float8, "Odd "" name" bool)""",
        """INSERT INTO goods VALUES (2, 'ü', 1.50, '2020-02-29', '{a,b}', '{"k": 1}', '\\x00ff',
        '2020-01-02 03:04:05+02', 0.1, true), (1, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)""",
        "CREATE TABLE many (id int PRIMARY KEY, text text)",
        "INSERT INTO many SELECT i, 'text ' || i FROM generate_series(1, 50000) i",
        "CREATE SCHEMA other",
        "CREATE TABLE other.goods (a int)",
        "CREATE TABLE parts (k int, v text) PARTITION BY LIST (k)",
        "CREATE TABLE parts1 PARTITION OF parts FOR VALUES IN (1)",
        "INSERT INTO parts VALUES (1, 'one')",
        "CREATE VIEW seen AS SELECT * FROM goods",
    )
    report = index(postgresql)
    assert report.ok, report.problems
    rows = _rows(tmp_path / "lake")
    assert sorted(map(str, rows)) == ["goods", "many", "other.goods", "parts"]
    assert rows["goods"] == [
        ("1", *(None,) * 9),
        ("2", "ü", "1.50", "2020-02-29", "{a,b}", '{"k": 1}', "\\x00ff", "2020-01-02 01:04:05+00", "0.1", "true"),
    ]
    assert rows["many"] == [(str(i), f"text {i}") for i in range(1, 50_001)]
    assert rows["other.goods"] == []
    assert rows["parts"] == [("1", "one")]
    with Lake.open(tmp_path / "lake") as lake:
        assert [source.left_out for source in lake.reports()] == [("view 'seen'",)]
        info = next(lake.infos())
        assert "secret" not in repr(info)
        assert "someone" not in repr(info)
    assert b"secret" not in (tmp_path / "lake" / "catalogue.sqlite").read_bytes()
    again = index(postgresql)
    assert (again.read, again.generation) == (1, report.generation)
    _execute(postgresql, "INSERT INTO parts VALUES (1, 'two')", "DROP TABLE other.goods")
    changed = index(postgresql)
    assert changed.generation != report.generation
    rows = _rows(tmp_path / "lake")
    assert rows["parts"] == [("1", "one"), ("1", "two")]
    assert "other.goods" not in rows


def test_a_server_that_is_down_loses_nothing(postgresql: str, index: Callable[..., Any], tmp_path: Path) -> None:
    _execute(postgresql, "CREATE TABLE IF NOT EXISTS stays (a int)")
    proxy = postgresql.replace("127.0.0.1", "localhost")
    index(postgresql)
    before = _rows(tmp_path / "lake")
    down = index("postgresql://nobody@127.0.0.1:1/postgres")
    (problem,) = down.problems
    assert problem.kind == "SourceError"
    assert "onnect" in problem.error
    assert _rows(tmp_path / "lake") == before
    assert index(proxy).ok


def test_mysql(mariadb: str, index: Callable[..., Any], tmp_path: Path) -> None:
    _execute(
        mariadb,
        """CREATE TABLE goods (id int PRIMARY KEY, name varchar(20), `50% off` decimal(8, 2), raw blob,
        sold datetime, weight double) CHARACTER SET utf8mb4""",
        "INSERT INTO goods VALUES (2, 'ü', 1.50, x'00ff', '2020-01-02 03:04:05', 0.1)",
        "INSERT INTO goods VALUES (1, NULL, NULL, NULL, NULL, NULL)",
        "CREATE TABLE empty (a int)",
        "CREATE VIEW seen AS SELECT * FROM goods",
    )
    report = index(mariadb)
    assert report.ok, report.problems
    assert _rows(tmp_path / "lake") == {
        "empty": [],
        "goods": [
            ("1", *(None,) * 5),
            ("2", "ü", "1.50", "0x00ff", "2020-01-02 03:04:05", "0.1"),
        ],
    }


def test_urls_that_say_too_little(index: Callable[..., Any]) -> None:
    pytest.importorskip("pymysql")
    (problem,) = index("mysql://localhost").problems
    assert "names no database" in problem.error
