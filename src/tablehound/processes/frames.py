"""Frames: a length, then so many bytes. Objects go as pickles, between processes that trust each other."""

from __future__ import annotations

import pickle
import struct
from collections.abc import Callable
from typing import IO, Any

HEAD = struct.Struct("<Q")


def write_frame(stream: IO[bytes], data: bytes | memoryview) -> None:
    """One frame of bytes; the caller flushes the stream."""
    stream.write(HEAD.pack(memoryview(data).nbytes))
    stream.write(data)


def read_frame(stream: IO[bytes]) -> bytes:
    """The next frame.

    Raises:
        EOFError: the other side is gone.
    """
    return frame_from(lambda length: _exactly(stream, length))


def frame_from(read: Callable[[int], bytes], limit: int | None = None) -> bytes:
    """The next frame, where ``read`` gives exactly so many bytes.

    Raises:
        OverflowError: the frame has more than ``limit`` bytes.
    """
    (length,) = HEAD.unpack(read(HEAD.size))
    if limit is not None and length > limit:
        raise OverflowError(f"a frame of more than {limit} bytes")
    return read(length)


def write_object(stream: IO[bytes], content: Any) -> None:
    """One object, sent at once."""
    write_frame(stream, pickle.dumps(content, pickle.HIGHEST_PROTOCOL))
    stream.flush()


def read_object(stream: IO[bytes]) -> Any:
    """The next object. Only between processes of our own: pickles run code.

    Raises:
        EOFError: the other side is gone.
    """
    return pickle.loads(read_frame(stream))


def _exactly(stream: IO[bytes], length: int) -> bytes:
    data = stream.read(length)
    if len(data) < length:
        raise EOFError("the other side is gone")
    return data
