"""Parquet, Arrow IPC (files and streams) and Feather: file -> schema and batches -> texts."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

from tablehound.errors import BrokenSourceError, UnsupportedSourceError
from tablehound.lake.read.columnar.cells import flat_columns, number_columns, text_batch
from tablehound.lake.read.contract import Account, SourceFile, TableDraft
from tablehound.lake.table import Provenance

if TYPE_CHECKING:
    import pyarrow as pa


def read(source: SourceFile) -> Iterator[TableDraft]:
    """Read the one table of a Parquet, Arrow or Feather file, batch by batch.

    Raises:
        UnsupportedSourceError: encrypted.
        BrokenSourceError: damaged or truncated.
    """
    import pyarrow as pa

    where = source.name + (f"!{source.member}" if source.member else "")
    with source.path.open("rb") as stream:
        magic = stream.read(6)
    if magic.startswith(b"PARE"):
        raise UnsupportedSourceError("the Parquet file is encrypted", where=where, remedy="decrypt it first")
    with contextlib.ExitStack() as stack:
        try:
            schema, batches = _open(source, magic, stack)
            if len(schema) == 0:
                return
            account = Account()
            yield TableDraft(
                header=flat_columns(schema),
                batches=_texts(batches, account, where),
                provenance=Provenance(source.name, source.format or "parquet", source.member),
                number_columns=number_columns(schema),
                account=account,
            )
        except (pa.ArrowException, OSError) as error:
            raise BrokenSourceError(_first_line(error), where=where) from error


def _open(source: SourceFile, magic: bytes, stack: contextlib.ExitStack) -> tuple[pa.Schema, Iterator[pa.RecordBatch]]:
    import pyarrow as pa

    if magic.startswith(b"PAR1"):
        import pyarrow.parquet as pq

        parquet = stack.enter_context(pq.ParquetFile(stack.enter_context(_opened(source))))
        return parquet.schema_arrow, parquet.iter_batches(batch_size=source.settings.batch_rows, use_threads=False)
    if magic.startswith(b"FEA1"):
        import pyarrow.feather as feather

        table = feather.read_table(stack.enter_context(_opened(source)), use_threads=False)
        return table.schema, iter(table.to_batches(max_chunksize=source.settings.batch_rows))
    mapped = stack.enter_context(pa.memory_map(os.fsencode(source.path)))
    if magic.startswith(b"ARROW1"):
        file = stack.enter_context(pa.ipc.open_file(mapped))
        return file.schema, (file.get_batch(i) for i in range(file.num_record_batches))
    stream = stack.enter_context(pa.ipc.open_stream(mapped))
    return stream.schema, iter(stream)


def _opened(source: SourceFile) -> pa.NativeFile:
    """The file; by the bytes of its path, which need not be Unicode."""
    import pyarrow as pa

    return pa.OSFile(os.fsencode(source.path), "rb")


def _texts(batches: Iterator[pa.RecordBatch], account: Account, where: str) -> Iterator[pa.RecordBatch]:
    import pyarrow as pa

    try:
        for batch in batches:
            yield text_batch(batch, account.seen + 1)
            account.seen += batch.num_rows
            account.kept += batch.num_rows
    except (pa.ArrowException, OSError) as error:
        raise BrokenSourceError(f"damaged after row {account.seen}: {_first_line(error)}", where=where) from error


def _first_line(error: BaseException) -> str:
    return str(error).partition("\n")[0] or type(error).__name__
