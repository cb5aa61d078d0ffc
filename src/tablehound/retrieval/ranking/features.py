"""Structural features of candidate tables for a question, from the term index alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tablehound.retrieval.ranking.co_occurrence import alignment_features
from tablehound.retrieval.ranking.question_terms import QuestionTerms
from tablehound.retrieval.terms.index import Places, TermIndex

Array = NDArray[Any]

ROWS = 3
"""Rows that are judged as places where the terms of the question meet."""
MAX_PHRASE = 8
RARE = 2.0
"""Rarity (logarithm of the share of tables, inverted) from which on a term says what is counted. By hand."""


def structure_features(
    index: TermIndex, tables: Array, numbers: Sequence[int], question: QuestionTerms
) -> tuple[dict[str, Array], dict[str, Array]]:
    """Feature name -> one value per table, and what each table contains of the question: name -> (tables, terms) marks.

    Args:
        index: an open segment.
        tables: local table numbers, ascending.
        numbers: term number in the segment for each distinct question term, -1 where the segment lacks it.
        question: the question's terms.
    """
    known = [i for i, number in enumerate(numbers) if number >= 0]
    found = index.places([numbers[i] for i in known], tables)
    term = np.array(known, np.int64)[found.term] if known else found.term
    places = Places(term, found.table, found.row, found.column, found.offset, found.length)
    n, m = len(tables), len(question.terms)
    weight = question.weight
    numeric = question.numeric
    total = max(float(weight.sum()), 1e-9)

    header = np.zeros((n, m), bool)
    body = np.zeros((n, m), bool)
    in_header = places.row == 0
    header[places.table[in_header], places.term[in_header]] = True
    body[places.table[~in_header], places.term[~in_header]] = True
    held = header | body

    out: dict[str, Array] = {}
    out["held"] = held @ weight / total
    out["held_rarity"] = held @ question.rarity / max(float(question.rarity.sum()), 1e-9)
    out["held_count"] = held.mean(axis=1)
    out["header"] = header @ weight / total
    out["header_only"] = (header & ~body) @ weight / total
    out["header_count"] = header.sum(axis=1)
    word_total = max(float(weight[~numeric].sum()), 1e-9)
    out["words"] = held[:, ~numeric] @ weight[~numeric] / word_total
    out["numbers"] = held[:, numeric].sum(axis=1)
    out["numbers_unmatched"] = (~held[:, numeric]).sum(axis=1)
    unmatched = np.where(held, 0.0, weight[None, :])
    ordered = -np.sort(-unmatched, axis=1)
    out["rarest_unmatched"] = ordered[:, 0]
    out["second_unmatched"] = ordered[:, 1] if m > 1 else np.zeros(n)
    out["unmatched"] = unmatched.sum(axis=1)
    matched = -np.sort(-np.where(held, weight[None, :], 0.0), axis=1)
    out["rarest_matched"] = matched[:, 0]

    out.update(_rows(places, ~in_header, n, weight, total, header))
    out.update(_columns(places, ~in_header, n, weight, total))
    out.update(alignment_features(places, n, weight, numeric))
    phrases, marks = _phrases(places, question, n, weight, total)
    out.update(phrases)
    out.update(_counts(places, ~in_header, index, tables, question, held))

    sizes = index.arrays["sizes"][tables].astype(np.float64)
    out["size"] = np.log1p(sizes[:, 0])
    out["n_rows"] = np.log1p(sizes[:, 1])
    out["n_columns"] = sizes[:, 2]
    return out, {"held": held, "header": header, "body": body} | marks


def _rows(places: Places, keep: Array, n: int, weight: Array, total: float, header: Array) -> dict[str, Array]:
    """Terms that meet in one row: the best row, the best rows together, and those with the header."""
    table, line, term = places.table[keep], places.row[keep], places.term[keep]
    m = len(weight)
    key = table * (1 << 32) + line
    lines, inverse = np.unique(key, return_inverse=True)
    grid = np.zeros((len(lines), m), bool)
    grid[inverse, term] = True
    owner = lines >> 32
    best = np.zeros((n, ROWS))
    covered = np.zeros((n, m), bool)
    beside: Array = np.zeros(n)
    count = np.zeros(n)
    first = np.searchsorted(owner, np.arange(n))
    some = np.bincount(owner, minlength=n) > 0
    for step in range(ROWS):
        if not len(lines):
            break
        gain = (grid & ~covered[owner]) @ weight
        order = np.lexsort((lines, -gain, owner))
        top = order[first[some]]
        best[some, step] = gain[top]
        covered[some] |= grid[top]
        if step == 0:
            count[some] = grid[top].sum(axis=1)
            beside = (covered | header) @ weight
    return {
        "best_row": best[:, 0] / total,
        "second_row": best[:, 1] / total,
        "three_rows": best.sum(axis=1) / total,
        "best_row_count": count,
        "best_row_and_header": beside / total,
        "three_rows_and_header": (covered | header) @ weight / total,
        "rows_hit": np.log1p(np.bincount(owner, minlength=n)),
    }


def _columns(places: Places, keep: Array, n: int, weight: Array, total: float) -> dict[str, Array]:
    """One column that contains several terms (in any rows)."""
    m = len(weight)
    key = np.unique((places.table[keep] * (1 << 20) + places.column[keep]) * m + places.term[keep])
    column, term = key // m, key % m
    columns, inverse = np.unique(column, return_inverse=True)
    sums = np.bincount(inverse, weights=weight[term], minlength=len(columns))
    best = np.zeros(n)
    np.maximum.at(best, columns >> 20, sums)
    return {"best_column": best / total, "columns_hit": np.bincount(columns >> 20, minlength=n).astype(float)}


def _phrases(
    places: Places, question: QuestionTerms, n: int, weight: Array, total: float
) -> tuple[dict[str, Array], dict[str, Array]]:
    """Phrases of the question found in one cell, and those that fill the cell; marks per place of the question."""
    sequence = question.sequence
    m = len(sequence)
    # Sorted keys of (table, row, column, offset) per distinct term.
    cell = (places.table * (1 << 32) + places.row) * (1 << 14) + np.minimum(places.column, (1 << 14) - 1)
    key = cell * 16 + places.offset
    per_term: dict[int, tuple[Array, Array, Array]] = {}
    for term in set(sequence):
        mine = np.flatnonzero(places.term == term)
        order = mine[np.argsort(key[mine])]
        per_term[term] = (key[order], places.length[order], places.row[order])
    run: list[Array] = [np.zeros(0, np.int64)] * (m + 1)
    for at in range(m - 1, -1, -1):
        here = per_term[sequence[at]][0]
        length = np.ones(len(here), np.int64)
        if at + 1 < m:
            after = per_term[sequence[at + 1]][0]
            if len(after) and len(here):
                where = np.minimum(np.searchsorted(after, here + 1), len(after) - 1)
                follows = (after[where] == here + 1) & (here % 16 < 14)
                length = np.where(follows, run[at + 1][where] + 1, 1)
        run[at] = np.minimum(length, MAX_PHRASE)
    filled = np.zeros((n, m), bool)
    filled_long = np.zeros((n, m), bool)
    filled_body = np.zeros((n, m), bool)
    phrase = np.zeros((n, m), bool)
    pair = np.zeros((n, m), bool)
    triple = np.zeros((n, m), bool)
    longest = np.zeros(n)
    share_of_cell = np.zeros((n, m))
    shares: list[tuple[Array, int, Array]] = []
    for at in range(m):
        keys, cells, rows = per_term[sequence[at]]
        if not len(keys):
            continue
        table = keys >> 50
        length = run[at]
        np.maximum.at(longest, table, length.astype(float))
        starts = keys % 16 == 0
        for step in range(MAX_PHRASE):
            if at + step >= m:
                break
            reach = length > step
            if not reach.any():
                break
            two = reach & (length >= 2)
            pair[table[two & (length > step + 1)], at + step] = True
            phrase[table[two], at + step] = True
            triple[table[reach & (length >= 3)], at + step] = True
            full = reach & starts & (length >= cells)
            # A run that is longer than the cell is impossible, so the run fills the cell.
            filled[table[full], at + step] = True
            filled_body[table[full & (rows > 0)], at + step] = True
            filled_long[table[full & (cells >= 2)], at + step] = True
            share = (length / np.maximum(cells, length))[reach]
            np.maximum.at(share_of_cell[:, at + step], table[reach], share)
            shares.append((keys[reach] >> 18, sequence[at + step], share))
    at_weight = weight[list(sequence)] if m else np.zeros(0)
    numeric = question.numeric[list(sequence)] if m else np.zeros(0, bool)
    whole = max(float(at_weight.sum()), 1e-9)
    features = {
        "filled": filled @ at_weight / whole,
        "filled_body": filled_body @ at_weight / whole,
        "filled_long": filled_long @ at_weight / whole,
        "filled_count": filled.sum(axis=1),
        "filled_numbers": (filled & numeric).sum(axis=1),
        "phrase": phrase @ at_weight / whole,
        "triple": triple @ at_weight / whole,
        "longest_phrase": longest,
        "share_of_cell": share_of_cell @ at_weight / whole,
        "filled_header": (filled & ~filled_body) @ at_weight / whole,
    }
    features.update(_exact_rows(shares, n, weight, total))
    return features, {"filled": filled, "pair": pair}


def _exact_rows(shares: Sequence[tuple[Array, int, Array]], n: int, weight: Array, total: float) -> dict[str, Array]:
    """Rows as in :func:`_rows`, with each term weighed by the share of its cell that the phrase around it fills.

    ``shares`` is made of lines (table << 32 | row) with the term found there and the share.
    """
    m = len(weight)
    every = np.concatenate([line for line, _, _ in shares]) if shares else np.zeros(0, np.int64)
    lines, inverse = np.unique(every, return_inverse=True)
    grid: Array = np.zeros(len(lines) * m)
    if len(lines):
        term = np.concatenate([np.full(len(line), number) for line, number, _ in shares])
        np.maximum.at(grid, inverse * m + term, np.concatenate([share for _, _, share in shares]))
    grid = grid.reshape(len(lines), m)
    owner = lines >> 32
    in_header = (lines & 0xFFFFFFFF) == 0
    covered = np.zeros((n, m))
    covered[owner[in_header]] = grid[in_header]
    out = {"exact_header": covered @ weight / total}
    grid, owner = grid[~in_header], owner[~in_header]
    alone = np.zeros(n)
    np.maximum.at(alone, owner, grid @ weight)
    out["exact_row"] = alone / total
    first = np.searchsorted(owner, np.arange(n))
    some = np.bincount(owner, minlength=n) > 0
    for step in range(ROWS):
        if len(owner):
            gain = np.maximum(grid - covered[owner], 0.0) @ weight
            top = np.lexsort((-gain, owner))[first[some]]
            covered[some] = np.maximum(covered[some], grid[top])
        out[f"exact_{('row', 'two_rows', 'three_rows')[step]}_and_header"] = covered @ weight / total
    return out


def _counts(
    places: Places, keep: Array, index: TermIndex, tables: Array, question: QuestionTerms, held: Array
) -> dict[str, Array]:
    """Numbers of the question that occur in no cell but count something: rows, or rows with another term."""
    n, m = held.shape
    wanted = [(i, int(t)) for i, t in enumerate(question.terms) if t.isdecimal() and 0 < int(t) < 200]
    out = np.zeros(n)
    if not wanted:
        return {"counted": out, "counted_held": out}
    key = np.unique((places.table[keep] * (1 << 32) + places.row[keep]) * m + places.term[keep])
    owner = (key // m) >> 32
    times = np.zeros((n, m))
    np.add.at(times, (owner, key % m), 1)
    also = np.zeros(n)
    rows = index.arrays["sizes"][tables][:, 1].astype(np.int64) - 1
    for position, value in wanted:
        other = np.arange(m) != position
        counted = ((times == value) & other & (question.rarity > RARE)).any(axis=1) | (rows == value)
        out += counted & ~held[:, position]
        also += counted & held[:, position]
    return {"counted": out, "counted_held": also}
