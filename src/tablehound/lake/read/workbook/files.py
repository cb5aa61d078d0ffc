"""Workbook files: which format one is in, whether it is safe to open, and its sheets as calamine gives them."""

from __future__ import annotations

import io
import mmap
import zipfile
import zlib
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO

from tablehound.errors import BrokenSourceError, SourceError, SourceMissingError, UnsupportedSourceError
from tablehound.lake.read.contract import SourceFile

_ZIP, _COMPOUND = b"PK\x03\x04", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_SMALL_ARCHIVE = 64 << 20
"""An archive that expands to less is no bomb, whatever its ratio."""
_FLAT = b"application/vnd.oasis.opendocument.spreadsheet"


def file_kind(source: SourceFile) -> str:
    """``xlsx``, ``xlsm``, ``xlsb``, ``xls``, ``ods``, or ``fods`` for the flat form of the last.

    Raises:
        SourceMissingError: no such file.
        UnsupportedSourceError: protected by a password, or not a workbook.
        BrokenSourceError: damaged, a bomb, or beyond a limit.
    """
    try:
        with source.path.open("rb") as file:
            head = file.read(4096)
    except FileNotFoundError as error:
        raise SourceMissingError("no such file", where=source.name) from error
    except OSError as error:
        raise BrokenSourceError(f"cannot be opened: {error}", where=source.name) from error
    if head.startswith(_ZIP[:2]):
        return _kind_of_archive(source)
    if head.startswith(_COMPOUND):
        _check_encrypted_package(source)
        return "xls"
    if head[:2] == b"\x09\x08":
        return "xls"
    if head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<?xml") and _FLAT in head:
        return "fods"
    raise UnsupportedSourceError("not a workbook: neither a ZIP archive nor a compound file", where=source.name)


def _check_encrypted_package(source: SourceFile) -> None:
    """An XLSX with a password is a compound file with a stream of this name."""
    name = "EncryptedPackage".encode("utf-16-le")
    with source.path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        if data.find(name) >= 0:
            raise UnsupportedSourceError("the workbook is protected by a password", where=source.name)


def _kind_of_archive(source: SourceFile) -> str:
    """Which workbook format a ZIP archive is, after checks against bombs."""
    limit = source.settings
    try:
        with zipfile.ZipFile(source.path) as archive:
            members = archive.infolist()
            if len(members) > limit.max_archive_members:
                raise BrokenSourceError("the archive has too many members", where=source.name)
            size = sum(member.file_size for member in members)
            packed = max(sum(member.compress_size for member in members), 1)
            if size > limit.max_source_bytes or (size > _SMALL_ARCHIVE and size / packed > limit.max_archive_ratio):
                raise BrokenSourceError(
                    f"the archive expands from {packed} to {size} bytes",
                    where=source.name,
                    remedy="raise read.max_archive_ratio if you trust the file",
                )
            names = {member.filename.lower().lstrip("/") for member in members}
            if any(member.flag_bits & 1 for member in members):
                raise UnsupportedSourceError("the workbook is protected by a password", where=source.name)
            if "content.xml" in names and "META-INF/manifest.xml" in archive.namelist():
                manifest = archive.read("META-INF/manifest.xml")[:1_000_000]
                if b"encryption-data" in manifest:
                    raise UnsupportedSourceError("the workbook is protected by a password", where=source.name)
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, EOFError, OSError, RuntimeError, ValueError) as error:
        raise BrokenSourceError(f"the archive is damaged: {error}", where=source.name) from error
    if "xl/workbook.bin" in names:
        return "xlsb"
    if "content.xml" in names:
        return "ods"
    if any(name.startswith("xl/") for name in names) or {"[content_types].xml", "workbook.xml"} <= names:
        return "xlsm" if source.path.suffix.lower() == ".xlsm" else "xlsx"
    raise UnsupportedSourceError("a ZIP archive, but not a workbook", where=source.name)


def failure(source: SourceFile, error: Exception) -> SourceError:
    """What went wrong in the reader, as an error of ours."""
    text = str(error)
    if "password" in text.lower() or "encrypt" in text.lower():
        return UnsupportedSourceError("the workbook is protected by a password", where=source.name)
    return BrokenSourceError(f"the workbook cannot be read: {text or type(error).__name__}", where=source.name)


def open_archive(source: SourceFile, kind: str) -> zipfile.ZipFile:
    """The archive of a zipped workbook; a flat OpenDocument file is packed into one first.

    Raises:
        BrokenSourceError: a flat file beyond the limit for documents.
    """
    if kind != "fods":
        return zipfile.ZipFile(source.path)
    if source.path.stat().st_size > source.settings.max_document_bytes:
        raise BrokenSourceError("the flat document is too large", where=source.name, remedy="save it as ods")
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("mimetype", _FLAT)
        archive.writestr(
            "META-INF/manifest.xml",
            '<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"/>',
        )
        archive.write(source.path, "content.xml")
    return zipfile.ZipFile(packed)


def worksheets(
    source: SourceFile, kind: str, flat: BinaryIO | None = None
) -> Iterator[tuple[int, str, Callable[[], Any]]]:
    """Index, name and loader of each worksheet to read: the visible ones, all by a setting, or those pinned.

    Args:
        flat: the packed form of a flat OpenDocument file.

    Raises:
        BrokenSourceError: a pinned sheet does not exist; raised after the others.
    """
    from python_calamine import CalamineWorkbook, SheetTypeEnum, SheetVisibleEnum

    # By path the reader goes by the ending, and its errors are clearer; other endings are tried in turn.
    known = {"xls": (".xls",), "xlsb": (".xlsb",), "ods": (".ods",)}.get(kind, (".xlsx", ".xlsm"))
    pinned = source.overrides.sheets
    with source.path.open("rb") as file:
        if flat is None and source.path.suffix in known:
            book = CalamineWorkbook.from_path(source.path)
        else:
            if flat is not None:
                flat.seek(0)
            book = CalamineWorkbook.from_filelike(flat or file)
        names = [meta.name for meta in book.sheets_metadata]
        missing = [name for name in pinned if name not in names]
        for index, meta in enumerate(book.sheets_metadata):
            if meta.typ not in (SheetTypeEnum.WorkSheet, SheetTypeEnum.MacroSheet):
                continue
            shown = meta.visible == SheetVisibleEnum.Visible or source.settings.hidden_sheets
            if not shown and not pinned:
                source.left_out.append(f"hidden sheet {meta.name!r}")
            if meta.name in pinned or (shown and not pinned):
                yield index, meta.name, lambda name=meta.name: book.get_sheet_by_name(name)  # type: ignore[misc]
        if missing:
            raise BrokenSourceError(
                f"no sheet is called {' or '.join(missing)}",
                where=source.name,
                remedy=f"sheets: {', '.join(names)[:300]}",
            )
