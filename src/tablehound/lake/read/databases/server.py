"""Tables of PostgreSQL and MySQL (MariaDB) servers, by URL: read-only, in one snapshot, in batches.

PostgreSQL goes through ADBC, MySQL through PyMySQL; both come with the extra ``databases``. Every value is made text by
the server itself, so that numbers, dates and arrays read as its own tools show them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import parse_qs, unquote, urlsplit, urlunsplit

from tablehound.errors import MissingExtraError, SourceError
from tablehound.lake.read.batches import numbered
from tablehound.lake.read.columnar.cells import as_text
from tablehound.lake.read.contract import Account, SourceFile, TableDraft
from tablehound.lake.read.databases.selection import chosen, quoted
from tablehound.lake.table import Provenance

if TYPE_CHECKING:
    import pyarrow as pa

CONNECT_SECONDS = 10
"""How long a server is waited for. By hand."""
FETCH_ROWS = 8_192
"""Rows of MySQL that are fetched at a time. By hand."""

_POSTGRESQL_TABLES = """
SELECT n.nspname::text, c.relname::text
FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition AND n.nspname NOT IN ('pg_catalog', 'information_schema')
AND n.nspname NOT LIKE 'pg\\_t%' AND pg_catalog.has_table_privilege(c.oid, 'SELECT') ORDER BY 1, 2
"""
_POSTGRESQL_VIEWS = _POSTGRESQL_TABLES.replace("('r', 'p')", "('v', 'm')")
_POSTGRESQL_COLUMNS = """
SELECT a.attname::text, coalesce(array_position(i.indkey::int2[], a.attnum), -1)::int4
FROM pg_catalog.pg_attribute a LEFT JOIN pg_catalog.pg_index i ON i.indrelid = a.attrelid AND i.indisprimary
WHERE a.attrelid = (quote_ident($1) || '.' || quote_ident($2))::regclass AND a.attnum > 0 AND NOT a.attisdropped
ORDER BY a.attnum
"""
_MYSQL_TABLES = """
SELECT table_name FROM information_schema.tables
WHERE table_schema = DATABASE() AND table_type = 'BASE TABLE' ORDER BY table_name
"""
_MYSQL_COLUMNS = """
SELECT column_name, data_type FROM information_schema.columns
WHERE table_schema = DATABASE() AND table_name = %s ORDER BY ordinal_position
"""


@dataclass(frozen=True, slots=True)
class _Name:
    schema: str
    table: str

    @property
    def label(self) -> str:
        return self.table if self.schema in ("", "public") else f"{self.schema}.{self.table}"


class _Server(Protocol):
    """What differs between servers. The connection is one read-only snapshot until it is closed."""

    errors: type[Exception]

    def tables(self) -> list[_Name]: ...

    def views(self) -> list[str]: ...

    def columns(self, name: _Name) -> list[str]: ...

    def batches(self, name: _Name, columns: Sequence[str]) -> Iterator[list[pa.Array]]: ...

    def close(self) -> None: ...


def read_url(url: str, source: SourceFile) -> Iterator[TableDraft]:
    """Read all tables that the user of the URL may read, in the order of their names; views are left out.

    Raises:
        MissingExtraError: the driver is not installed.
        SourceError: the server cannot be reached or refuses.
    """
    server = _connect(url, source.name)
    with closing(server):
        try:
            found = {name.label: name for name in server.tables()}
            views = server.views()
            errors: list[SourceError] = []
            for ordinal, label in chosen(source, list(found), errors, source.name, views):
                name = found[label]
                columns = server.columns(name)
                if not columns:
                    continue
                account = Account()
                yield TableDraft(
                    header=tuple((column,) for column in columns),
                    batches=_batches(server, name, columns, account, source.name),
                    provenance=Provenance(source.name, "database", sheet=name.label, ordinal=ordinal),
                    title=name.table,
                    account=account,
                )
        except server.errors as error:
            raise SourceError(_one_line(error), where=source.name) from error
        if errors:
            raise errors[0]


def _batches(
    server: _Server, name: _Name, columns: Sequence[str], account: Account, where: str
) -> Iterator[pa.RecordBatch]:
    try:
        for arrays in server.batches(name, columns):
            n_rows = len(arrays[0])
            yield numbered(arrays, n_rows, account.seen + 1)
            account.seen += n_rows
            account.kept += n_rows
    except server.errors as error:
        message = f"reading stopped after row {account.seen}: {_one_line(error)}"
        raise SourceError(message, where=f"{where}#{name.label}") from error


def _connect(url: str, where: str) -> _Server:
    scheme = url.partition("://")[0].partition("+")[0].lower()
    kind = _PostgreSQL if scheme in ("postgresql", "postgres") else _MySQL
    try:
        return kind(url)
    except ImportError as error:
        raise MissingExtraError(
            f"{where}: the driver for {scheme} is not installed", remedy="pip install 'tablehound[databases]'"
        ) from error
    except (OSError, ValueError) as error:
        raise SourceError(_one_line(error), where=where, remedy="check the URL") from error


class _PostgreSQL:
    def __init__(self, url: str) -> None:
        from adbc_driver_postgresql import dbapi

        self.errors: type[Exception] = dbapi.Error
        parts = urlsplit(url)
        query = parts.query
        if "connect_timeout" not in parse_qs(query):
            query += ("&" if query else "") + f"connect_timeout={CONNECT_SECONDS}"
        try:
            self._connection = dbapi.connect(urlunsplit(("postgresql", parts.netloc, parts.path, query, "")))
        except dbapi.Error as error:
            raise OSError(_one_line(error)) from error
        with self._connection.cursor() as cursor:
            # The same text whatever the settings of the user, the server and this machine.
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
            for setting in ("TIME ZONE 'UTC'", "DATESTYLE = 'ISO, YMD'", "INTERVALSTYLE = 'iso_8601'"):
                cursor.execute(f"SET LOCAL {setting}")

    def tables(self) -> list[_Name]:
        return self._relations(_POSTGRESQL_TABLES)

    def views(self) -> list[str]:
        return [name.label for name in self._relations(_POSTGRESQL_VIEWS)]

    def _relations(self, statement: str) -> list[_Name]:
        with self._connection.cursor() as cursor:
            cursor.execute(statement)
            return [_Name(schema, table) for schema, table in cursor.fetchall()]

    def columns(self, name: _Name) -> list[str]:
        return [column for column, _ in self._described(name)]

    def _described(self, name: _Name) -> list[tuple[str, int]]:
        with self._connection.cursor() as cursor:
            cursor.execute(_POSTGRESQL_COLUMNS, (name.schema, name.table))
            return [(column, place) for column, place in cursor.fetchall()]

    def batches(self, name: _Name, columns: Sequence[str]) -> Iterator[list[pa.Array]]:
        casts = ", ".join(f"{quoted(column)}::text" for column in columns)
        keys = sorted((place, column) for column, place in self._described(name) if place >= 0)
        # Heap order differs from machine to machine; the primary key does not.
        # By the column (t.id), since a bare name would mean the text that is selected under the same name.
        order = f" ORDER BY {', '.join('t.' + quoted(column) for _, column in keys)}" if keys else ""
        with self._connection.cursor() as cursor:
            cursor.execute(f"SELECT {casts} FROM {quoted(name.schema)}.{quoted(name.table)} t{order}")
            for batch in cursor.fetch_record_batch():
                if batch.num_rows:
                    yield [as_text(array) for array in batch.columns]

    def close(self) -> None:
        self._connection.close()


class _MySQL:
    def __init__(self, url: str) -> None:
        import pymysql

        self.errors: type[Exception] = pymysql.MySQLError
        parts = urlsplit(url)
        database = unquote(parts.path.strip("/"))
        if not database:
            raise ValueError("the URL names no database: mysql://user@host/database")
        socket = parse_qs(parts.query).get("unix_socket")
        try:
            self._connection: Any = pymysql.connect(
                host=parts.hostname or "localhost",
                port=parts.port or 3306,
                unix_socket=socket[0] if socket else None,
                user=unquote(parts.username) if parts.username else None,
                password=unquote(parts.password or ""),
                database=database,
                charset="utf8mb4",
                connect_timeout=CONNECT_SECONDS,
                local_infile=False,
            )
            self._all("SET time_zone = '+00:00'")
            self._all("START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY")
        except pymysql.MySQLError as error:
            raise OSError(_one_line(error)) from error

    def _all(self, statement: str, values: Sequence[str] = ()) -> list[tuple[Any, ...]]:
        with self._connection.cursor() as cursor:
            cursor.execute(statement, values or None)
            return list(cursor.fetchall())

    def tables(self) -> list[_Name]:
        return [_Name("", table) for (table,) in self._all(_MYSQL_TABLES)]

    def views(self) -> list[str]:
        return [view for (view,) in self._all(_MYSQL_TABLES.replace("BASE TABLE", "VIEW"))]

    def columns(self, name: _Name) -> list[str]:
        return [column for column, _ in self._all(_MYSQL_COLUMNS, (name.table,))]

    def batches(self, name: _Name, columns: Sequence[str]) -> Iterator[list[pa.Array]]:
        import pyarrow as pa
        from pymysql.cursors import SSCursor

        kinds = dict(self._all(_MYSQL_COLUMNS, (name.table,)))
        casts = ", ".join(_mysql_text(column, str(kinds[column])) for column in columns)
        table = _backquoted(name.table)
        keys = [row[4] for row in self._all(f"SHOW KEYS FROM {table} WHERE Key_name = 'PRIMARY'")]
        order = f" ORDER BY {', '.join(map(_backquoted, keys))}" if keys else ""
        with self._connection.cursor(SSCursor) as cursor:
            cursor.execute(f"SELECT {casts} FROM {table}{order}")
            while rows := cursor.fetchmany(FETCH_ROWS):
                yield [pa.array(column, pa.string()) for column in zip(*rows, strict=True)]

    def close(self) -> None:
        self._connection.close()


def _mysql_text(column: str, kind: str) -> str:
    quoted = _backquoted(column)
    if "blob" in kind or "binary" in kind or kind in ("bit", "geometry", "point"):
        return f"CONCAT('0x', LOWER(HEX({quoted})))"
    return f"CAST({quoted} AS CHAR)"


def _backquoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


def _one_line(error: BaseException) -> str:
    return " ".join(str(error).split())
