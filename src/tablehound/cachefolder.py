"""Where things are kept that can be made again: lakes of plain folders, replies of models."""

from __future__ import annotations

import os
from pathlib import Path


def cache_folder() -> Path:
    """``$XDG_CACHE_HOME/tablehound``, else ``~/.cache/tablehound``. It may not exist yet."""
    base = os.environ.get("XDG_CACHE_HOME", "")
    # The XDG rule: a relative path there is invalid and to be ignored.
    return (Path(base) if base and Path(base).is_absolute() else Path.home() / ".cache") / "tablehound"
