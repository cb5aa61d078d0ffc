"""JSON lines: whether a file is one value a line, and what its lines are."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from json import JSONDecodeError
from typing import Any

from tablehound.errors import BrokenSourceError
from tablehound.lake.read.contract import SetAside, SourceFile
from tablehound.lake.read.json.flatten import Numbered, Records
from tablehound.lake.read.json.parser import ValueParser, reason_of
from tablehound.lake.read.text.encoding import Encoding, decode

# What decides, all by hand.
LINE_SUFFIXES = (".jsonl", ".ndjson", ".jsonlines")
PROBED_LINES = 5
"""First lines of a file that have to be values by themselves."""
SAMPLED_LINES = 1_000
"""Lines of a file that is no document, most of which have to be values."""
MAX_BAD_LINES = 100
"""First lines that are all bad before a file is refused."""
MAX_WHOLE_BYTES = 4 * 2**20
"""Lines of a file up to this size are parsed once; those of a larger one are parsed for each of few tables."""


class Lines:
    """The lines of a file, and what they are."""

    def __init__(self, source: SourceFile, encoding: Encoding, parser: ValueParser) -> None:
        self.source, self._encoding, self._parser = source, encoding, parser
        self.named = (source.member or source.path.name).lower().endswith(LINE_SUFFIXES)

    def __iter__(self) -> Iterator[tuple[int, str]]:
        """Lines that are not blank, with their 1-based numbers."""
        encoding, path = self._encoding, self.source.path
        # The lines may be read more than once; the faults of the last time count.
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
        found = [values for _, _, values in islice(self.parsed(), 1 if self.named else PROBED_LINES)]
        if self.named:
            return isinstance(found[0], list)
        return all(_is_structured(values) for values in found)

    def is_possible(self) -> bool:
        """Whether what is no document can be read by lines: by the ending, or because most lines are values."""
        if self.named:
            return True
        good = total = 0
        for _, line, values in islice(self.parsed(), SAMPLED_LINES):
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

        small = self.source.path.stat().st_size <= MAX_WHOLE_BYTES
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
                reason = "separator" if _is_frame(line) else reason_of(values)
                bad.append(SetAside(number, reason, line.strip()[:200]))
            if len(bad) == total == MAX_BAD_LINES:
                break
        if bad and len(bad) == total:
            raise BrokenSourceError(bad[0].reason, where=f"{self.source.name}, line {bad[0].row}")
        return bad


def _is_structured(values: list[Any] | JSONDecodeError) -> bool:
    return isinstance(values, list) and bool(values) and all(isinstance(value, dict | list) for value in values)


def _is_frame(line: str) -> bool:
    """Whether a line only opens or closes the array of records, one a line."""
    return line.strip() in ("[", "]", ",", "],", "];")


def _is_array_of_records(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(item, dict) for item in value)
