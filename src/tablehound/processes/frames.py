"""Frames: a mark, a length, then so many bytes. Objects go as pickles, between processes that trust each other."""

from __future__ import annotations

import pickle
import struct
from collections.abc import Callable
from typing import IO, Any

_HEAD = struct.Struct("<4sQ")
_MARK = b"\x89Th\n"
"""Begins each frame: other bytes that get into a stream are noticed, not taken as a length."""


def write_frame(stream: IO[bytes], data: bytes | memoryview) -> None:
    """One frame of bytes; the caller flushes the stream."""
    stream.write(_HEAD.pack(_MARK, memoryview(data).nbytes))
    stream.write(data)


def read_frame(stream: IO[bytes]) -> bytes:
    """The next frame.

    Raises:
        EOFError: the other side is gone.
        ValueError: what comes is no frame.
    """
    return frame_from(lambda length: _exactly(stream, length))


def frame_from(read: Callable[[int], bytes], limit: int | None = None) -> bytes:
    """The next frame, where ``read`` gives exactly so many bytes.

    Raises:
        OverflowError: the frame has more than ``limit`` bytes.
        ValueError: what comes is no frame.
    """
    mark, length = _HEAD.unpack(read(_HEAD.size))
    if mark != _MARK:
        raise ValueError(f"no frame begins with {mark!r}")
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
        ValueError, pickle.UnpicklingError: what comes is no object.
    """
    return pickle.loads(read_frame(stream))


def _exactly(stream: IO[bytes], length: int) -> bytes:
    data = stream.read(length)
    if len(data) < length:
        raise EOFError("the other side is gone")
    return data
