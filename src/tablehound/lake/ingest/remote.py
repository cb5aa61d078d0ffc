"""Sources that are not files on this machine: URLs that fsspec opens, and database servers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from tablehound.errors import BrokenSourceError, SourceError, SourceMissingError, UnsupportedSourceError
from tablehound.settings import ReadSettings

_URL = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]+(://|::)")
_DATABASES = ("postgresql", "postgres", "mysql", "mariadb")
_BLOCK = 2**20
_SECRETS = re.compile(r"(?<=://)[^/@\s]+@|(?<=\w)\?[\w%.~-]+=[^\s'\")]*")
"""User and password, or the query, of a URL within a text."""


def is_url(location: str) -> bool:
    """Whether a source is a URL and not a path (a drive letter is no scheme)."""
    return _URL.match(location) is not None


def is_database(location: str) -> bool:
    """Whether a source is the URL of a database server."""
    return "://" in location and location.partition("://")[0].partition("+")[0].lower() in _DATABASES


def without_secrets(url: str) -> str:
    """A URL without user, password and query, which may hold keys: what names, reports and ids are made of."""
    # Of a chain such as zip://member::https://host/file, every link may have some.
    return "::".join(map(_without_secrets, url.split("::")))


def _without_secrets(url: str) -> str:
    try:
        parts = urlsplit(url)
    except ValueError:
        # A bracket in a password makes it no URL; it is one to whoever typed it.
        scheme, slashes, rest = url.partition("://")
        return scheme + slashes + rest.rpartition("@")[2].partition("?")[0].partition("#")[0]
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))


@dataclass(frozen=True, slots=True)
class RemoteFile:
    """A file behind a URL."""

    url: str
    name: str
    """Relative to the URL that was named."""
    stamp: str
    size: int


def list_files(url: str) -> Iterator[RemoteFile]:
    """The files at a URL: itself, or all below it when it is a folder, sorted.

    Raises:
        SourceMissingError: there is nothing.
        UnsupportedSourceError: no support for such URLs is installed.
        SourceError: it cannot be reached.
    """
    filesystem, root = _open(url)
    shown = without_secrets(url)
    try:
        if any(mark in root for mark in "*[") and not filesystem.exists(root):
            found = filesystem.glob(root, detail=True)
            base = root.partition("*")[0].partition("[")[0].rpartition("/")[0]
        elif filesystem.isdir(root):
            found = filesystem.find(root, detail=True)
            base = root.rstrip("/")
        else:
            info = filesystem.info(root)
            yield RemoteFile(url, shown, _stamp(info), info.get("size") or 0)
            return
    except FileNotFoundError as error:
        raise SourceMissingError("nothing is there", where=shown, remedy="check the URL") from error
    except Exception as error:  # each file system has exceptions of its own
        raise SourceError(f"cannot be reached: {_one_line(error)}", where=shown) from error
    for path in sorted(found):
        info = found[path]
        if info.get("type") != "directory":
            name = path.removeprefix(base).lstrip("/") or PurePosixPath(path).name
            yield RemoteFile(filesystem.unstrip_protocol(path), name, _stamp(info), info.get("size") or 0)


def fetch(url: str, target: Path, settings: ReadSettings) -> Path:
    """Copy what is at a URL to a file.

    Raises:
        SourceMissingError: there is nothing.
        BrokenSourceError: larger than allowed.
        SourceError: it cannot be reached.
    """
    shown = without_secrets(url)
    filesystem, path = _open(url)
    size = 0
    try:
        with filesystem.open(path, "rb") as stream, target.open("wb") as out:
            while block := stream.read(_BLOCK):
                size += len(block)
                if size > settings.max_source_bytes:
                    raise BrokenSourceError(
                        f"more than {settings.max_source_bytes} bytes",
                        where=shown,
                        remedy="raise read.max_source_bytes",
                    )
                out.write(block)
    except SourceError:
        raise
    except FileNotFoundError as error:
        raise SourceMissingError("nothing is there", where=shown, remedy="check the URL") from error
    except Exception as error:  # each file system has exceptions of its own
        raise SourceError(f"cannot be read: {_one_line(error)}", where=shown) from error
    return target


def _open(url: str) -> tuple[Any, str]:
    import fsspec

    shown = without_secrets(url)
    try:
        filesystem, path = fsspec.core.url_to_fs(url)
    except ImportError as error:
        raise UnsupportedSourceError(
            _one_line(error), where=shown, remedy="pip install 'tablehound[remote]', or what the message names"
        ) from error
    except ValueError as error:
        raise UnsupportedSourceError(_one_line(error), where=shown, remedy="check the URL") from error
    except FileNotFoundError as error:
        raise SourceMissingError("nothing is there", where=shown, remedy="check the URL") from error
    except Exception as error:  # some file systems connect at once, and each has exceptions of its own
        raise SourceError(f"cannot be reached: {_one_line(error)}", where=shown) from error
    return filesystem, path


def _one_line(error: BaseException) -> str:
    """What an error says, without the secrets of a URL that it may repeat."""
    text = _SECRETS.sub("", " ".join(str(error).split()))
    return text or type(error).__name__


def _stamp(info: dict[str, Any]) -> str:
    """What tells of a change without reading: empty when the server says nothing but a size."""
    marks = [info.get(key) for key in ("ETag", "etag", "LastModified", "last_modified", "mtime", "md5Hash", "created")]
    known = [str(mark) for mark in marks if mark]
    return "-".join([str(info.get("size")), *known]) if known else ""
