"""Public data sets, one file each: typed records, read from a folder that the user gives."""

from __future__ import annotations

from tablehound.errors import UsageError
from tablehound.evaluation.datasets.base import (
    BenchQuestion,
    Collection,
    DataSet,
    TableKeys,
    read_json_lines,
    sample_questions,
)

__all__ = [
    "BenchQuestion",
    "Collection",
    "DataSet",
    "TableKeys",
    "data_set",
    "data_sets",
    "read_json_lines",
    "sample_questions",
]


def data_sets() -> dict[str, DataSet]:
    """All data sets by name."""
    from tablehound.evaluation.datasets.fetaqa import FeTaQa
    from tablehound.evaluation.datasets.groups import SIBLINGS
    from tablehound.evaluation.datasets.ottqa import OTTQA
    from tablehound.evaluation.datasets.own import OWN
    from tablehound.evaluation.datasets.spider import BIRD, SPIDER
    from tablehound.evaluation.datasets.tabfact import TabFact
    from tablehound.evaluation.datasets.wild import WILD
    from tablehound.evaluation.datasets.wtq import WTQ

    known: tuple[DataSet, ...] = (
        TabFact(), WTQ, OTTQA, FeTaQa(), SPIDER, BIRD, SIBLINGS, WILD, OWN
    )  # fmt: skip
    return {item.name: item for item in known}


def data_set(name: str) -> DataSet:
    """The data set of that name.

    Raises:
        UsageError: there is none.
    """
    known = data_sets()
    if name not in known:
        raise UsageError(f"there is no data set {name!r}", remedy=f"use one of {', '.join(known)}")
    return known[name]
