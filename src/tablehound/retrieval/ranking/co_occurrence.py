"""How matches in the header, in rows and in cells of a table fit together."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tablehound.retrieval.terms.index import Places

Array = NDArray[Any]

_TERM_BITS = 6
_ROW_BITS = 28
_COLUMN_BITS = 14


def alignment_features(places: Places, n: int, weight: Array, numeric: Array) -> dict[str, Array]:
    """Feature name -> one value per table.

    Args:
        places: occurrences of the question's terms; ``term`` counts the distinct terms of the question (at most 64).
        n: tables.
        weight: (T,) weights of the terms.
        numeric: (T,) which terms are numbers.
    """
    total = max(float(weight.sum()), 1e-9)
    column = places.table << _COLUMN_BITS | np.minimum(places.column, (1 << _COLUMN_BITS) - 1)
    header = places.row == 0
    out = _best_cells(places, column, header, n, weight, total)
    out.update(_columns(places, column, header, n, weight, numeric, total))
    out.update(_rows(places, column, header, n, weight, numeric, total))
    return out


def _most(values: Array, owner: Array, n: int) -> Array:
    """The largest value of each table, 0 where it has none."""
    out = np.zeros(n)
    np.maximum.at(out, owner, values)
    return out


def _best_cells(places: Places, column: Array, header: Array, n: int, weight: Array, total: float) -> dict[str, Array]:
    """The cell with most of the question, and the one with nothing else."""
    out = {}
    for name, keep in (("cell", ~header), ("header_cell", header)):
        key = (column[keep] << _ROW_BITS | places.row[keep]) << _TERM_BITS | places.term[keep]
        key, first = np.unique(key, return_index=True)
        length = np.maximum(places.length[keep][first], 1)
        cell, start = np.unique(key >> _TERM_BITS, return_index=True)
        if len(cell):
            sums = np.add.reduceat(weight[places.term[keep][first]], start)
            share = np.minimum(np.add.reduceat(1 / length, start), 1)
        else:
            sums = share = np.zeros(0)
        owner = cell >> (_ROW_BITS + _COLUMN_BITS)
        out[f"best_{name}"] = _most(sums, owner, n) / total
        out[f"exact_{name}"] = _most(sums * share, owner, n) / total
    return out


def _columns(
    places: Places, column: Array, header: Array, n: int, weight: Array, numeric: Array, total: float
) -> dict[str, Array]:
    """Terms in cells under a header that the question names too."""
    named = np.unique(column[header])
    under = ~header & np.isin(column, named)
    held = np.zeros((n, len(weight)), bool)
    held[places.table[under], places.term[under]] = True
    above = np.unique(column[header] << _TERM_BITS | places.term[header])
    below = np.unique(column[under] << _TERM_BITS | places.term[under])
    mask = (1 << _TERM_BITS) - 1
    both = np.unique(np.concatenate([above, below]))
    used, start = np.unique(both >> _TERM_BITS, return_index=True)
    sums = np.add.reduceat(weight[both & mask], start) if len(used) else np.zeros(0)
    return {
        "under_header": held @ weight / total,
        "numbers_under_header": held[:, numeric] @ weight[numeric] / total,
        "best_column_and_header": _most(sums, used >> _COLUMN_BITS, n) / total,
    }


def _rows(
    places: Places, column: Array, header: Array, n: int, weight: Array, numeric: Array, total: float
) -> dict[str, Array]:
    """The best row together with the headers above its matches, and words that meet numbers in a row."""
    m = len(weight)
    line, inverse = np.unique((places.table << _ROW_BITS | places.row)[~header], return_inverse=True)
    owner = line >> _ROW_BITS
    grid = np.zeros((len(line), m), bool)
    grid[inverse, places.term[~header]] = True
    words, numbers = grid[:, ~numeric] @ weight[~numeric], grid[:, numeric] @ weight[numeric]
    # Header terms above the cells that match: (line, column) pairs joined with (column, term) pairs.
    above = np.unique(column[header] << _TERM_BITS | places.term[header])
    cell = np.unique(inverse << (_COLUMN_BITS + 20) | column[~header])
    at = cell & ((1 << (_COLUMN_BITS + 20)) - 1)
    begin = np.searchsorted(above, at << _TERM_BITS)
    many = np.searchsorted(above, (at + 1) << _TERM_BITS) - begin
    source = np.arange(int(many.sum())) + np.repeat(begin - (np.cumsum(many) - many), many)
    aligned = grid.copy()
    aligned[np.repeat(cell >> (_COLUMN_BITS + 20), many), above[source] & ((1 << _TERM_BITS) - 1)] = True
    cells = np.bincount(cell >> (_COLUMN_BITS + 20), minlength=len(line))
    sums = aligned @ weight
    return {
        "aligned_row": _most(sums, owner, n) / total,
        "aligned_header": _most(sums - grid @ weight, owner, n) / total,
        "row_words": _most(words, owner, n) / total,
        "row_numbers": _most(numbers, owner, n) / total,
        "row_words_with_numbers": _most(np.minimum(words, numbers), owner, n) / total,
        "row_cells": _most(cells.astype(float), owner, n),
    }
