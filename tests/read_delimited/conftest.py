"""What the tests of delimited text share."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.read_delimited.reading import Load, Tables, read_all


@pytest.fixture
def load(tmp_path: Path) -> Load:
    """Reads a text or bytes as a file; every draft with its rows, its account checked."""

    def load_it(content: str | bytes, name: str = "a.csv", **options: object) -> Tables:
        path = tmp_path / name
        path.write_bytes(content.encode("utf-8") if isinstance(content, str) else content)
        return read_all(path, **options)

    return load_it
