"""Child processes and their frames: real ones, that answer, print, are late, die and outlive their parent."""

from __future__ import annotations

import io
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablehound.processes import (
    Child,
    Pulse,
    Watch,
    read_frame,
    read_object,
    write_frame,
    write_object,
)

ECHO = """
import os, sys
from tablehound.processes import connect_to_parent, read_frame, write_frame
requests, replies = connect_to_parent()
{first}
try:
    while True:
        write_frame(replies, read_frame(requests))
        replies.flush()
except EOFError:
    sys.exit()
"""


def later(seconds: float = 60.0) -> float:
    return time.monotonic() + seconds


@given(st.lists(st.binary()))
def test_frames_come_as_they_were_sent(parts: list[bytes]) -> None:
    stream = io.BytesIO()
    for part in parts:
        write_frame(stream, part)
    stream.seek(0)
    assert [read_frame(stream) for _ in parts] == parts
    with pytest.raises(EOFError):
        read_frame(stream)


@given(st.binary(min_size=12))
def test_other_bytes_are_no_frame(other: bytes) -> None:
    with pytest.raises(ValueError, match="no frame"):
        read_frame(io.BytesIO(b"\x00" + other))


def test_objects_come_as_they_were_sent() -> None:
    stream = io.BytesIO()
    write_object(stream, {"a": [1, None]})
    stream.seek(0)
    assert read_object(stream) == {"a": [1, None]}


@pytest.mark.parametrize("isolated", [False, True])
def test_what_a_library_prints_is_in_no_frame(isolated: bool) -> None:
    first = "print('from Python', flush=True); os.write(1, b'from below Python'); os.system('echo from a child')"
    with Child(ECHO.format(first=first), isolated=isolated) as child:
        child.send([b"one", memoryview(b"two")], later())
        assert [child.receive(later()), child.receive(later())] == [b"one", b"two"]


def test_bytes_between_frames_are_noticed() -> None:
    with Child(ECHO.format(first="os.write(replies.fileno(), b' 5% [==      ]')")) as child:
        child.send([b"one"], later())
        with pytest.raises(ValueError, match="no frame"):
            child.receive(later())


def test_a_late_reply_and_a_long_one_are_refused() -> None:
    with Child(ECHO.format(first="")) as child:
        with pytest.raises(TimeoutError):
            child.receive(later(0.2))
        child.send([b"12345"], later())
        with pytest.raises(OverflowError):
            child.receive(later(), limit=4)


def test_a_dead_child_is_reported_with_its_last_words() -> None:
    child = Child("raise SystemExit('out of order')")
    with pytest.raises(EOFError):
        child.receive(later())
    assert child.end() == 1
    assert child.last_words == "out of order"
    child = Child(ECHO.format(first=""))
    child.kill()
    assert child.end() == -signal.SIGKILL


def test_much_that_is_written_to_standard_error_holds_nothing_up() -> None:
    with Child(ECHO.format(first="sys.stderr.write('noise\\n' * 200_000 + 'last\\n'); sys.stderr.flush()")) as child:
        child.send([b"one"], later())
        assert child.receive(later()) == b"one"
    assert child.last_words == "last"


def test_a_child_ends_with_its_parent(tmp_path: Path) -> None:
    busy = ECHO.format(first="open(sys.argv[1], 'w').write(str(os.getpid())); import time; time.sleep(1000)")
    file = tmp_path / "pid"
    code = f"from tablehound.processes import Child; Child({busy!r}, [{str(file)!r}]); import time; time.sleep(1000)"
    with subprocess.Popen([sys.executable, "-c", code]) as parent:
        while not (file.exists() and file.read_text(encoding="ascii")):
            time.sleep(0.05)
        parent.kill()
    pid = int(file.read_text(encoding="ascii"))
    deadline = later()
    while _runs(pid) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not _runs(pid)


def _runs(pid: int) -> bool:
    """Whether the process runs; a zombie that nobody waited for does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def test_a_watch_sees_a_child_that_stands_still_or_bloats(tmp_path: Path) -> None:
    pulse = Pulse(tmp_path / "pulse")
    with Child(ECHO.format(first="")) as child:
        child.send([b"one"], later())
        child.receive(later())
        assert Watch(child, pulse, 1000, 1000).look() == ""
        assert Watch(child, pulse, 1000, 1).look() == "memory"
        watch = Watch(child, pulse, 0, 1000)
        assert watch.look() == ""
        time.sleep(0.01)
        assert watch.look() == "stalled"
        Pulse(pulse.path).set(1, 2, 3)
        assert watch.look() == ""
        assert pulse.get() == (1, 2, 3)
    pulse.remove()
    assert list(tmp_path.iterdir()) == []
