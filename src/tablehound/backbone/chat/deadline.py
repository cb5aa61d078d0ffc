"""Work that ends in time, whatever it waits for.

The time-outs of an HTTP library are for one operation each: a server that sends a header line every second never runs
into one. So a request runs in a thread of its own, which is waited for so long and no longer.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

Result = TypeVar("Result")


class DeadlineError(Exception):
    """The work was not done in time."""


def within(seconds: float, work: Callable[[], Result], abandon: Callable[[], None]) -> Result:
    """The result of ``work``, or what it raises.

    Args:
        seconds: to wait for it.
        work: runs in another thread.
        abandon: called when the time is over, or the waiting is interrupted: it lets go of what the work waits for, so
            that its thread ends soon.

    Raises:
        DeadlineError: the time is over.
    """
    future: Future[Result] = Future()

    def run() -> None:
        try:
            future.set_result(work())
        except BaseException as error:  # noqa: BLE001 - raised again where it is waited for
            future.set_exception(error)

    threading.Thread(target=run, name="tablehound-chat", daemon=True).start()
    try:
        return future.result(min(max(seconds, 0.0), threading.TIMEOUT_MAX))
    except BaseException as error:
        if future.done():
            raise
        abandon()
        if isinstance(error, TimeoutError):
            raise DeadlineError from error
        raise
