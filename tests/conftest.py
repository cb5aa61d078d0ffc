"""Fixtures shared by all tests."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import hypothesis
import pytest

REPOSITORY = Path(__file__).resolve().parent.parent

# How fast a machine is decides nothing: neither the time of an example nor that of making one. Every run has the same
# examples, unless TABLEHOUND_EXPLORE asks for others.
hypothesis.settings.register_profile(
    "tablehound",
    deadline=None,
    derandomize=not os.environ.get("TABLEHOUND_EXPLORE"),
    suppress_health_check=[hypothesis.HealthCheck.too_slow],
)
hypothesis.settings.load_profile("tablehound")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """What was not tested for lack of data, packages, servers or rights: one line for each reason."""
    reasons = Counter(
        report.longrepr[2].removeprefix("Skipped: ")
        for report in terminalreporter.stats.get("skipped", ())
        if isinstance(report.longrepr, tuple)
    )
    if reasons:
        terminalreporter.section("not tested here")
    for reason, count in sorted(reasons.items()):
        terminalreporter.write_line(f"skipped: {count} {'test' if count == 1 else 'tests'}: {reason}")


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of public data sets, from TABLEHOUND_DATA or beside the checkout; skips the test where absent."""
    folder = Path(os.environ.get("TABLEHOUND_DATA", REPOSITORY.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip(f"public data sets are absent: {folder} (set TABLEHOUND_DATA)")
    return folder
