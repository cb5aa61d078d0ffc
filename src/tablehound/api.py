"""The one way in. :func:`ask` reads like the method:

* **find**: the backbone writes patterns for the question; all tables of the lake are ranked by them (``retrieval``).
* **look**: it sees previews of the first ones that keep their structure (``lake``).
* **refine**: it selects tables, or rewrites the patterns, until steps run out (``seek``).
* **cover**: where no single table holds every part of the question, connected ones are found that do (``multitable``).
* **compute**: it writes a program; the one gate runs it over whole tables (``execution``).
* **check**: a result that is empty, or that no row stands behind, is no answer: the next tables are tried; a table that
  is one of several parts is taken together with the others.
* **answer**: the program's values with the cells that prove them, or what nothing covers, and the trail of all steps.
"""

from __future__ import annotations

import dataclasses
import hashlib
import logging
import os
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, TypeAlias

from tablehound.answer import Answer
from tablehound.cachefolder import cache_folder
from tablehound.errors import LakeBusyError, SourceError, UsageError
from tablehound.settings import Settings, Task
from tablehound.trail import Trail

if TYPE_CHECKING:
    from tablehound.backbone.protocol import Backbone
    from tablehound.lake import IndexReport, Lake
    from tablehound.retrieval.candidate import SearchEngine

logger = logging.getLogger(__name__)
_WAIT = 0.2
"""Seconds between looks at a lake that another process makes."""

Source: TypeAlias = "str | os.PathLike[str] | Sequence[str] | Lake"
"""A lake (open, or the path of one), or what to read into one: folders, files, globs, URLs."""


def ask(
    question: str,
    source: Source,
    settings: Settings | None = None,
    *,
    backbone: Backbone | None = None,
    engine: SearchEngine | None = None,
    progress: Callable[..., None] | None = None,
) -> Answer:
    """Answer a question, or check a claim, from the tables of ``source``.

    Args:
        question: a question, or a claim to be supported or refuted.
        source: a lake, or files and folders; these are indexed on the fly into a cache folder and reused.
        settings: all options; a model named by ``TABLEHOUND_MODEL`` is used when the settings name none.
        backbone: what decides, else the one that the settings ask for. Budgets of tokens and seconds are per backbone.
        engine: an open search engine on the same lake, to be reused over many questions.
        progress: told of the progress of indexing.

    Raises:
        UsageError: the question is empty, or a setting has a value it cannot have.
        SourceError, LakeError: the source cannot be read at all.
        BackboneError: the model's server is down, or an extra is missing.
    """
    settings = with_environment(settings or Settings())
    if not question.strip():
        raise UsageError("the question is empty", remedy="ask something, or state a claim to be checked")
    owned = _is_path(source)
    lake = open_lake(source, settings, progress)
    try:
        return _answer(question.strip(), lake, settings, backbone, engine)
    finally:
        if owned:
            lake.close()


def _answer(
    question: str, lake: Lake, settings: Settings, backbone: Backbone | None, engine: SearchEngine | None
) -> Answer:
    """Find, look, refine; where no single table covers the question, cover it with several; compute, check, answer."""
    from tablehound.backbone import make_backbone
    from tablehound.backbone.recorded import RecordingBackbone
    from tablehound.retrieval import open_engine
    from tablehound.seek import decide_task, lacking, unanswered

    if not lake.table_ids():
        return unanswered(question, ("the lake holds no tables",), trail=Trail(question))
    task: Task = settings.task or decide_task(question)
    engine = engine or open_engine(lake, settings)
    owned = backbone is None
    backbone = backbone or make_backbone(lake, settings)
    decides = RecordingBackbone(backbone)
    try:
        if settings.mode == "multitable":
            answer = _cover(question, lake, engine, decides, settings, task)
        elif settings.mode == "seek":
            answer = _find_look_refine(question, lake, engine, decides, settings, task)
        else:
            answer = _find_look_refine(question, lake, engine, decides, _some_steps_kept(settings), task)
            if answer.answered and not answer.doubtful:
                answer = _check(answer, lake, engine, decides, settings, task)
            elif (left := _steps_left(settings, answer)).seek.max_steps:
                further = _cover(question, lake, engine, decides, left, task, answer.tried)
                answer = _better(answer, further)
    finally:
        close = getattr(backbone, "close", None)
        if owned and close is not None:
            close()
    trail = answer.trail or Trail(question, decides.name)
    trail.settings = {**_told(settings), "task": task}
    trail.decisions = list(decides.decisions)
    if answer.answered:
        return dataclasses.replace(answer, trail=trail)
    missing = lacking(question, answer.missing)
    most = settings.seek.max_steps
    if 0 < most < Settings().seek.max_steps and most <= trail.backbone_steps:
        missing = (f"more than {most} steps, which are used up (max_steps)", *missing)
    return dataclasses.replace(answer, trail=trail, missing=missing)


def _find_look_refine(
    question: str, lake: Lake, engine: SearchEngine, backbone: Backbone, settings: Settings, task: Task
) -> Answer:
    """Single tables: find by patterns, look at previews, refine, compute by a program, check, answer."""
    from tablehound.seek import seek

    return seek(question, lake, engine, backbone, settings, task)


def _check(
    answer: Answer, lake: Lake, engine: SearchEngine, backbone: Backbone, settings: Settings, task: Task
) -> Answer:
    """A table may be one of several parts: then the answer is over all of them."""
    from tablehound.seek import over_all_parts

    return over_all_parts(answer, lake, engine, settings, task, backbone)


def _cover(
    question: str,
    lake: Lake,
    engine: SearchEngine,
    backbone: Backbone,
    settings: Settings,
    task: Task,
    tried: Sequence[str] = (),
) -> Answer:
    """Several tables: cover every part of the question with connected tables, compute over their join, answer."""
    from tablehound.multitable import answer_from_several

    return answer_from_several(question, lake, engine, backbone, settings, task, tried)


def _some_steps_kept(settings: Settings) -> Settings:
    """In ``auto``, single tables may not use up the steps that several tables need: at most half are kept for them."""
    kept = min(settings.multitable.kept_steps, settings.seek.max_steps // 2)
    return dataclasses.replace(
        settings, seek=dataclasses.replace(settings.seek, max_steps=settings.seek.max_steps - kept)
    )


def _steps_left(settings: Settings, answer: Answer) -> Settings:
    used = answer.trail.backbone_steps if answer.trail else 0
    return dataclasses.replace(
        settings, seek=dataclasses.replace(settings.seek, max_steps=max(0, settings.seek.max_steps - used))
    )


def _better(first: Answer, second: Answer) -> Answer:
    """The answer from several tables, unless only the first one is an answer; with the steps and tables of both."""
    trail = first.trail or Trail(first.question)
    trail.steps += second.trail.steps if second.trail else []
    if first.answered and not second.answered:
        tried = (*(table for table in second.tried if table not in first.tried), *first.tried)
        return dataclasses.replace(first, trail=trail, tried=tried)
    before = [table for table in first.tried if table not in second.tried]
    missing = second.missing if second.answered else tuple(dict.fromkeys((*second.missing, *first.missing)))
    return dataclasses.replace(second, trail=trail, tried=(*before, *second.tried), missing=missing)


def replay(
    trail: Trail, source: Source, *, settings: Settings | None = None, progress: Callable[..., None] | None = None
) -> Answer:
    """Answer again with the decisions that a trail recorded: no model is called, programs run anew over the lake.

    Raises:
        UsageError: the trail holds no decisions.
        BackboneReplyError: the lake or the settings changed so much that the decisions no longer fit.
    """
    from tablehound.backbone.recorded import ReplayBackbone

    if not trail.decisions and trail.backbone_steps:
        raise UsageError("the trail holds no decisions to replay", remedy="save it with Trail.save after ask()")
    settings = settings or recorded_settings(trail)
    return ask(
        trail.question, source, settings, backbone=ReplayBackbone(trail.backbone, trail.decisions), progress=progress
    )


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


def _is_path(source: Source) -> bool:
    from tablehound.lake import Lake

    return not isinstance(source, Lake)


def _told(settings: Settings) -> dict[str, Any]:
    """The settings as plain data for a trail, without a password in the server's address."""
    data = dataclasses.asdict(settings)
    address = data["backbone"]["base_url"]
    if address and "@" in address:
        scheme, _, rest = address.rpartition("://")
        data["backbone"]["base_url"] = (f"{scheme}://" if scheme else "") + rest.rpartition("@")[2]
    return data


def recorded_settings(trail: Trail) -> Settings:
    """The settings that a trail was made with; names that this version does not know are left out."""
    settings = Settings()
    values: dict[str, Any] = {}
    for room in dataclasses.fields(Settings):
        recorded = trail.settings.get(room.name)
        current = getattr(settings, room.name)
        if isinstance(recorded, Mapping) and dataclasses.is_dataclass(current):
            known = {f.name for f in dataclasses.fields(current)}
            values |= {f"{room.name}.{leaf}": v for leaf, v in recorded.items() if leaf in known}
        elif recorded is not None and not dataclasses.is_dataclass(current):
            values[room.name] = recorded
    return settings.with_values(**values)


class _CallableModule(ModuleType):
    """``tablehound.ask`` is the function, and becomes this module once anything imports it: so it can be called too."""

    __call__ = staticmethod(ask)


sys.modules[__name__].__class__ = _CallableModule
