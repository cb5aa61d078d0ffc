"""Many who ask at once get the answers that each gets alone, within bounds of memory and descriptors."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "benchmarks" / "many_askers.py"


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/smaps_rollup").exists(), reason="needs /proc")
def test_threads_and_processes_that_ask_at_once() -> None:
    command = [sys.executable, str(SCRIPT), "--threads", "30", "--processes", "4"]
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stdout + done.stderr
