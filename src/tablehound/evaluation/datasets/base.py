"""Typed records of benchmark data, and what every data set gives.

A data set is read from a folder that the user names; nothing is downloaded. Tables are named by a *key* that is the
same in the questions and in the lake: :meth:`Collection.key_of` derives it from where the lake found a table.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, Protocol

from tablehound.errors import SourceMissingError, UsageError
from tablehound.settings import Task

if TYPE_CHECKING:
    from tablehound.answer import Verdict
    from tablehound.lake import Lake, Provenance


@dataclass(frozen=True, slots=True)
class BenchQuestion:
    """One question or claim with its gold."""

    id: str
    text: str
    task: Task = "tableqa"
    tables: tuple[str, ...] = ()
    """Keys of the gold tables. For sibling groups the one highlighted table."""
    answers: tuple[str, ...] | None = None
    """Gold values; None when the set has none that tables alone can give."""
    verdict: Verdict | None = None
    group: tuple[str, ...] = ()
    """Keys of all sibling tables, the gold one among them."""
    sql: str | None = None
    database: str | None = None
    difficulty: str = ""


@dataclass(frozen=True, slots=True)
class Collection:
    """The tables to index and the questions over them."""

    name: str
    sources: tuple[str, ...]
    """Paths to be indexed into one lake."""
    questions: tuple[BenchQuestion, ...]
    key_of: Callable[[Provenance], str]
    citation: str = ""


class DataSet(Protocol):
    """Reads one published format."""

    @property
    def name(self) -> str: ...

    @property
    def hint(self) -> str:
        """What to get, where the published set is found by name, and how the folder must look."""
        ...

    def load(self, folder: Path, split: str = "valid") -> Collection:
        """Read the set.

        Raises:
            SourceMissingError: a file is not there.
            UsageError: the split does not exist, or a record is not of the format.
        """
        ...


@dataclass(frozen=True, slots=True)
class TableKeys:
    """Both directions between keys and the ids of one lake."""

    ids: dict[str, str] = field(default_factory=dict)
    keys: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, lake: Lake, collection: Collection) -> TableKeys:
        """For every table of the lake. Of several tables with one key the first by id stands for it."""
        keys = {info.id: collection.key_of(info.provenance) for info in lake.infos()}
        ids: dict[str, str] = {}
        for table_id in sorted(keys, reverse=True):
            ids[keys[table_id]] = table_id
        return cls(ids, keys)


def sample_questions(questions: Sequence[BenchQuestion], count: int | None, seed: int) -> tuple[BenchQuestion, ...]:
    """``count`` questions drawn by the seed, in their original order; all when there are no more than that."""
    if count is None or count >= len(questions):
        return tuple(questions)
    picked = sorted(random.Random(seed).sample(range(len(questions)), count))
    return tuple(questions[place] for place in picked)


def member_key(provenance: Provenance) -> str:
    """The key of a table in a file or archive: the path in the archive, else the source's path."""
    return provenance.member or provenance.source


def source_key(provenance: Provenance) -> str:
    """The key of a table that is alone in its file: the file's path below the folder that was indexed."""
    return provenance.source


def stem_key(provenance: Provenance) -> str:
    """The key of a table named by its file's stem."""
    return PurePosixPath(member_key(provenance)).stem


def database_key(provenance: Provenance) -> str:
    """The key of a database's table: ``database#table``."""
    return f"{PurePosixPath(provenance.source).stem}#{(provenance.sheet or '').lower()}"


@dataclass(frozen=True, slots=True)
class FileSet:
    """A :class:`DataSet` that has one file of questions for each split, and its tables beside."""

    name: str
    title: str
    """Its name in messages."""
    hint: str
    splits: Mapping[str, Sequence[str]]
    """Split → names of its file of questions; the first that is there is read."""
    tables: Sequence[str]
    """Names of the archive or folder of tables; the first that is there is indexed."""
    read: Callable[[Path], tuple[BenchQuestion, ...]]
    key_of: Callable[[Provenance], str]
    citation: str = ""

    def load(self, folder: Path, split: str = "valid") -> Collection:
        """See :class:`DataSet`."""
        only_split(split, list(self.splits), self.title)
        path = first_of([folder / name for name in self.splits[split]], self.hint)
        tables = first_of([folder / name for name in self.tables], self.hint)
        return Collection(self.name, (str(tables),), self.read(path), self.key_of, self.citation)


def need(path: Path, hint: str) -> Path:
    """The path, if it is there.

    Raises:
        SourceMissingError: it is not.
    """
    if not path.exists():
        raise SourceMissingError("no such file or folder", where=str(path), remedy=hint)
    return path


def first_of(paths: Sequence[Path], hint: str) -> Path:
    """The first path that exists.

    Raises:
        SourceMissingError: none does.
    """
    for path in paths:
        if path.exists():
            return path
    return need(paths[0], hint)


def read_json_lines(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Line number (from 1) and record of each line that is not blank.

    Raises:
        UsageError: a line is not a JSON object.
    """
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                record = json.loads(line)
            except json.JSONDecodeError as error:
                raise UsageError(f"{path}, line {number}: not JSON: {error}") from error
            if not isinstance(record, dict):
                raise UsageError(f"{path}, line {number}: not a record")
            yield number, record


def records_of(path: Path, make: Callable[[int, dict[str, Any]], BenchQuestion]) -> tuple[BenchQuestion, ...]:
    """One question per line of JSON.

    Raises:
        UsageError: a record lacks a field or has one of the wrong type.
    """
    questions = []
    for number, record in read_json_lines(path):
        try:
            questions.append(make(number, record))
        except KeyError as error:
            raise UsageError(f"{path}, line {number}: the record has no {error.args[0]!r}") from error
        except (TypeError, ValueError) as error:
            raise UsageError(f"{path}, line {number}: not a question of this set: {error}") from error
    return tuple(questions)


def texts(values: Any) -> tuple[str, ...]:
    """A value or a list of values as texts; numbers that are whole without ``.0``."""
    items = values if isinstance(values, list | tuple) else [values]
    return tuple(
        str(int(item)) if isinstance(item, float) and item.is_integer() else "" if item is None else str(item)
        for item in items
    )


def only_split(split: str, known: Sequence[str], name: str) -> None:
    """Refuse a split that the set does not have."""
    if split not in known:
        raise UsageError(f"{name} has no split {split!r}", remedy=f"use one of {', '.join(known)}")
