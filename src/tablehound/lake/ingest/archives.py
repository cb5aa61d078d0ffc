"""Archives and compressed files, unpacked one member at a time into a scratch folder, within limits.

A member is written under a name of our own, so that no name inside an archive can reach outside of the folder.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO, Any

from tablehound.errors import BrokenSourceError, SourceError, UnsupportedSourceError
from tablehound.settings import ReadSettings

FREE_BYTES = 16 * 2**20
"""What unpacks to less is never called a bomb."""
_BLOCK = 2**20
SHOWN_CHARS = 60
"""Characters of a name that is too long that are shown."""
_UNIX = 3
"""The system that a member of a zip archive was written on, if its mode is to be believed."""
LINK = "a link in an archive, which is not followed"
_WORKBOOK_PARTS = ("xl/", "[Content_Types].xml", "mimetype")
_MAGICS = {b"\x1f\x8b": "gz", b"\x28\xb5\x2f\xfd": "zst", b"BZh": "bz2", b"\xfd7zXZ\0": "xz"}
_COMPRESSED_SUFFIXES = (".gz", ".zst", ".zstd", ".bz2", ".xz")
_INNER_SUFFIX = {".tgz": ".tar", ".tbz": ".tar", ".tbz2": ".tar", ".txz": ".tar", ".tzst": ".tar"}
_DAMAGE = (
    zipfile.BadZipFile,
    tarfile.TarError,
    lzma.LZMAError,
    zlib.error,
    EOFError,
    OSError,
    ValueError,
    RuntimeError,
)


_KINDS = {tarfile.FIFOTYPE: "a pipe", tarfile.CHRTYPE: "a device", tarfile.BLKTYPE: "a device"}
_UNPACK = "unpack it yourself"


class _Damaged(Exception):  # noqa: N818 - never leaves this module
    """What the libraries raise on damaged input, under one name."""


@dataclass(frozen=True, slots=True)
class Member:
    """A file of a zip archive."""

    name: str
    index: int
    """Its place in the archive: names may occur twice."""
    size: int
    aside: str = ""
    """Why it is passed over, if it is."""


class Budget:
    """How much may still be unpacked from one source, over all levels of nesting."""

    def __init__(self, packed_bytes: int, settings: ReadSettings, where: str) -> None:
        self.limit = max(FREE_BYTES, min(settings.max_source_bytes, packed_bytes * settings.max_archive_ratio))
        self.where = where
        self.max_nesting = settings.max_archive_nesting
        self._left = self.limit
        self._members = settings.max_archive_members

    def spend(self, n_bytes: int) -> None:
        """Count unpacked bytes.

        Raises:
            BrokenSourceError: too many.
        """
        self._left -= n_bytes
        if self._left < 0:
            raise BrokenSourceError(
                f"it unpacks to more than {self.limit} bytes and is refused as a bomb",
                where=self.where,
                remedy="unpack it yourself, or raise read.max_archive_ratio and read.max_source_bytes",
            )

    def count_member(self) -> None:
        """Count a member.

        Raises:
            BrokenSourceError: too many.
        """
        self._members -= 1
        if self._members < 0:
            raise BrokenSourceError(
                "it has more members than allowed", where=self.where, remedy="raise read.max_archive_members"
            )


def archive_kind(name: str, head: bytes) -> str | None:
    """``zip``, ``tar``, ``gz``, ``zst``, ``bz2``, ``xz``; ``other`` for what is not read; None for no archive."""
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return "zip"
    if head[257:262] == b"ustar" or (head and name.lower().endswith(".tar")):
        return "tar"
    if head.startswith((b"7z\xbc\xaf\x27\x1c", b"Rar!\x1a\x07")):
        return "other"
    return next((kind for magic, kind in _MAGICS.items() if head.startswith(magic)), None)


def is_archive_name(name: str) -> bool:
    """Whether the ending of a name is that of an archive or a compressed file."""
    return PurePosixPath(name).suffix.lower() in (".zip", ".tar", *_COMPRESSED_SUFFIXES, *_INNER_SUFFIX)


def numbered(name: str, number: int) -> str:
    """A name for what comes under a name that is taken: ``a@2.csv``."""
    path = PurePosixPath(name)
    return str(path.with_name(f"{path.stem}@{number}{path.suffix}")) if path.name else f"{name}@{number}"


def is_hidden(name: str) -> bool:
    """Whether a member is a system's own: hidden, or of the resource forks that macOS adds."""
    return any(
        (part.startswith((".", "~$")) and part not in (".", "..")) or part == "__MACOSX"
        for part in name.replace("\\", "/").split("/")
    )


def zip_members(path: Path, settings: ReadSettings, where: str) -> list[Member] | None:
    """The files of a zip archive in its order; None when it is a workbook or another document and no archive.

    Raises:
        BrokenSourceError: damaged, or a bomb by what it declares.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            infos = archive.infolist()
    except _DAMAGE as error:
        raise BrokenSourceError(f"a damaged zip archive: {error}", where=where) from error
    if any(info.filename.startswith(_WORKBOOK_PARTS) for info in infos[:16]):
        return None
    if len(infos) > settings.max_archive_members:
        raise BrokenSourceError(
            f"{len(infos)} members; the limit is {settings.max_archive_members}",
            where=where,
            remedy="raise read.max_archive_members",
        )
    Budget(path.stat().st_size, settings, where).spend(sum(info.file_size for info in infos))
    return [
        Member(info.filename, index, info.file_size, _not_a_file(info))
        for index, info in enumerate(infos)
        if not info.is_dir() and not is_hidden(info.filename)
    ]


def _not_a_file(info: zipfile.ZipInfo) -> str:
    """What a member of a zip archive is where it is no file: the archive may hold links as Unix wrote them."""
    return LINK if info.create_system == _UNIX and stat.S_ISLNK(info.external_attr >> 16) else ""


def leads_out(name: str) -> bool:
    """Whether the name of a member would lead out of the folder into which it is unpacked, on any system."""
    return name.startswith(("/", "\\")) or ".." in name.replace("\\", "/").split("/") or name[1:2] == ":"


def unpack_member(archive: zipfile.ZipFile, index: int, target: Path, budget: Budget) -> None:
    """Write one file of an open zip archive to ``target``.

    Raises:
        UnsupportedSourceError: encrypted, or packed by a method that is not known.
        BrokenSourceError: damaged, or a bomb.
    """
    info = archive.infolist()[index]
    where = f"{budget.where}!{info.filename}"
    if info.flag_bits & 1:
        raise UnsupportedSourceError("encrypted in its archive", where=where, remedy="unpack it with its password")
    try:
        with archive.open(info) as stream:
            _copy(stream, target, budget)
    except NotImplementedError as error:
        raise UnsupportedSourceError(str(error), where=where, remedy="unpack it yourself") from error
    except (*_DAMAGE, _Damaged) as error:
        raise BrokenSourceError(f"damaged in its archive: {error}", where=where) from error


def unpack(path: Path, name: str, kind: str, scratch: Path, budget: Budget) -> Iterator[tuple[str, Path | SourceError]]:
    """Unpack an archive member by member: its name, and its file, which is gone when the next one is asked for.

    A member that cannot be unpacked comes with its error instead; what makes the rest unreadable is raised.

    Raises:
        UnsupportedSourceError: an archive of a kind that is not read.
        BrokenSourceError: damaged, or a bomb.
    """
    if kind == "other":
        raise UnsupportedSourceError("7z and rar archives are not read", where=budget.where, remedy="unpack it first")
    target = scratch / "member"
    number = 0
    while target.exists():
        number += 1
        target = scratch / f"member{number}"
    try:
        if kind == "zip":
            yield from _unzip(path, target, budget)
            return
        with path.open("rb") as packed, closing(_decompressed(packed, kind)) as stream:
            inner = _inner_name(name, kind)
            if inner.lower().endswith(".tar"):
                # What is passed over in a compressed archive is unpacked all the same: all of it is counted.
                yield from _untar(stream if kind == "tar" else _Counted(stream, budget), target, budget)
            else:
                _copy(stream, target, budget)
                yield inner, target
    except _Damaged as error:
        raise BrokenSourceError(f"a damaged {kind} archive: {error}", where=budget.where) from error
    finally:
        target.unlink(missing_ok=True)


def _unzip(path: Path, target: Path, budget: Budget) -> Iterator[tuple[str, Path | SourceError]]:
    try:
        archive = zipfile.ZipFile(path)
    except _DAMAGE as error:
        raise _Damaged(str(error)) from error
    with archive:
        for index, info in enumerate(archive.infolist()):
            budget.count_member()
            if info.is_dir() or is_hidden(info.filename):
                continue
            try:
                if aside := _not_a_file(info):
                    raise UnsupportedSourceError(aside, where=f"{budget.where}!{info.filename}", remedy=_UNPACK)
                unpack_member(archive, index, target, budget)
            except SourceError as error:
                yield info.filename, error
            else:
                yield info.filename, target


def _untar(stream: Any, target: Path, budget: Budget) -> Iterator[tuple[str, Path | SourceError]]:
    try:
        archive = tarfile.open(fileobj=stream, mode="r|")  # noqa: SIM115 - closed below
    except _DAMAGE as error:
        raise _Damaged(str(error)) from error
    with archive:
        while True:
            try:
                info = archive.next()
                if info is None:
                    return
                budget.count_member()
                if info.isdir() or is_hidden(info.name):
                    continue
                # A sparse file is the one thing that is larger than what the archive holds of it.
                aside = "a sparse file" if info.issparse() else "" if info.isfile() else _KINDS.get(info.type, LINK)
                if aside:
                    where = f"{budget.where}!{info.name}"
                    yield info.name, UnsupportedSourceError(aside, where=where, remedy=_UNPACK)
                    continue
                content = archive.extractfile(info)
                if content is None:
                    continue
                _copy(content, target, None if isinstance(stream, _Counted) else budget)
            except _DAMAGE as error:
                raise _Damaged(str(error)) from error
            yield info.name, target


def _decompressed(packed: IO[bytes], kind: str) -> Any:
    if kind == "gz":
        return gzip.GzipFile(fileobj=packed)
    if kind == "bz2":
        return bz2.BZ2File(packed)
    if kind == "xz":
        return lzma.LZMAFile(packed)
    if kind == "zst":
        import zstandard

        return zstandard.ZstdDecompressor().stream_reader(packed, read_across_frames=True, closefd=False)
    return packed


def _inner_name(name: str, kind: str) -> str:
    if kind == "tar":
        return "archive.tar"
    plain = PurePosixPath(PurePosixPath(name).name)
    suffix = plain.suffix.lower()
    if suffix in _INNER_SUFFIX:
        return plain.stem + _INNER_SUFFIX[suffix]
    return plain.stem if suffix in _COMPRESSED_SUFFIXES else plain.name


class _Counted:
    """A stream whose bytes are counted as they are read."""

    def __init__(self, stream: Any, budget: Budget) -> None:
        self._stream = stream
        self._budget = budget

    def read(self, size: int) -> bytes:
        data: bytes = _read(self._stream, size)
        self._budget.spend(len(data))
        return data


def _read(stream: Any, size: int) -> bytes:
    import zstandard

    try:
        data: bytes = stream.read(size)
    except (*_DAMAGE, zstandard.ZstdError) as error:
        raise _Damaged(str(error)) from error
    return data


def _copy(stream: Any, target: Path, budget: Budget | None) -> None:
    """Write a stream to a new file. The old one under that name may still be open somewhere: it is replaced."""
    target.unlink(missing_ok=True)
    with target.open("wb") as out:
        while block := _read(stream, _BLOCK):
            if budget is not None:
                budget.spend(len(block))
            out.write(block)
