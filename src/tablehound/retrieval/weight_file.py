"""Files of learned weights: arrays and what is to be known about them, in one compressed file."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tablehound.errors import UsageError


def save_weights(path: Path, version: int, about: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write ``arrays`` with ``about`` (as JSON) and the version of the format."""
    text = json.dumps({"format": version, **about}, ensure_ascii=False)
    every: dict[str, Any] = {"about": np.frombuffer(text.encode(), np.uint8), **arrays}
    np.savez_compressed(path, **every)


def load_weights(path: Path, version: int, what: str) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """What ``save_weights`` wrote: about and arrays. ``what`` names the weights in messages (*ranking*).

    Raises:
        UsageError: no such file, or of another format.
    """
    try:
        with np.load(path, allow_pickle=False) as data:
            arrays: dict[str, NDArray[Any]] = dict(data)
        about: dict[str, Any] = json.loads(arrays.pop("about").tobytes().decode())
    except (OSError, ValueError, KeyError) as error:
        raise UsageError(f"{path} holds no {what} weights: {error}") from error
    if about.get("format") != version:
        raise UsageError(f"{path} is of format {about.get('format')}", remedy=f"train the {what} weights again")
    return about, arrays
