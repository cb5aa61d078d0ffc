"""The process that reads sources, so that one that crashes it or hangs takes nothing else along.

Its arguments are the file of its pulse and the folder for temporary files; frames go in by standard input and out by
standard output.
"""

from __future__ import annotations

import sys
import tempfile
from importlib.abc import MetaPathFinder
from pathlib import Path
from typing import IO

from tablehound.lake.ingest.work import Outcome, Work
from tablehound.processes import Pulse, connect_to_parent, read_object, write_object


class _Sender:
    """Tells the parent how far it is, and hands large tables over in parts."""

    def __init__(self, out: IO[bytes], pulse: Pulse) -> None:
        self._out = out
        self._pulse = pulse
        self._serial = self._index = self._count = 0

    def start(self, serial: int, index: int) -> None:
        self._serial, self._index = serial, index
        self.beat()

    def beat(self) -> None:
        self._count += 1
        self._pulse.set(self._serial, self._index, self._count)

    def chunks(self, ordinal: int, chunks: list[tuple[int, bytes]]) -> None:
        write_object(self._out, ("chunks", self._serial, self._index, ordinal, chunks))


class _NoPandas(MetaPathFinder):
    """Says that there is no pandas."""

    def find_spec(self, fullname: str, path: object, target: object = None) -> None:
        if fullname == "pandas":
            raise ModuleNotFoundError("not wanted here", name="pandas")


def _arrow_without_pandas() -> None:
    """Have Arrow make up its mind that there is no pandas.

    With the first list that it is given it imports pandas, where that is installed, to see whether the list is a
    Series. Here it never is, and the import takes longer than reading a thousand small files.
    """
    import pyarrow as pa

    finder = _NoPandas()
    sys.meta_path.insert(0, finder)
    try:
        pa.array([1])
    finally:
        sys.meta_path.remove(finder)


def main() -> None:
    """Read jobs until the parent closes the pipe."""
    _arrow_without_pandas()
    pulse, scratch = Pulse(Path(sys.argv[1])), Path(sys.argv[2])
    # Copies that readers make go where there is room for them, and where the next run clears away what was left.
    tempfile.tempdir = str(scratch)
    requests, replies = connect_to_parent()
    sender = _Sender(replies, pulse)
    try:
        work = Work(read_object(requests), scratch, sender)
    except EOFError:
        return
    try:
        while True:
            serial, jobs = read_object(requests)
            outcomes: list[Outcome] = []
            for index, job in enumerate(jobs):
                sender.start(serial, index)
                outcomes.append(work.run(job))
            write_object(replies, ("done", serial, outcomes))
    except (EOFError, BrokenPipeError):
        # The parent is gone or wants no more.
        return
    finally:
        work.close()
