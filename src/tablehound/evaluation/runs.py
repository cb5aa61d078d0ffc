"""Runs: a system over the questions of a data set, one record a question, resumable.

A run is a folder: ``manifest.json`` (what was run on what, with versions and a hash of the data) and ``records.jsonl``.
A killed run goes on where it stopped; a finished question is not asked again.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import logging
import platform
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from tablehound.errors import TablehoundError, UsageError
from tablehound.evaluation.datasets import BenchQuestion, Collection, TableKeys
from tablehound.evaluation.systems import EMBEDDING, Outcome, System, make_system
from tablehound.lake import only_one
from tablehound.settings import Settings
from tablehound.version import __version__

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Record:
    """One question's gold and outcome, tables by key."""

    question: BenchQuestion
    outcome: Outcome

    def to_json(self) -> dict[str, Any]:
        """Plain data; ``Record.from_json`` is its inverse."""
        return {"question": dataclasses.asdict(self.question), "outcome": dataclasses.asdict(self.outcome)}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Record:
        return cls(BenchQuestion(**_tuples(data["question"])), Outcome(**_tuples(data["outcome"])))


def _tuples(data: dict[str, Any]) -> dict[str, Any]:
    return {name: tuple(value) if isinstance(value, list) else value for name, value in data.items()}


@dataclass(frozen=True, slots=True)
class RunPlan:
    """What to run."""

    system: str
    settings: Settings
    lake: Path
    keep_trails: bool = False
    max_seconds: float = 0.0
    """Budget of the whole run, summed over questions; 0 for none."""
    max_tokens: int = 0


def run(
    collection: Collection,
    questions: Sequence[BenchQuestion],
    plan: RunPlan,
    out: Path,
    *,
    workers: int = 1,
    progress: Callable[[int, int, Record | None], None] | None = None,
) -> list[Record]:
    """Ask every question that the run has not answered yet, and return all records in the order of the questions.

    Args:
        collection: names the data and gives tables their keys.
        questions: those to be asked; ids must be distinct.
        plan: system, settings and lake (already indexed).
        out: the run's folder.
        workers: processes; each opens the lake itself.
        progress: told (done, total, last record).

    Raises:
        UsageError: the folder holds a run of something else, or another process is writing into it.
    """
    out.mkdir(parents=True, exist_ok=True)
    with only_one(out / "run.lock") as free:
        if not free:
            raise UsageError(f"another process is writing the run in {out}", remedy="wait until it is done, or stop it")
        return _run(collection, questions, plan, out, workers, progress)


def _run(
    collection: Collection,
    questions: Sequence[BenchQuestion],
    plan: RunPlan,
    out: Path,
    workers: int,
    progress: Callable[[int, int, Record | None], None] | None,
) -> list[Record]:
    _check_manifest(out / "manifest.json", manifest(collection, questions, plan))
    path = out / "records.jsonl"
    done = {record.question.id: record for record in read_records(path)}
    left = [question for question in questions if question.id not in done]
    spent_seconds = sum(record.outcome.seconds for record in done.values())
    spent_tokens = sum(record.outcome.tokens for record in done.values())
    if progress is not None:
        progress(len(questions) - len(left), len(questions), None)
    with path.open("a", encoding="utf-8") as out_file:
        for record in _ask_all(left, collection, plan, workers):
            out_file.write(json.dumps(record.to_json(), ensure_ascii=False) + "\n")
            out_file.flush()
            done[record.question.id] = record
            spent_seconds += record.outcome.seconds
            spent_tokens += record.outcome.tokens
            if progress is not None:
                progress(sum(q.id in done for q in questions), len(questions), record)
            if 0 < plan.max_seconds <= spent_seconds or 0 < plan.max_tokens <= spent_tokens:
                logger.warning("the budget of the run is used up; the same command with a larger one goes on")
                break
    return [done[question.id] for question in questions if question.id in done]


def _ask_all(
    questions: Sequence[BenchQuestion], collection: Collection, plan: RunPlan, workers: int
) -> Iterator[Record]:
    if not questions:  # a finished run: no system is made, which may take minutes
        return
    if workers <= 1 or len(questions) < 2:
        worker = _Worker(collection, plan)
        try:
            for question in questions:
                yield worker.record(question)
        finally:
            worker.close()
        return
    if plan.system in EMBEDDING:
        # The vectors of all tables are made once, on all cores, before each process opens them.
        _Worker(collection, plan).close()
    pool = ProcessPoolExecutor(workers, get_context("spawn"), _start, (collection, plan))
    try:
        # In order: a run that is stopped leaves no holes, and its records do not depend on which process was faster.
        yield from pool.map(_ask_one, questions)
    finally:
        pool.shutdown(cancel_futures=True)


class _Worker:
    """An open lake and a system on it."""

    def __init__(self, collection: Collection, plan: RunPlan) -> None:
        from tablehound.lake import Lake

        self._lake = Lake.open(plan.lake)
        self._keys = TableKeys.of(self._lake, collection)
        self._system: System = make_system(
            plan.system, self._lake, self._keys, plan.settings, keep_trails=plan.keep_trails
        )

    def record(self, question: BenchQuestion) -> Record:
        return Record(question, self._keyed(self._system.run(question)))

    def _keyed(self, outcome: Outcome) -> Outcome:
        def keys(ids: Sequence[str]) -> tuple[str, ...]:
            return tuple(self._keys.keys.get(table_id, table_id) for table_id in ids)

        return dataclasses.replace(
            outcome,
            ranked=keys(outcome.ranked),
            tried=keys(outcome.tried),
            final=keys(outcome.final),
            first_by_round=keys(outcome.first_by_round),
        )

    def close(self) -> None:
        self._lake.close()


_worker: list[_Worker | TablehoundError] = []
"""The one worker of a pool's process, or why there is none; a process pool has no other place for it."""


def _start(collection: Collection, plan: RunPlan) -> None:
    try:
        _worker.append(_Worker(collection, plan))
    except TablehoundError as error:
        # An error here would only be seen as a broken pool; the first question brings it to the caller as it is.
        _worker.append(error)


def _ask_one(question: BenchQuestion) -> Record:
    worker = _worker[0]
    if isinstance(worker, TablehoundError):
        raise worker
    return worker.record(question)


def read_records(path: Path) -> list[Record]:
    """The records of a run. A last line cut off by a kill is left out, and removed from the file."""
    if not path.exists():
        return []
    lines = path.read_bytes().split(b"\n")
    if lines[-1]:
        path.write_bytes(b"\n".join(lines[:-1]) + b"\n" if len(lines) > 1 else b"")
    try:
        return [Record.from_json(json.loads(line)) for line in lines[:-1] if line]
    except (json.JSONDecodeError, KeyError, TypeError) as error:
        raise UsageError(f"{path} does not hold the records of a run: {error!r}") from error


def manifest(collection: Collection, questions: Sequence[BenchQuestion], plan: RunPlan) -> dict[str, Any]:
    """What a run is of. Two runs with the same manifest give the same records, but for their times."""
    from tablehound.lake import Lake

    digest = hashlib.sha256()
    for question in questions:
        digest.update(repr(dataclasses.astuple(question)).encode("utf-8", "surrogatepass"))
    with Lake.open(plan.lake) as lake:
        tables = lake.table_ids()
    for table_id in tables:
        digest.update(table_id.encode("utf-8"))
    return {
        "data_set": collection.name,
        "citation": collection.citation,
        "system": plan.system,
        "settings": dataclasses.asdict(plan.settings),
        "questions": len(questions),
        "tables": len(tables),
        "data_hash": digest.hexdigest(),
        "version": __version__,
        "python": platform.python_version(),
    }


def _check_manifest(path: Path, wanted: dict[str, Any]) -> None:
    if path.exists():
        found = json.loads(path.read_text(encoding="utf-8"))
        changed = sorted(
            name for name in wanted if name not in ("python", "citation") and found.get(name) != wanted[name]
        )
        if changed:
            raise UsageError(
                f"{path.parent} holds a run that differs in {', '.join(changed)}", remedy="give another --out folder"
            )
        return
    path.write_text(json.dumps(wanted, indent=1) + "\n", encoding="utf-8")


def read_run(folder: Path) -> tuple[dict[str, Any], list[Record]]:
    """Manifest and records of a run's folder.

    Raises:
        UsageError: it is no run.
    """
    path = folder / "manifest.json"
    if not path.exists():
        raise UsageError(f"{folder} is no run: it has no manifest.json")
    return json.loads(path.read_text(encoding="utf-8")), read_records(folder / "records.jsonl")
