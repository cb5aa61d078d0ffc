"""The process that reads sources, so that one that crashes it or hangs takes nothing else along.

Run as ``python -m tablehound.lake.ingest.worker PULSE SCRATCH``; frames go in by standard input and out by standard
output.
"""

from __future__ import annotations

import mmap
import os
import pickle
import struct
import sys
import tempfile
import threading
import time
from importlib.abc import MetaPathFinder
from pathlib import Path
from typing import IO, Any

from tablehound.lake.ingest.work import Outcome, Work

_HEAD = struct.Struct("<Q")
PULSE = struct.Struct("<qqq")
"""Serial number of the batch of jobs, index of the job in it, and a count that goes on while it is being read."""


def write_frame(stream: IO[bytes], content: Any) -> None:
    """Send one object."""
    data = pickle.dumps(content, pickle.HIGHEST_PROTOCOL)
    stream.write(_HEAD.pack(len(data)))
    stream.write(data)
    stream.flush()


def read_frame(stream: IO[bytes]) -> Any:
    """The next object; None at the end of the stream. Only between processes of our own: pickles run code."""
    head = stream.read(_HEAD.size)
    if len(head) < _HEAD.size:
        return None
    (size,) = _HEAD.unpack(head)
    data = stream.read(size)
    return pickle.loads(data) if len(data) == size else None


class _Sender:
    """Tells the parent how far it is, and hands large tables over in parts."""

    def __init__(self, out: IO[bytes], pulse: mmap.mmap) -> None:
        self._out = out
        self._pulse = pulse
        self._serial = self._index = self._count = 0

    def start(self, serial: int, index: int) -> None:
        self._serial, self._index = serial, index
        self.beat()

    def beat(self) -> None:
        self._count += 1
        PULSE.pack_into(self._pulse, 0, self._serial, self._index, self._count)

    def chunks(self, ordinal: int, chunks: list[tuple[int, bytes]]) -> None:
        write_frame(self._out, ("chunks", self._serial, self._index, ordinal, chunks))


def _die_with(parent: int) -> None:
    """End this process when its parent was killed, also in the middle of a source."""
    while os.getppid() == parent:
        time.sleep(1)
    os._exit(1)


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
    pulse_path, scratch = Path(sys.argv[1]), Path(sys.argv[2])
    # Copies that readers make go where there is room for them, and where the next run clears away what was left.
    tempfile.tempdir = str(scratch)
    threading.Thread(target=_die_with, args=(os.getppid(),), daemon=True).start()
    requests = os.fdopen(os.dup(0), "rb")
    replies = os.fdopen(os.dup(1), "wb")
    # What a library prints must not get between the frames.
    with Path(os.devnull).open("r+b") as nothing:
        os.dup2(nothing.fileno(), 0)
        os.dup2(nothing.fileno(), 1)
    with pulse_path.open("r+b") as file, mmap.mmap(file.fileno(), PULSE.size) as pulse:
        sender = _Sender(replies, pulse)
        settings = read_frame(requests)
        if settings is None:
            return
        work = Work(settings, scratch, sender)
        try:
            while (request := read_frame(requests)) is not None:
                serial, jobs = request
                outcomes: list[Outcome] = []
                for index, job in enumerate(jobs):
                    sender.start(serial, index)
                    outcomes.append(work.run(job))
                write_frame(replies, ("done", serial, outcomes))
        except BrokenPipeError:
            # The parent is gone: so is whoever would read this.
            return
        finally:
            work.close()


if __name__ == "__main__":
    main()
