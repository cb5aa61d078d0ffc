"""What of a table the model may see: the dial ``schema < stats < values < rows``, applied where prompts are filled.

* ``schema``: title, column names.
* ``stats``: and kinds, units, numbers of rows and distinct values.
* ``values``: and some values of each column, sorted, so that no row can be read off.
* ``rows``: and the preview with its rows.

Below ``values`` no text of a cell is in any prompt, also none that an engine's message quotes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tablehound.backbone.chat.escaping import quoted_name
from tablehound.backbone.chat.prompting import fenced, fenced_line
from tablehound.backbone.protocol import ShownTable
from tablehound.execution import without_cells
from tablehound.lake import measure_of
from tablehound.retrieval.lake_vocabulary import Vocabulary
from tablehound.settings import Privacy

if TYPE_CHECKING:
    from tablehound.lake import Lake

LEVELS: tuple[Privacy, ...] = ("schema", "stats", "values", "rows")
_SAMPLES = 5
_SAMPLE_CHARS = 40
_ERROR_CHARS = 400


class Discretion:
    """Renders tables and words at a level of the dial."""

    def __init__(self, lake: Lake, level: Privacy) -> None:
        self._lake = lake
        self._level = LEVELS.index(level)

    def allows(self, level: Privacy) -> bool:
        return self._level >= LEVELS.index(level)

    def tables(self, shown: Sequence[ShownTable], *, scale: float = 1.0, typed: bool = True) -> str:
        """All shown tables; ``scale`` below 1 cuts their previews. Not ``typed``: for looking only, a preview with its
        header is enough."""
        return "\n\n".join(self._table(table, scale, typed) for table in shown)

    def _table(self, table: ShownTable, scale: float, typed: bool) -> str:
        info = table.info
        header = table.view.header or info.header
        head = [table.alias]
        if len(table.view.table_ids) > 1:
            head.append(f"({len(table.view.table_ids)} tables with the same columns, one after another)")
        elif self.allows("stats"):
            head.append(f"({info.n_rows} rows)")
        if info.title:
            head.append(f"title {fenced_line(info.title)}")
        lines = [" ".join(head)]
        kept = table.preview if scale >= 1 else table.preview[: int(len(table.preview) * scale)] + " …"
        if self.allows("rows") and not typed and not table.view.header:
            return "\n".join([*lines, fenced(kept)])
        samples = self._samples(table) if self.allows("values") and not self.allows("rows") else {}
        kinds = {column.name: column for column in info.columns}
        columns = []
        for name in header:
            text = quoted_name(name)
            column = kinds.get(name)
            if column is not None and self.allows("stats"):
                text += f" {column.kind}"
                if counted_in := measure_of(column.reading).label():
                    text += f" (in {fenced_line(counted_in)})"
            if name in samples:
                text += f" {samples[name]}"
            columns.append(text)
        lines.append(f"columns {fenced_line(', '.join(columns))}")
        if self.allows("rows"):
            lines.append(fenced(kept))
        return "\n".join(lines)

    def _samples(self, table: ShownTable) -> dict[str, str]:
        stored = self._lake.table(table.info.id)
        samples = {}
        for index, name in enumerate(stored.header):
            distinct = sorted({text for text in stored.column(index) if text and text.strip()})
            step = max(1, len(distinct) // _SAMPLES)
            words = [" ".join(text.split())[:_SAMPLE_CHARS] for text in distinct[::step][:_SAMPLES]]
            samples[name] = f"[{len(distinct)} distinct, such as {'; '.join(words)}]" if words else ""
        return samples

    def vocabulary(self, words: Vocabulary) -> Vocabulary:
        return words if self.allows("values") else Vocabulary(headers=words.headers)

    def error(self, message: str, program: str, shown: Sequence[ShownTable]) -> str:
        """An engine's message; below ``values`` a fixed text by its kind, since engines quote cells."""
        if self.allows("values"):
            return message.strip().split("\n\n")[0][:_ERROR_CHARS]
        columns = {table.alias: table.view.header or table.info.header for table in shown}
        return without_cells(message, program, columns)
