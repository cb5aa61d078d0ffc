"""DuckDB database files: every table, read-only, in one snapshot."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import closing
from typing import TYPE_CHECKING, Any

from tablehound.errors import BrokenSourceError, SourceError, UnsupportedSourceError
from tablehound.lake.read.batches import numbered
from tablehound.lake.read.contract import Account, SourceFile, TableDraft
from tablehound.lake.read.databases.selection import chosen, quoted
from tablehound.lake.table import Provenance

if TYPE_CHECKING:
    import pyarrow as pa

_TABLES = """
SELECT schema_name, table_name FROM duckdb_tables()
WHERE NOT internal AND database_name = current_database() ORDER BY schema_name, table_name
"""
_NUMBER = re.compile(r"NUMBER|U?(?:TINY|SMALL|BIG|HUGE)?INT(?:EGER)?\\b|DECIMAL|FLOAT|DOUBLE|REAL")
"""Types that the database calls numbers."""
_VIEWS = _TABLES.replace("duckdb_tables()", "duckdb_views()").replace("table_name", "view_name")


def read(source: SourceFile) -> Iterator[TableDraft]:
    """Read the tables of a database in the order of their names; views are left out.

    Raises:
        BrokenSourceError: damaged, or written by a newer DuckDB.
        SourceError: another program is writing it.
    """
    import duckdb

    where = source.name + (f"!{source.member}" if source.member else "")
    errors: list[SourceError] = []
    try:
        str(source.path).encode()
    except UnicodeEncodeError as error:
        raise UnsupportedSourceError(
            "DuckDB opens no path that is not Unicode", where=where, remedy="rename the file or its folder"
        ) from error
    try:
        with closing(_connect(source)) as connection:
            connection.execute("BEGIN")
            found = {_sheet(*row): row for row in connection.execute(_TABLES).fetchall()}
            views = [_sheet(*row) for row in connection.execute(_VIEWS).fetchall()]
            for ordinal, sheet in chosen(source, list(found), errors, where, views):
                schema, name = found[sheet]
                try:
                    yield _draft(connection, schema, name, sheet, ordinal, source)
                except duckdb.Error as error:
                    errors.append(BrokenSourceError(_first_line(error), where=f"{where}#{sheet}"))
    except duckdb.Error as error:
        if "lock on file" in str(error):
            raise SourceError(
                f"another program is writing it ({_first_line(error)})",
                where=where,
                remedy="index again when that program is done",
            ) from error
        raise BrokenSourceError(
            _first_line(error), where=where, remedy="close the programs that write it, or export it with this DuckDB"
        ) from error
    if errors:
        raise errors[0]


def _sheet(schema: str, name: str) -> str:
    return name if schema == "main" else f"{schema}.{name}"


def _connect(source: SourceFile) -> Any:
    import duckdb

    return duckdb.connect(
        str(source.path),
        read_only=True,
        config={"enable_external_access": "false", "autoload_known_extensions": "false", "threads": "1"},
    )


def _draft(connection: Any, schema: str, name: str, sheet: str, ordinal: int, source: SourceFile) -> TableDraft:
    table = f"{quoted(schema)}.{quoted(name)}"
    described = connection.execute(f"SELECT * FROM {table} LIMIT 0").description
    names = [column[0] for column in described]
    numbers = (place for place, column in enumerate(described) if _NUMBER.match(str(column[1]).upper()))
    account = Account()
    return TableDraft(
        header=tuple((text,) for text in names),
        batches=_batches(connection, table, names, account, source, sheet),
        provenance=Provenance(source.name, "duckdb", source.member, sheet=sheet, ordinal=ordinal),
        title=name,
        number_columns=frozenset(numbers),
        account=account,
    )


def _batches(
    connection: Any, table: str, names: list[str], account: Account, source: SourceFile, sheet: str
) -> Iterator[pa.RecordBatch]:
    import duckdb

    casts = ", ".join(f"CAST({quoted(name)} AS VARCHAR)" for name in names)
    try:
        relation = connection.sql(f"SELECT {casts} FROM {table}")
        # DuckDB 1 and 2 have different names for it.
        reader = getattr(relation, "to_arrow_reader", None) or relation.fetch_arrow_reader
        for batch in reader(source.settings.batch_rows):
            yield numbered(batch.columns, batch.num_rows, account.seen + 1)
            account.seen += batch.num_rows
            account.kept += batch.num_rows
    except duckdb.Error as error:
        raise BrokenSourceError(
            f"damaged after row {account.seen}: {_first_line(error)}", where=f"{source.name}#{sheet}"
        ) from error


def _first_line(error: BaseException) -> str:
    return str(error).partition("\n")[0]
