"""``tablehound.toml`` beside the sources: pins for a file, or for files that match a pattern, what detection got wrong.

.. code-block:: toml

    ["sales*.csv"]
    delimiter = ";"
    header_rows = 2

    ["reports/*.xlsx"]
    sheets = ["Data"]
    region = "A5:F40"

Names and patterns are relative to the folder of the file. Of several entries that fit, the later one wins, and a file
in a folder below wins over one above. A member of a zip archive is named ``archive.zip!member``.
"""

from __future__ import annotations

import dataclasses
import fnmatch
import os
import tomllib
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tablehound.errors import SettingError, SourceError
from tablehound.lake.ingest.override_values import checked
from tablehound.lake.read.contract import Overrides

OVERRIDES_FILE = "tablehound.toml"
_NOTHING = Overrides()


@dataclass(slots=True)
class _Entry:
    """A pattern with what it pins."""

    pattern: str
    values: dict[str, Any]
    file: Path
    used: bool = False

    def fits(self, name: str) -> bool:
        if fnmatch.fnmatchcase(name, self.pattern) or name == self.pattern:
            self.used = True
            return True
        return False


class OverrideFiles:
    """The override files from a folder downwards. A bad one is a failure and pins nothing."""

    def __init__(self, base: Path) -> None:
        self._base = base
        self._entries: dict[Path, list[_Entry]] = {}
        self._of_folder: dict[str, list[Path]] = {}
        self.failures: list[tuple[str, SourceError]] = []

    def of(self, file: str) -> Overrides:
        """What is pinned for the file at a path."""
        folders = self._folders_of(file)
        if not folders:
            return _NOTHING
        return Overrides(**self._pinned(file, folders))

    def of_member(self, file: str, member: str, pinned: Overrides) -> Overrides:
        """What is pinned for a member of an archive: what is for the archive, and what names ``archive!member``."""
        folders = self._folders_of(file)
        if not folders:
            return pinned
        return dataclasses.replace(pinned, **self._pinned(file, folders, member))

    def idle(self) -> Iterator[tuple[Path, str]]:
        """Override file and pattern of the entries that no file has met."""
        for entries in self._entries.values():
            yield from ((entry.file, entry.pattern) for entry in entries if not entry.used)

    def _folders_of(self, file: str) -> list[Path]:
        parent = os.path.dirname(file)  # noqa: PTH120 - called for every file
        folders = self._of_folder.get(parent)
        if folders is None:
            # Nearly every folder has none, and there may be a hundred thousand files.
            folders = [folder for folder in self._folders(Path(file)) if self._read(folder)]
            self._of_folder[parent] = folders
        return folders

    def _pinned(self, file: str, folders: Sequence[Path], member: str = "") -> dict[str, Any]:
        pinned: dict[str, Any] = {}
        for folder in folders:
            name = unicodedata.normalize("NFC", Path(file).relative_to(folder).as_posix())
            for entry in self._read(folder):
                if member and "!" not in entry.pattern:
                    continue
                if entry.fits(f"{name}!{member}" if member else name):
                    pinned.update(entry.values)
        return pinned

    def _folders(self, path: Path) -> list[Path]:
        parents = [path.parent, *path.parent.parents]
        if self._base not in parents:
            return [path.parent]
        return parents[parents.index(self._base) :: -1]

    def _read(self, folder: Path) -> list[_Entry]:
        if folder not in self._entries:
            self._entries[folder] = []
            path = folder / OVERRIDES_FILE
            if path.is_file():
                try:
                    self._entries[folder] = _parsed(path)
                except SourceError as error:
                    self.failures.append((str(path), error))
        return self._entries[folder]


def _parsed(path: Path) -> list[_Entry]:
    where = str(path)
    try:
        # Editors on Windows begin a file with a byte order mark.
        data = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError) as error:
        raise SourceError(f"not a file of overrides: {error}", where=where, remedy="correct or remove it") from error
    strays = sorted(key for key, entry in data.items() if not isinstance(entry, dict))
    if strays:
        raise SourceError(
            f"{', '.join(strays)} stands under no file", where=where, remedy='write ["name or pattern"] above it'
        )
    entries = []
    for pattern, entry in data.items():
        try:
            values = checked(entry)
        except SettingError as misfit:
            raise SourceError(f"{misfit.message} (at {pattern!r})", where=where, remedy=misfit.remedy) from misfit
        entries.append(_Entry(unicodedata.normalize("NFC", pattern), values, path))
    return entries
