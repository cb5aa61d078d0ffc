"""Adapter for the TARGET benchmark of table retrieval (Ji et al., 2024; package ``target-benchmark``).

TARGET hands a corpus to a retriever and then asks it for the tables of each query. Its custom retriever classes keep
their own index, which here is a lake:

    from target_benchmark.evaluators import TARGET
    from tablehound.evaluation import target_retriever

    TARGET(("Table Retrieval Task", "fetaqa")).run(retriever=target_retriever(), split="validation")

``target-benchmark`` 0.1 wants numpy below 2; install it into an environment of its own, with this package added there
without its dependencies' pins, or wait for a release that lifts the pin.
"""

from __future__ import annotations

import csv
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from tablehound.errors import MissingExtraError, UsageError
from tablehound.settings import Settings

if TYPE_CHECKING:
    from tablehound.lake import Lake

_TABLE, _TABLE_ID, _DATABASE_ID = "table", "table_id", "database_id"
"""TARGET's names for the columns of a corpus (``dictionary_keys``)."""


class LakeRetriever:
    """What TARGET asks of a custom retriever, over one lake per data set. Not bound to the package, so it can be used
    and tested without it; :func:`target_retriever` makes it one of the package's."""

    def __init__(self, settings: Settings | None = None, folder: Path | None = None) -> None:
        """Args:
        settings: of reading and ranking; tables have no titles or names to go by.
        folder: for the lakes; a temporary one if None, which goes with this object.
        """
        self._settings = (settings or Settings()).with_values(**{"backbone.blind": True})
        self._scratch = tempfile.TemporaryDirectory(prefix="tablehound-target-") if folder is None else None
        self._folder = folder or Path(self._scratch.name if self._scratch else "")
        self._lakes: dict[str, Lake] = {}
        self._named: dict[str, dict[str, tuple[str, str]]] = {}

    def embed_corpus(self, dataset_name: str, corpus: Iterable[Mapping[str, Any]]) -> None:
        """Write the tables down and index them.

        Args:
            dataset_name: names the lake.
            corpus: batches, each with lists of nested arrays (header first), table ids and database ids.
        """
        from tablehound.lake import Lake, index_sources
        from tablehound.retrieval import segment_builders

        home = self._folder / "".join(c if c.isalnum() or c in "-_" else "-" for c in dataset_name)
        tables = home / "tables"
        tables.mkdir(parents=True, exist_ok=True)
        named: dict[str, tuple[str, str]] = {}
        for batch in corpus:
            for table, table_id, database in zip(batch[_TABLE], batch[_TABLE_ID], batch[_DATABASE_ID], strict=True):
                stem = f"{len(named):07}"
                named[stem] = (str(database), str(table_id))
                with (tables / f"{stem}.csv").open("w", encoding="utf-8", newline="") as out:
                    csv.writer(out).writerows([["" if cell is None else cell for cell in row] for row in table])
        if dataset_name in self._lakes:
            self._lakes.pop(dataset_name).close()
        index_sources([str(tables)], home / "lake", self._settings, builders=segment_builders(self._settings))
        self._lakes[dataset_name] = Lake.open(home / "lake")
        self._named[dataset_name] = named

    def retrieve(self, query: str, dataset_name: str, top_k: int, **_: Any) -> list[tuple[str, str]]:
        """(database id, table id) of the best tables, best first.

        Raises:
            UsageError: no corpus of that name was given.
        """
        from tablehound.retrieval import find

        if dataset_name not in self._lakes:
            raise UsageError(f"there is no corpus {dataset_name!r}", remedy="call embed_corpus first")
        lake, named = self._lakes[dataset_name], self._named[dataset_name]
        # A table that falls into several regions is one table of theirs.
        found = find(lake, query, settings=self._settings, limit=2 * top_k)
        keys = (PurePosixPath(lake.info(candidate.table_id).provenance.source).stem for candidate in found)
        return list(dict.fromkeys(named[key] for key in keys))[:top_k]

    def close(self) -> None:
        """Close the lakes, and remove what was written for a temporary folder."""
        for lake in self._lakes.values():
            lake.close()
        self._lakes.clear()
        if self._scratch is not None:
            self._scratch.cleanup()


def target_retriever(settings: Settings | None = None, folder: Path | None = None) -> Any:
    """A ``target_benchmark.retrievers.AbsCustomEmbeddingRetriever`` over a lake.

    Raises:
        MissingExtraError: ``target-benchmark`` is not installed.
    """
    try:
        from target_benchmark.retrievers import AbsCustomEmbeddingRetriever
    except ImportError as error:
        raise MissingExtraError(
            f"target-benchmark cannot be imported: {error}", remedy="pip install target-benchmark"
        ) from error

    class TablehoundRetriever(LakeRetriever, AbsCustomEmbeddingRetriever):  # type: ignore[misc]
        def __init__(self) -> None:
            AbsCustomEmbeddingRetriever.__init__(self, expected_corpus_format="nested array")
            LakeRetriever.__init__(self, settings, folder)

    return TablehoundRetriever()
