"""JSON documents and JSON lines: arrays of records as tables, nested records as columns by path.

Texts of numbers, ``true`` and ``false`` are kept as written; ``null`` and a missing name are no cell; an array of plain
values stays in its cell as JSON. An array of records inside a record is a table of its own, with a key to its parent.
Documents may follow one another, and there may be one record, one array, or an array of records a line. Which of the
two a file is, its lines tell, and its ending where they do not.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from json import JSONDecodeError
from typing import Any

from tablehound.errors import BrokenSourceError
from tablehound.lake.read.contract import SetAside, SourceFile, TableDraft
from tablehound.lake.read.json.flatten import Numbered, Records, record_tables
from tablehound.lake.read.json.parser import TOO_DEEP, JsonParser, plain_text
from tablehound.lake.read.json.tables import rows_table, shapes
from tablehound.lake.read.text.document import document_encoding, document_text
from tablehound.lake.read.text.encoding import Encoding, decode

_LINE_SUFFIXES = (".jsonl", ".ndjson", ".jsonlines")
_PROBE = 5
_SAMPLE = 1_000
_HELD_BYTES = 4 * 2**20
"""Lines of a file up to this size are parsed once and held; those of a larger one are parsed for each of few tables."""


def read(source: SourceFile) -> Iterator[TableDraft]:
    """Read the tables of a document, or of a file with one record a line.

    Raises:
        BrokenSourceError: not JSON, nested too deep, or beyond a limit.
    """
    parser = JsonParser(source.settings.max_nesting)
    encoding = document_encoding(source)
    drafts = _drafts(source, encoding, parser)
    first = next(drafts, None)
    if first is None:
        return
    # All is parsed before the first table is known.
    first.account.repairs.extend([*encoding.faults.drain(), *parser.repairs()])
    first.account.ambiguities.extend(parser.ambiguities())
    yield first
    yield from drafts


def _drafts(source: SourceFile, encoding: Encoding, parser: JsonParser) -> Iterator[TableDraft]:
    lines = _Lines(source, encoding, parser)
    if lines.is_likely():
        yield from _read_lines(source, lines)
        return
    try:
        encoding.faults.restart()
        text = document_text(source, encoding, remedy=", or use JSON lines")
        documents = _documents(text, source, parser)
    except BrokenSourceError:
        if not lines.is_possible():
            raise
        yield from _read_lines(source, lines)
        return
    value = documents[0] if len(documents) == 1 else documents
    ordinal = 0
    for path, shape in shapes(value):
        for draft in shape(source, path, ordinal):
            yield draft
            ordinal += 1


def _documents(text: str, source: SourceFile, parser: JsonParser) -> list[Any]:
    """One document, or several after one another."""
    try:
        return parser.values(text)
    except JSONDecodeError as error:
        place = "" if _is_deep(error) else f", line {error.lineno}, column {error.colno}"
        raise BrokenSourceError(_reason(error), where=f"{source.name}{place}") from error


def _reason(error: JSONDecodeError) -> str:
    return error.msg if _is_deep(error) else f"not JSON: {error.msg}"


def _is_deep(error: JSONDecodeError) -> bool:
    return error.msg == TOO_DEEP


# -- JSON lines --


class _Lines:
    """The lines of a file, and what they are."""

    def __init__(self, source: SourceFile, encoding: Encoding, parser: JsonParser) -> None:
        self.source, self._encoding, self._parser = source, encoding, parser
        self.named = (source.member or source.path.name).lower().endswith(_LINE_SUFFIXES)

    def __iter__(self) -> Iterator[tuple[int, str]]:
        """Lines that hold something, with their 1-based numbers."""
        encoding, path = self._encoding, self.source.path
        # The lines may be gone through more than once; what was found wrong the last time counts.
        encoding.faults.restart()
        if encoding.name.startswith(("utf-16", "utf-32")):
            for number, line in enumerate(decode(path.read_bytes(), encoding).split("\n"), start=1):
                if line.strip():
                    yield number, line
            return
        bare = Encoding(encoding.name, faults=encoding.faults)
        with path.open("rb") as file:
            file.seek(encoding.mark)
            for number, data in enumerate(file, start=1):
                if not data.isspace():
                    yield number, decode(data, bare)

    def parsed(self) -> Iterator[tuple[int, str, list[Any] | JSONDecodeError]]:
        """Lines with the values in each, or with what is wrong with it."""
        for number, line in self:
            try:
                yield number, line, self._parser.line(line)
            except JSONDecodeError as error:
                yield number, line, error

    def is_likely(self) -> bool:
        """One value a line: by the ending and the first line, or because the first lines are values by themselves."""
        first = list(islice(self, 2))
        if not first or (len(first) == 1 and not self.named):
            return False
        found = [values for _, _, values in islice(self.parsed(), 1 if self.named else _PROBE)]
        if self.named:
            return isinstance(found[0], list)
        return all(_is_structured(values) for values in found)

    def is_possible(self) -> bool:
        """Whether what is no document can be read by lines: by the ending, or because most lines are values."""
        if self.named:
            return True
        good = total = 0
        for _, line, values in islice(self.parsed(), _SAMPLE):
            good += _is_structured(values)
            total += not _is_frame(line)
        return good > 1 and 2 * good > total

    def records(self) -> Records:
        """The values of all good lines; of a line that is an array of records, each of them."""

        def again() -> Iterator[Numbered]:
            for number, _, values in self.parsed():
                if isinstance(values, list):
                    for value in values:
                        if _is_array_of_records(value):
                            yield from ((number, record, None) for record in value)
                        else:
                            yield number, value, None

        small = self.source.path.stat().st_size <= _HELD_BYTES
        return Records(list(again())) if small else Records(again=again)

    def bad(self) -> list[SetAside]:
        """Lines that are set aside, with the reason.

        Raises:
            BrokenSourceError: all lines are, or the first hundred.
        """
        bad: list[SetAside] = []
        total = 0
        for number, line, values in self.parsed():
            total += 1
            if isinstance(values, JSONDecodeError):
                reason = "separator" if _is_frame(line) else _reason(values)
                bad.append(SetAside(number, reason, line.strip()[:200]))
            if len(bad) == total == 100:
                break
        if bad and len(bad) == total:
            raise BrokenSourceError(bad[0].reason, where=f"{self.source.name}, line {bad[0].row}")
        return bad


def _is_structured(values: list[Any] | JSONDecodeError) -> bool:
    return isinstance(values, list) and bool(values) and all(isinstance(value, dict | list) for value in values)


def _is_frame(line: str) -> bool:
    """Whether a line only opens or closes the array that records stand in, one a line."""
    return line.strip() in ("[", "]", ",", "],", "];")


def _is_array_of_records(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(item, dict) for item in value)


def _read_lines(source: SourceFile, lines: _Lines) -> Iterator[TableDraft]:
    bad = lines.bad()
    records = lines.records()
    first = next((value for _, value, _ in records if value is not None and value != []), None)
    if not isinstance(first, list):
        yield from record_tables(source, records, "", 0, bad)
        return
    rows = [(number, value) for number, value, _ in records if isinstance(value, list)]
    bad += [
        SetAside(number, "not an array like the first line", plain_text(value)[:200])
        for number, value, _ in records
        if not isinstance(value, list)
    ]
    yield from rows_table(source, "", 0, [value for _, value in rows], [number for number, _ in rows], bad)
