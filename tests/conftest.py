"""Fixtures shared by all tests."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of public data sets, from TABLEHOUND_DATA or beside the checkout; skips the test where absent."""
    folder = Path(os.environ.get("TABLEHOUND_DATA", REPOSITORY.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip(f"public data sets are absent: {folder} (set TABLEHOUND_DATA)")
    return folder
