"""The child process that runs programs: started by :mod:`tablehound.execution.pool`, limited, and killed from outside.

It takes requests and answers them as frames. One request is a set of tables (Arrow streams) and queries over them;
each gets a fresh in-memory database with no access to files, network, extensions or its own configuration. Results go
back as Arrow streams, never as pickles, so that the parent need not trust the child.
"""

from __future__ import annotations

import json
import time
from typing import IO, Any

from tablehound.processes import connect_to_parent, read_frame, write_frame

OPEN_FILES = 48
"""Descriptors that the child may have."""


def main() -> None:
    """Serve requests until there are no more."""
    # Before the engine is loaded: it prints a progress bar to standard output.
    source, sink = connect_to_parent()
    _warm_up()
    write_frame(sink, b"ready")
    sink.flush()
    limited = False
    connection: Any = None
    while True:
        try:
            request = json.loads(read_frame(source))
            tables = {alias: read_frame(source) for alias in request["tables"]}
        except EOFError:
            return
        if not limited:
            _limit(request["memory_mb"])
            limited = True
        _limit_cpu(request["timeout"])
        _serve(connection or _connect(request["memory_mb"]), request, tables, sink)
        # Opening a database takes longer than most programs: the next one is opened while nobody waits.
        tables.clear()
        connection = _opened(request["memory_mb"])


def _opened(memory_mb: int) -> Any:
    """A database ahead of its use; None where memory is short just now."""
    import duckdb

    try:
        return _connect(memory_mb)
    except (duckdb.Error, MemoryError):
        return None


def _warm_up() -> None:
    """Load what programs need before files are out of reach."""
    import pyarrow as pa

    connection = _connect(64)
    connection.register("warm", pa.table({"a": [1], "b": ["x"]}))
    connection.execute("CREATE TABLE t AS SELECT * FROM warm")
    _stream(connection.execute("SELECT a, b, DATE '2000-01-01' d, 1::DECIMAL(9,2) c, now() n, [1] l FROM t"), 1)
    connection.close()


def _limit(memory_mb: int) -> None:
    """Limits that a program cannot lift: address space above what the loaded libraries take, no files, no dumps."""
    import resource
    from pathlib import Path

    status = Path("/proc/self/statm")
    if status.exists():
        pages = int(status.read_text(encoding="ascii").split()[0])
        _lower(resource.RLIMIT_AS, pages * resource.getpagesize() + memory_mb * 2**20)
    _lower(resource.RLIMIT_FSIZE, 0)
    _lower(resource.RLIMIT_CORE, 0)
    _lower(resource.RLIMIT_NOFILE, OPEN_FILES)


def _lower(limit: int, most: int) -> None:
    """Set a limit for good; one that is lower already stays."""
    import resource

    hard = resource.getrlimit(limit)[1]
    most = most if hard == resource.RLIM_INFINITY else min(most, hard)
    resource.setrlimit(limit, (most, most))


def _limit_cpu(timeout: float) -> None:
    """Processor time for the next request, should nobody be left to kill this process."""
    import resource

    used = time.process_time()
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    most = int(used + 4 * timeout) + 2
    resource.setrlimit(resource.RLIMIT_CPU, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))


def _connect(memory_mb: int) -> Any:
    import duckdb

    connection = duckdb.connect(
        ":memory:",
        config={
            "enable_external_access": "false",
            "autoload_known_extensions": "false",
            "autoinstall_known_extensions": "false",
            "allow_community_extensions": "false",
            "python_enable_replacements": "false",
            "temp_directory": "",
            "threads": "2",
            "memory_limit": f"{max(64, memory_mb * 3 // 4)}MB",
        },
    )
    connection.execute("SET enable_progress_bar = false")
    return connection


def _serve(connection: Any, request: dict[str, Any], tables: dict[str, bytes], sink: IO[bytes]) -> None:
    import duckdb

    loaded = True
    try:
        _load(connection, tables, request["views"])
        connection.execute("SET lock_configuration = true")
    except (duckdb.Error, MemoryError) as error:
        loaded = False
        _answer(sink, {"error": str(error), "kind": type(error).__name__}, b"")
    for query in request["queries"] if loaded else ():
        started = time.perf_counter()
        head: dict[str, Any]
        try:
            body = _run(connection, query["text"], query["rows"], query["checked"])
            head = {"error": None}
        except _RefusedError as error:
            head, body = {"error": str(error), "kind": "Refused"}, b""
        except MemoryError:
            head, body = {"error": "out of memory", "kind": "OutOfMemoryException"}, b""
        except duckdb.Error as error:
            head, body = {"error": str(error), "kind": type(error).__name__}, b""
        head["seconds"] = time.perf_counter() - started
        _answer(sink, head, body)
        if query["checked"] and head["error"] is not None:
            break
    connection.close()


def _answer(sink: IO[bytes], head: dict[str, Any], body: bytes) -> None:
    write_frame(sink, json.dumps(head).encode("utf-8"))
    write_frame(sink, body)
    sink.flush()


class _RefusedError(Exception):
    """Not a single SELECT."""


def _load(connection: Any, tables: dict[str, bytes], views: dict[str, str]) -> None:
    """Make each table native to the database, and the views that programs see of them."""
    import pyarrow as pa

    for name, data in tables.items():
        with pa.ipc.open_stream(data) as reader:
            table = reader.read_all()
        connection.register("__incoming", table)
        connection.execute(f"CREATE TABLE {_quoted(name)} AS SELECT * FROM __incoming")
        connection.unregister("__incoming")
    for name, select in views.items():
        connection.execute(f"CREATE VIEW {_quoted(name)} AS {select}")


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _run(connection: Any, text: str, rows: int, checked: bool) -> bytes:
    import duckdb

    if checked:
        statements = connection.extract_statements(text)
        if len(statements) != 1:
            raise _RefusedError(f"{len(statements)} statements where one SELECT is allowed")
        if statements[0].type != duckdb.StatementType.SELECT:
            raise _RefusedError(f"a statement of type {statements[0].type.name} where only SELECT is allowed")
        return _exact(connection, text, rows)
    return _stream(connection.execute(text), rows)


_AS_TEXT = ("UHUGEINT", "BIT", "BLOB", "TIME WITH TIME ZONE", "INTERVAL", "TIMESTAMP_NS")
"""Types of the engine that Arrow or Python has no exact counterpart of: their own text is the value."""
INTEGER = b"integer"
"""Metadata of a column of texts that are whole numbers."""


def _exact(connection: Any, text: str, rows: int) -> bytes:
    """A result whose values Python can hold: columns that it cannot (dates before the year 1 or without end, integers
    of 128 bits without sign, bytes, zones) are the engine's own texts."""
    import pyarrow as pa

    cursor = connection.execute(text)
    kinds = [str(column[1]) for column in cursor.description]
    names = [str(column[0]) for column in cursor.description]
    data = _stream(cursor, rows)
    with pa.ipc.open_stream(data) as reader:
        table = reader.read_all()
    odd = [
        any(name in kind for name in _AS_TEXT) or not _fits_python(column)
        for kind, column in zip(kinds, table.columns, strict=True)
    ]
    if not any(odd):
        return data
    shown = ", ".join(f"CAST(c{n} AS VARCHAR) AS c{n}" if as_text else f"c{n}" for n, as_text in enumerate(odd))
    places = ", ".join(f"c{n}" for n in range(len(odd)))
    with pa.ipc.open_stream(
        _stream(connection.execute(f"SELECT {shown} FROM ({text}\n) AS r({places})"), rows)
    ) as reader:
        table = reader.read_all()
    fields = [
        pa.field(name, column.type, metadata={"kind": INTEGER} if kind == "UHUGEINT" else None)
        for name, kind, column in zip(names, kinds, table.columns, strict=True)
    ]
    return _written(pa.schema(fields), pa.Table.from_arrays(table.columns, schema=pa.schema(fields)).to_batches())


def _fits_python(column: Any) -> bool:
    """Whether every value of an Arrow column is one of Python's, unchanged."""
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = column.type
    if pa.types.is_time64(kind):  # 24:00:00 would become midnight
        return not pc.any(pc.greater_equal(column.cast(pa.int64()), 86_400_000_000)).as_py()
    if pa.types.is_temporal(kind) or pa.types.is_nested(kind):
        try:
            column.to_pylist()
        except (OverflowError, ValueError):
            return False
    return True


def _stream(cursor: Any, rows: int) -> bytes:
    """At most ``rows`` rows of a result as an Arrow stream."""
    reader = cursor.to_arrow_reader(max(1, min(rows, 100_000)))
    taken, left = [], rows
    for batch in reader:
        taken.append(batch.slice(0, left))
        left -= taken[-1].num_rows
        if left <= 0:
            break
    return _written(reader.schema, taken)


def _written(schema: Any, batches: list[Any]) -> bytes:
    """Arrow batches as one stream."""
    import pyarrow as pa

    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, schema) as writer:
        for batch in batches:
            writer.write_batch(batch)
    return bytes(sink.getvalue())
