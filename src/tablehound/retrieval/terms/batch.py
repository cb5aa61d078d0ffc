"""Terms of many texts at once: what :func:`.tokenizer.terms` says of each, for the writer of an index.

ASCII texts, which most are, are cut into tokens by polars; all others by ``terms`` itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tablehound.retrieval.arrays import Array, ranges
from tablehound.retrieval.terms.tokenizer import TOKEN, term_of, terms

if TYPE_CHECKING:
    import polars as pl
    import pyarrow as pa


@dataclass(frozen=True, slots=True)
class TermsOfTexts:
    """Runs of term ids, one for each text."""

    flat: Array
    """Ids of the terms of all texts, one text after another."""
    starts: Array
    """(N,) where the run of each text starts."""
    lengths: Array
    """(N,) how many terms each text has."""


class TermNumbers:
    """Gives every distinct term an id, in the order in which they come."""

    def __init__(self) -> None:
        self.ids: dict[str, int] = {}

    def of(self, text: str) -> list[int]:
        """Ids of the terms of one text."""
        ids = self.ids
        return [ids.setdefault(term, len(ids)) for term in terms(text)]

    def of_texts(self, texts: pa.Array) -> TermsOfTexts:
        """Ids of the terms of each of some texts (no nulls)."""
        import polars as pl

        series = pl.Series("", texts, dtype=pl.String)
        ascii_ = (series.str.len_bytes() == series.str.len_chars()).to_numpy()
        lengths = np.zeros(len(series), np.int64)
        plain = np.flatnonzero(ascii_)
        found = series.filter(pl.Series("", ascii_)).str.to_lowercase().str.extract_all(TOKEN.pattern)
        lengths[plain] = found.list.len().to_numpy()
        others = np.flatnonzero(~ascii_)
        other_ids = [self.of(text) for text in series.gather(others).to_list()]
        lengths[others] = [len(ids) for ids in other_ids]
        starts = np.cumsum(lengths) - lengths
        flat = np.zeros(int(lengths.sum()), np.int64)
        flat[ranges(starts[plain], lengths[plain])] = self._of_tokens(found.filter(found.list.len() > 0).explode())
        flat[ranges(starts[others], lengths[others])] = [term for ids in other_ids for term in ids]
        return TermsOfTexts(flat, starts, lengths)

    def _of_tokens(self, tokens: pl.Series) -> Array:
        import polars as pl

        coded = tokens.cast(pl.String).to_arrow().dictionary_encode()
        ids = self.ids
        distinct = [ids.setdefault(term_of(token), len(ids)) for token in coded.dictionary.to_pylist()]
        numbers: Array = np.array(distinct, np.int64)[coded.indices.to_numpy()]
        return numbers
