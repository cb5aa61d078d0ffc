"""The child's side: its streams to the parent, and its end with the parent."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path
from typing import IO


def connect_to_parent() -> tuple[IO[bytes], IO[bytes]]:
    """The streams of requests and of replies; this process ends when its parent does, whatever it is doing.

    Standard input and output become the null device: what a library prints must not get between the frames.
    """
    threading.Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()
    requests, replies = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    with Path(os.devnull).open("r+b") as nothing:
        os.dup2(nothing.fileno(), 0)
        os.dup2(nothing.fileno(), 1)
    return requests, replies


def _end_with(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(1)
    os._exit(1)
