"""The parts of a workbook that is a ZIP archive of the Open Packaging Conventions: XLSX and XLSB."""

from __future__ import annotations

import posixpath
import zipfile
from collections.abc import Iterator
from typing import Any

MAX_PART_BYTES = 256 << 20
"""Larger parts are not looked at, but for those of the sheets, which are read as streams. By hand."""


class Package:
    """Parts by their path, whatever the case of its letters."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self.archive = archive
        self._names = {name.lstrip("/").lower(): name for name in archive.namelist()}

    def name_of(self, path: str | None) -> str | None:
        """The name of a part in the archive, if it is there."""
        return self._names.get(path.lower()) if path else None

    def part(self, path: str) -> bytes | None:
        """The content of a part; none where there is no such part."""
        name = self.name_of(path)
        if name is None or self.archive.getinfo(name).file_size > MAX_PART_BYTES:
            return None
        return self.archive.read(name)

    def xml(self, path: str) -> Any:
        """The root element of a part; none where there is no such part."""
        from lxml import etree

        data = self.part(path)
        parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, recover=True)
        return None if data is None else etree.fromstring(data, parser)

    def relations(self, path: str) -> Iterator[tuple[str, str, str]]:
        """Id, kind and path of each part that a part refers to."""
        folder, _, file = path.rpartition("/")
        found = self.xml(f"{folder}/_rels/{file}.rels".lstrip("/"))
        for each in found if found is not None else ():
            target = each.get("Target") or ""
            if target:
                absolute = (
                    target.lstrip("/") if target[0] == "/" else posixpath.normpath(posixpath.join(folder, target))
                )
                yield each.get("Id"), each.get("Type") or "", absolute
