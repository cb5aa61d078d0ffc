"""Sealed folders: files that never change, with a hash of every block of them, so that damage is noticed when read.

The seal is a file of the folder: a line of JSON with names and sizes, the hash (xxh3, 64 bits) of every 64 KiB of each
file, and last a digest of all that (xxh3, 128 bits), by which the seal itself is checked. Files are memory-mapped; a
block is hashed when it is first touched after its folder was opened, so that a search pays for what it reads.
"""

from __future__ import annotations

import json
import os
import sys
from array import array
from collections.abc import Iterable, Iterator
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import xxhash

from tablehound.errors import LakeDamagedError
from tablehound.lake.store.faults import damaged, repair_of, unreadable

if TYPE_CHECKING:
    import pyarrow as pa

SEAL = "seal"
BLOCK_BITS = 16
BLOCK = 1 << BLOCK_BITS
_DIGEST_BYTES = 16


def seal(folder: Path) -> str:
    """Hash all files of a folder and write its seal. Returns (32 hexadecimal digits) the seal's own digest."""
    files = sorted(path for path in folder.rglob("*") if path.is_file() and path != folder / SEAL)
    named = []
    hashes = array("Q")
    for path in files:
        size = 0
        with path.open("rb") as file:
            while block := file.read(BLOCK):
                hashes.append(xxhash.xxh3_64_intdigest(block))
                size += len(block)
        named.append((path.relative_to(folder).as_posix(), size))
    data = json.dumps(named).encode() + b"\n" + _little(hashes).tobytes()
    digest = xxhash.xxh3_128_digest(data)
    (folder / SEAL).write_bytes(data + digest)
    return digest.hex()


def present_seal(folder: Path) -> str:
    """The digest of a folder's seal; empty where there is none.

    Raises:
        LakeError: the system does not let it be read.
    """
    try:
        with (folder / SEAL).open("rb") as file:
            file.seek(max(0, file.seek(0, 2) - _DIGEST_BYTES))
            return file.read().hex()
    except FileNotFoundError:
        return ""
    except OSError as error:
        raise unreadable(f"the index segment {folder}", error, repair_of(folder.parent.parent)) from error


def _little(hashes: array[int]) -> array[int]:
    if sys.byteorder == "big":
        hashes.byteswap()
    return hashes


def mapped(path: Path) -> pa.Buffer:
    """The bytes of a file, memory-mapped. No descriptor stays open: many indexes may be open at once."""
    import pyarrow as pa

    if not path.stat().st_size:
        return pa.py_buffer(b"")
    with pa.memory_map(os.fsencode(path)) as file:
        return file.read_buffer()


class SealedFile:
    """One file of a sealed folder. May be used by several threads: the worst is that a block is hashed twice."""

    def __init__(self, path: Path, size: int, hashes: memoryview, remedy: str) -> None:
        self.path = path
        self.size = size
        self._hashes = hashes
        self._remedy = remedy
        self.seen = bytearray(len(hashes))
        """Per block, whether it was found to be sound."""
        self.sound = not len(hashes)
        """Whether all blocks were."""

    @cached_property
    def view(self) -> memoryview:
        """All bytes, not checked: whoever reads from it calls :meth:`check` first.

        Raises:
            LakeError: the file is missing, of another size, or cannot be opened.
        """
        try:
            with self.path.open("rb") as file:
                present = file.seek(0, 2)
                if present != self.size:
                    raise damaged(f"the file {self.path}", f"it has {present} bytes and not {self.size}", self._remedy)
            return memoryview(mapped(self.path))
        except (OSError, MemoryError) as error:
            raise unreadable(f"the file {self.path}", error, self._remedy) from error

    def check(self, start: int, stop: int) -> None:
        """Make sure that bytes from ``start`` up to ``stop`` are as they were written.

        Raises:
            LakeDamagedError: they are not.
        """
        if self.sound or start >= stop:
            return
        first, after = start >> BLOCK_BITS, (stop - 1 >> BLOCK_BITS) + 1
        if self.seen.find(0, first, after) >= 0:
            self.check_blocks(range(first, after))

    def check_blocks(self, blocks: Iterable[int]) -> None:
        """The same for blocks by number."""
        view = self.view
        for block in blocks:
            if not self.seen[block]:
                part = view[block << BLOCK_BITS : (block + 1) << BLOCK_BITS]
                if xxhash.xxh3_64_intdigest(part) != self._hashes[block]:
                    raise damaged(f"the file {self.path}", f"bytes from {block << BLOCK_BITS} on changed", self._remedy)
                self.seen[block] = 1
        self.sound = self.seen.find(0) < 0

    def check_all(self) -> None:
        """The same for the whole file."""
        if self.view.nbytes:
            self.check(0, self.size)

    def bytes(self, start: int = 0, stop: int | None = None) -> memoryview:
        """Checked bytes from ``start`` up to ``stop``."""
        stop = self.size if stop is None else stop
        self.check(start, stop)
        return self.view[start:stop]


class SealedFolder:
    """A folder with its seal.

    Raises:
        LakeDamagedError: the seal is missing, or is not as it was written.
        LakeError: it cannot be opened.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._remedy = repair_of(folder.parent.parent)
        try:
            data = (folder / SEAL).read_bytes()
        except (OSError, MemoryError) as error:
            raise unreadable(f"the index segment {folder}", error, self._remedy) from error
        body, self.digest = memoryview(data)[:-_DIGEST_BYTES], data[-_DIGEST_BYTES:].hex()
        if xxhash.xxh3_128_hexdigest(body) != self.digest:
            raise damaged(f"the index segment {folder}", "its seal changed", self._remedy)
        line = data.index(b"\n") + 1
        hashes = memoryview(_little(array("Q", bytes(body[line:]))))
        self._files: dict[str, SealedFile] = {}
        first = 0
        for name, size in json.loads(data[:line]):
            after = first + (size + BLOCK - 1 >> BLOCK_BITS)
            self._files[name] = SealedFile(folder / name, size, hashes[first:after], self._remedy)
            first = after

    def names(self) -> list[str]:
        """Names of the files, relative, sorted."""
        return list(self._files)

    def file(self, name: str) -> SealedFile:
        """A file by its name.

        Raises:
            LakeDamagedError: there was none of that name when the folder was sealed.
        """
        if name not in self._files:
            raise damaged(f"the index segment {self.folder}", f"it has no file {name}", self._remedy)
        return self._files[name]

    def text(self, name: str) -> str:
        """A small text file, whole."""
        return str(self.file(name).bytes(), "utf-8")

    def faults(self) -> Iterator[str]:
        """Hash every block of every file; what is wrong, a line for each file."""
        for file in self._files.values():
            try:
                file.check_all()
            except LakeDamagedError as error:
                yield error.message
