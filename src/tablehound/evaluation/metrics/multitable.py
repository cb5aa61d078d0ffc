"""Metrics of decomposition and of retrieval over several tables (DMRAL), and of inferred headers.

The three rates of decomposition are computed against the columns that the gold program uses.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence


def information_recall(covered: Collection[tuple[str, str]], needed: Collection[tuple[str, str]]) -> float:
    """IRR of one question: share of the gold program's (table, column) pairs that some sub-question is mapped to."""
    wanted = set(needed)
    return len(wanted & set(covered)) / len(wanted) if wanted else 1.0


def separation(groups: Sequence[Collection[str]], needed: Collection[str]) -> float:
    """SR of one question: share of the gold tables that have a sub-question of their own.

    Args:
        groups: per sub-question, the tables it is mapped to.
        needed: the gold tables.
    """
    wanted = set(needed)
    alone = {next(iter(set(group))) for group in groups if len(set(group)) == 1}
    return len(wanted & alone) / len(wanted) if wanted else 1.0


def sub_answerability(answered: Sequence[bool]) -> float:
    """SAR of one question: share of its sub-questions that the table they are mapped to answers (a program ran and
    gave a result). 0 when there are none."""
    return sum(answered) / len(answered) if answered else 0.0


def header_exact_match(inferred: Sequence[str | None], gold: Sequence[str]) -> float:
    """Share of inferred header names equal to the gold name, case-folded, with ``_``, ``-`` and spaces the same."""

    def plain(name: str) -> str:
        return " ".join(name.replace("_", " ").replace("-", " ").casefold().split())

    pairs = list(zip(inferred, gold, strict=True))
    return sum(name is not None and plain(name) == plain(true) for name, true in pairs) / len(pairs) if pairs else 0.0
