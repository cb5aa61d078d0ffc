"""The public handle of a lake: opening one, or reading sources into one that is kept in the cache folder."""

from __future__ import annotations

import dataclasses
import hashlib
import logging
import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from tablehound.errors import LakeBusyError, SourceError, UsageError
from tablehound.settings import Settings

if TYPE_CHECKING:
    from tablehound.lake import IndexReport, Lake

logger = logging.getLogger(__name__)
_WAIT = 0.2
"""Seconds between looks at a lake that another process makes."""

Source: TypeAlias = "str | os.PathLike[str] | Sequence[str] | Lake"
"""A lake (open, or the path of one), or what to read into one: folders, files, globs, URLs."""


def open_lake(source: Source, settings: Settings | None = None, progress: Callable[..., None] | None = None) -> Lake:
    """The lake that ``source`` is, or one read from it into the cache folder.

    Plain files, folders, globs and URLs are indexed below the cache folder, in a folder of their own for each
    source; on later calls only what changed is read again. While another process indexes the same source, its last
    complete state is used, once there is one.

    Args:
        source: an open lake (given back as it is), the path of a lake, or what to read.
        settings: limits of the readers.
        progress: passed to ``index_sources``.

    Raises:
        LakeVersionError: the folder is a lake of another version.
        SourceError: nothing is there to read, or nothing of it can be read.
    """
    from tablehound.errors import LakeMissingError
    from tablehound.lake import Lake

    if isinstance(source, Lake):
        return source
    named = [source] if isinstance(source, str | os.PathLike) else list(source)
    texts = [os.fspath(part) for part in named]
    if not texts:
        raise UsageError("there is nothing to read", remedy="name a lake, a folder, files or URLs")
    settings = settings or Settings()
    if len(texts) == 1:
        try:
            return Lake.open(Path(texts[0]))
        except LakeMissingError:
            logger.debug("%s is no lake; reading it", texts[0])
    folder = cached_lake_path(texts)
    try:
        report = _indexed(texts, folder, settings, progress)
    except LakeBusyError:
        logger.warning("another process is indexing %s; its last complete state is used", ", ".join(texts))
        return Lake.open(folder)
    if not report.n_tables and report.problems:
        first = report.problems[0]
        raise SourceError(
            first.error or first.status,
            where=first.where or first.label,
            remedy=first.remedy or "tablehound index SOURCE --lake LAKE --report says more",
        )
    return Lake.open(folder)


def _indexed(
    texts: Sequence[str], folder: Path, settings: Settings, progress: Callable[..., None] | None
) -> IndexReport:
    """Index sources; while another process makes a first complete state, wait.

    Raises:
        LakeBusyError: another process is indexing, and there is a complete state to use.
    """
    from tablehound.lake import index_sources
    from tablehound.retrieval import segment_builders

    while True:
        try:
            return index_sources(texts, folder, settings, builders=segment_builders(settings), progress=progress)
        except LakeBusyError:
            if _has_tables(folder):
                raise
            time.sleep(_WAIT)


def _has_tables(folder: Path) -> bool:
    """Whether a lake is there and has a complete state with tables."""
    from tablehound.errors import LakeMissingError
    from tablehound.lake import Lake

    try:
        with Lake.open(folder) as lake:
            return bool(lake.table_ids())
    except LakeMissingError:
        return False


def cached_lake_path(sources: Sequence[str]) -> Path:
    """Where the lake of plain sources is kept: a folder named after the last part and a hash of all full names.

    The format of lakes is part of the hash, so that a later version reads the sources again instead of failing.
    """
    from tablehound.lake import FORMAT_VERSION

    full = [text if "://" in text else str(Path(text).expanduser().absolute()) for text in sources]
    digest = hashlib.sha256("\0".join([str(FORMAT_VERSION), *full]).encode("utf-8", "surrogatepass")).hexdigest()[:16]
    stem = "".join(c if c.isalnum() or c in "-_." else "-" for c in Path(full[0]).name)[:40].strip(".-") or "lake"
    return cache_folder() / "lakes" / f"{stem}-{digest}"


def with_environment(settings: Settings) -> Settings:
    """The settings, with the model that ``TABLEHOUND_MODEL`` names when they name none."""
    model = os.environ.get("TABLEHOUND_MODEL", "").strip()
    chosen = settings.backbone
    if not model or chosen.model or chosen.replay:
        return settings
    return dataclasses.replace(settings, backbone=dataclasses.replace(chosen, model=model))


def cache_folder() -> Path:
    """``$XDG_CACHE_HOME/tablehound``, else ``~/.cache/tablehound``. It may not exist yet."""
    base = os.environ.get("XDG_CACHE_HOME", "")
    # The XDG rule: a relative path there is invalid and to be ignored.
    return (Path(base) if base and Path(base).is_absolute() else Path.home() / ".cache") / "tablehound"
