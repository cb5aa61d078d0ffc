"""The numbers of a column of texts, batch after batch, as they are added up to check totals."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tablehound.lake.read.cell_kinds import decimals_in, number_in
from tablehound.lake.read.totals.subtotals import with_points

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

SAMPLE_ROWS = 40
"""Rows at either end of a batch that decide whether its texts are numbers. By hand."""
NUMBERS_ONE_IN = 3
"""A column has numbers if one in so many texts of the sample is one. By hand."""


class NumberColumn:
    """How one column writes its numbers, as far as its batches show."""

    def __init__(self) -> None:
        self.decimals = 0
        """The most digits after a decimal mark that were seen."""
        self._comma = False
        self._percent = False
        self._seen = False
        self._odd = False
        """Its numbers need a closer look than a plain conversion."""

    def read(self, texts: pa.Array) -> NDArray[np.float64] | None:
        """The numbers of a batch, not a number for other texts; none where hardly any text is a number."""
        ends = [texts[:SAMPLE_ROWS], texts[-SAMPLE_ROWS:]]
        sample = [text for part in ends for text in part.to_pylist() if text]
        if not sample:
            sample = [text for text in texts.drop_null().to_pylist() if text][:SAMPLE_ROWS]
        if not sample or NUMBERS_ONE_IN * sum(self.value(text) is not None for text in sample) < len(sample):
            return None
        if not self._seen:
            self._seen, self._comma = True, with_points(sample) is not sample
        self._percent = self._percent or any("%" in text for text in sample)
        pointed = [text.replace(".", "").replace(",", ".") for text in sample] if self._comma else sample
        self.decimals = max(self.decimals, *map(decimals_in, pointed))
        grouped = any("," in text for text in sample)
        if not self._odd:
            found = _converted(texts, grouped=grouped, comma=self._comma)
            if found is not None:
                return found
            self._odd = True
        import numpy as np

        values = [self.value(text) for text in texts.to_pylist()]
        return np.array([np.nan if value is None else value for value in values], np.float64)

    def value(self, text: str | None) -> float | None:
        """The number that a text is."""
        if self._comma and text and number_in(text) is not None:
            text = text.replace(".", "").replace(",", ".")
        return number_in(text)

    def write(self, value: float) -> str | None:
        """A number as the column would write it; none where the column has no numbers."""
        if not self._seen:
            return None
        if self._percent:
            return f"{100 * value:.{self.decimals}f}%"
        text = f"{value:.{self.decimals}f}"
        return text.replace(".", ",") if self._comma else text


def _converted(texts: pa.Array, *, grouped: bool, comma: bool) -> NDArray[np.float64] | None:
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    if comma:
        texts = pc.replace_substring(pc.replace_substring(texts, ".", ""), ",", ".")
    elif grouped:
        texts = pc.replace_substring(texts, ",", "")
    if pc.min(pc.binary_length(texts)).as_py() == 0:
        texts = pc.if_else(pc.equal(pc.binary_length(texts), 0), None, texts)
    try:
        values: NDArray[np.float64] = pc.cast(texts, pa.float64()).to_numpy(zero_copy_only=False)
    except pa.ArrowInvalid:
        return None
    if np.isinf(values).any():
        values = np.where(np.isinf(values), np.nan, values)
    return values
