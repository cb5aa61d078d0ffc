"""Published numbers, cited, that reports show beside ours. Only what a source states for the same data and metric."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Published:
    """One number of a paper."""

    data_set: str
    system: str
    metric: str
    value: float
    source: str


_NUMBERS = (
    Published("tabfact", "dense retriever, 1.5B parameters", "R@1", 0.520, "TableSeek, 1,695 tables, content only"),
    Published("tabfact", "best reranker, 4B parameters", "R@1", 0.647, "TableSeek, 1,695 tables, content only"),
    Published("tabfact", "agent with a 30B model", "R@all", 0.648, "TableSeek, 1,695 tables, content only"),
    Published("tabfact", "BM25 (their set-up)", "R@1", 0.06, "TableSeek, 1,695 tables, content only"),
    Published("wtq", "semantic parser with the gold table", "denotation", 0.371, "Pasupat and Liang, 2015, test"),
)


def published_for(data_set: str) -> tuple[Published, ...]:
    """The numbers for a data set."""
    return tuple(item for item in _NUMBERS if item.data_set == data_set)
