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
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tablehound.answer import Answer, Missing
from tablehound.errors import BackboneReplyError, UsageError
from tablehound.opening import Source, open_lake, with_environment
from tablehound.settings import Settings, Task
from tablehound.trail import Trail

if TYPE_CHECKING:
    from tablehound.backbone.protocol import Backbone, Usage
    from tablehound.lake import Lake
    from tablehound.retrieval.candidate import SearchEngine
    from tablehound.steps import Asked


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
        BackboneError: the model's server is down, nothing that the model replied can be read, or an extra is missing.
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
    """Ask the lake; the trail gets the settings and every decision, so that it can be replayed."""
    from tablehound.backbone import make_backbone
    from tablehound.backbone.recorded import RecordingBackbone
    from tablehound.language import decide_task
    from tablehound.retrieval import open_engine
    from tablehound.steps import Asked, lacking, unanswered

    if not lake.table_ids():
        return unanswered(question, (Missing("source", "the lake holds no tables"),), trail=Trail(question))
    task: Task = settings.task or decide_task(question)
    decides = RecordingBackbone(backbone or make_backbone(lake, settings))
    before = decides.usage
    try:
        answer = _by_mode(Asked(question, task, lake, decides, settings), engine or open_engine(lake, settings))
    finally:
        if backbone is None:
            decides.close()
    trail = answer.trail or Trail(question, decides.name)
    trail.settings = {**_plain_settings(settings), "task": task}
    trail.decisions = list(decides.decisions)
    if answer.answered:
        return dataclasses.replace(answer, trail=trail)
    _check_understood(decides.usage - before, answer)
    lacks = lacking(question, answer.lacks)
    most = settings.seek.max_steps
    if 0 < most < Settings().seek.max_steps and most <= trail.backbone_steps:
        lacks = (Missing("budget", f"more than {most} steps, which are used up (max_steps)"), *lacks)
    return dataclasses.replace(answer, trail=trail, lacks=lacks)


def _check_understood(spent: Usage, answer: Answer) -> None:
    """
    Raises:
        BackboneReplyError: nothing that the model replied could be read: its fault, which says nothing of the tables.
    """
    if spent.unparsed and not spent.understood:
        reasons = dict.fromkeys(lack.text for lack in answer.lacks if lack.kind == "reply")
        raise BackboneReplyError(
            "; ".join((f"none of {spent.unparsed} decisions could be had from the model", *reasons)),
            remedy="choose another model, or another server for it",
        )


def _by_mode(asked: Asked, engine: SearchEngine) -> Answer:
    """Find, look, refine; where no single table covers the question, cover it with several; compute, check, answer."""
    if asked.settings.mode == "multitable":
        return _cover(asked, engine)
    if asked.settings.mode == "seek":
        return _find_look_refine(asked, engine)
    # Single tables may not use up the steps that several tables need: at most half are kept for them.
    kept = min(asked.settings.multitable.kept_steps, asked.max_steps // 2)
    answer = _find_look_refine(asked.within(asked.max_steps - kept), engine)
    if answer.answered and not answer.doubtful:
        return _check(answer, asked, engine)
    left = asked.max_steps - (answer.trail.backbone_steps if answer.trail else 0)
    return _better(answer, _cover(asked.within(left), engine, answer.tried)) if left > 0 else answer


def _find_look_refine(asked: Asked, engine: SearchEngine) -> Answer:
    """Single tables: find by patterns, look at previews, refine, compute by a program, check, answer."""
    from tablehound.seek import seek

    return seek(asked, engine)


def _check(answer: Answer, asked: Asked, engine: SearchEngine) -> Answer:
    """A table may be one of several parts: then the answer is over all of them."""
    from tablehound.seek import over_all_parts

    return over_all_parts(answer, asked, engine)


def _cover(asked: Asked, engine: SearchEngine, tried: Sequence[str] = ()) -> Answer:
    """Several tables: cover every part of the question with connected tables, compute over their join, answer."""
    from tablehound.multitable import answer_from_several

    return answer_from_several(asked, engine, tried)


def _better(first: Answer, second: Answer) -> Answer:
    """The answer from several tables, unless only the first one is an answer; with the steps and tables of both."""
    trail = first.trail or Trail(first.question)
    trail.steps += second.trail.steps if second.trail else []
    if first.answered and not second.answered:
        tried = (*(table for table in second.tried if table not in first.tried), *first.tried)
        return dataclasses.replace(first, trail=trail, tried=tried)
    before = [table for table in first.tried if table not in second.tried]
    lacks = second.lacks if second.answered else (*second.lacks, *first.lacks)
    return dataclasses.replace(second, trail=trail, tried=(*before, *second.tried), lacks=lacks)


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


def _is_path(source: Source) -> bool:
    from tablehound.lake import Lake

    return not isinstance(source, Lake)


def _plain_settings(settings: Settings) -> dict[str, Any]:
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
