"""Looking values up: which columns share the values of a column, and which hold a value like a text."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from tablehound.retrieval.candidate import MAX_COLUMNS, ColumnOverlap, SearchEngine, ValueMatch
from tablehound.retrieval.engine import open_engine

if TYPE_CHECKING:
    from tablehound.lake import Lake


def overlaps(
    lake: Lake, table_id: str, column: int, k: int = 30, *, engine: SearchEngine | None = None
) -> list[ColumnOverlap]:
    """The ``k`` columns of other tables that share most values with a column: most first, then by table id and column.

    Exact: every column of the lake is counted. With the value index this reads postings; without, all tables.

    Raises:
        TableMissingError: the lake has no such table.
    """
    from tablehound.retrieval.value_index.engine import IndexEngine

    engine = engine or open_engine(lake)
    if isinstance(engine, IndexEngine):
        return engine.overlaps(table_id, column, k)
    wanted = set(_keys(lake, table_id, column))
    found = []
    for other in lake.table_ids():
        if other == table_id:
            continue
        for index in range(len(lake.info(other).columns)):
            shared = len(wanted.intersection(_keys(lake, other, index)))
            if shared:
                distinct = len({text for text in lake.table(other).column(index) if text is not None})
                found.append(ColumnOverlap(other, index, shared, distinct))
    found.sort(key=lambda o: (-o.overlap, o.table_id, o.column))
    return found[:k]


def _keys(lake: Lake, table_id: str, column: int) -> list[str]:
    from tablehound.retrieval.scan import column_texts
    from tablehound.retrieval.value_index.keys import distinct_keys

    return distinct_keys(column_texts(lake.table(table_id), column)).to_list()


def columns_with_values_like(
    lake: Lake, text: str, limit: int = 10, *, cutoff: float = 0.6, engine: SearchEngine | None = None
) -> list[ValueMatch]:
    """The lake's cell values most like ``text`` ("Nw York"), each with the columns that hold it, best first.

    Candidates share trigrams with the text and are compared by edit similarity; those below ``cutoff`` are left out.
    """
    from rapidfuzz import fuzz, process

    from tablehound.retrieval.value_index.engine import IndexEngine

    engine = engine or open_engine(lake)
    if isinstance(engine, IndexEngine):
        return engine.values_like(text, limit, cutoff=cutoff)
    held: dict[str, Counter[tuple[str, int]]] = {}
    for table_id in lake.table_ids():
        table = lake.table(table_id)
        for index in range(len(table.info.columns)):
            for cell in table.column(index):
                if cell is not None:
                    held.setdefault(cell, Counter())[(table_id, index)] += 1
    texts = sorted(held)
    found = process.extract(
        text.strip().lower(),
        [candidate.strip().lower() for candidate in texts],
        scorer=fuzz.ratio,
        limit=limit,
        score_cutoff=100 * cutoff,
    )
    return [
        ValueMatch(texts[place], score / 100, tuple(sorted(held[texts[place]])[:MAX_COLUMNS]), len(held[texts[place]]))
        for _, score, place in found
    ]
