"""``tablehound.toml`` beside the sources: pins for a file, or for files that match a pattern, what detection got wrong.

.. code-block:: toml

    ["sales*.csv"]
    delimiter = ";"
    header_rows = 2

    ["reports/*.xlsx"]
    sheets = ["Data"]
    region = "A5:F40"

Names and patterns are relative to the folder of the file. Of several entries that fit, the later one wins, and a file
in a folder below wins over one above.
"""

from __future__ import annotations

import dataclasses
import fnmatch
import os
import tomllib
from pathlib import Path
from typing import Any

from tablehound.errors import SourceError
from tablehound.lake.read.draft import Overrides

OVERRIDES_FILE = "tablehound.toml"
_TYPES: dict[str, type] = {
    "header_rows": int,
    "skip_rows": int,
    "skip": bool,
    "sheets": list,
}
_NOTHING = Overrides()


class OverrideFiles:
    """The override files from a folder downwards. A bad one is a failure and pins nothing."""

    def __init__(self, base: Path) -> None:
        self._base = base
        self._entries: dict[Path, list[tuple[str, dict[str, Any]]]] = {}
        self._of_folder: dict[str, list[Path]] = {}
        self.failures: list[tuple[str, SourceError]] = []

    def of(self, file: str) -> Overrides:
        """What is pinned for the file at a path."""
        parent = os.path.dirname(file)  # noqa: PTH120 - called for every file
        folders = self._of_folder.get(parent)
        if folders is None:
            # Nearly every folder has none, and there may be a hundred thousand files.
            folders = [folder for folder in self._folders(Path(file)) if self._read(folder)]
            self._of_folder[parent] = folders
        if not folders:
            return _NOTHING
        pinned: dict[str, Any] = {}
        for folder in folders:
            name = Path(file).relative_to(folder).as_posix()
            for pattern, values in self._read(folder):
                if fnmatch.fnmatchcase(name, pattern) or name == pattern:
                    pinned.update(values)
        return Overrides(**pinned)

    def _folders(self, path: Path) -> list[Path]:
        parents = [path.parent, *path.parent.parents]
        if self._base not in parents:
            return [path.parent]
        return parents[parents.index(self._base) :: -1]

    def _read(self, folder: Path) -> list[tuple[str, dict[str, Any]]]:
        if folder not in self._entries:
            self._entries[folder] = []
            path = folder / OVERRIDES_FILE
            if path.is_file():
                try:
                    self._entries[folder] = _parsed(path)
                except SourceError as error:
                    self.failures.append((str(path), error))
        return self._entries[folder]


def _parsed(path: Path) -> list[tuple[str, dict[str, Any]]]:
    where = str(path)
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise SourceError(f"not a file of overrides: {error}", where=where, remedy="correct or remove it") from error
    strays = sorted(key for key, entry in data.items() if not isinstance(entry, dict))
    if strays:
        raise SourceError(
            f"{', '.join(strays)} stands under no file", where=where, remedy='write ["name or pattern"] above it'
        )
    return [(pattern, _values(entry, pattern, where)) for pattern, entry in data.items()]


def _values(entry: dict[str, Any], pattern: str, where: str) -> dict[str, Any]:
    known = {field.name for field in dataclasses.fields(Overrides)}
    values: dict[str, Any] = {}
    value: Any
    for key, value in entry.items():
        if key == "no_header" and isinstance(value, bool):
            if value:
                values["header_rows"] = 0
            continue
        if key == "sheet" and isinstance(value, str):
            values["sheets"] = (value,)
            continue
        if key not in known:
            raise SourceError(
                f"there is no override {key!r} (at {pattern!r})", where=where, remedy=f"use {', '.join(sorted(known))}"
            )
        wanted: Any = _TYPES.get(key, str)
        if not isinstance(value, wanted) or (wanted is int and isinstance(value, bool)):
            raise SourceError(f"{key} is {value!r} (at {pattern!r})", where=where, remedy="see docs/formats.md")
        if key == "date_order" and value not in ("ymd", "dmy", "mdy"):
            raise SourceError(f"date_order is {value!r} (at {pattern!r})", where=where, remedy="use ymd, dmy or mdy")
        if wanted is int and value < 0:
            raise SourceError(f"{key} is {value} (at {pattern!r})", where=where, remedy="use 0 or more")
        values[key] = tuple(str(item) for item in value) if key == "sheets" else value
    return values
