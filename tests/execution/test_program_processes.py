"""The processes that run programs: what they print, how they die, how many there are."""

from __future__ import annotations

from collections.abc import Callable

from tablehound.execution.messages import explain
from tablehound.execution.pool import Runner
from tablehound.processes import Child
from tablehound.program import ProgramResult
from tablehound.settings import ProgramSettings

Run = Callable[..., ProgramResult]


def test_a_progress_bar_is_no_part_of_a_reply(run: Run) -> None:
    """The engine prints one to standard output when a query takes more than 2 seconds."""
    result = run("SELECT count(*) FROM range(800000000) t(x) WHERE hash(x) % 7 = 1", timeout=120.0)
    assert result.error is None
    assert len(result.rows) == 1


def test_a_damaged_reply_is_not_called_too_large() -> None:
    runner = Runner()
    runner.kill()
    runner.child = Child("import os, time; os.write(1, b'  12% [=====        ] '); time.sleep(60)", isolated=True)
    (reply,) = runner.ask({"queries": [{"checked": True}]}, {}, 1, 60.0)
    assert reply.kind == "damaged"
    assert "damaged reply" in explain(reply.error or "", reply.kind, ProgramSettings(), {})
    assert not runner.alive
