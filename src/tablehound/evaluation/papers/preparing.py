"""The data of the grid: read from the user's folder, or built from it once, below the grid's own folder."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tablehound.errors import SourceMissingError
from tablehound.evaluation.datasets import Collection, data_set
from tablehound.settings import Settings

GROUPS = 1_000
"""Sibling groups built at most, one a table, from questions drawn by the seed."""
Told = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Prepared:
    """Questions with an indexed lake."""

    collection: Collection
    lake: Path
    tables: int


class Preparing:
    """Prepares data by name, each once."""

    def __init__(self, data: Path, work: Path, settings: Settings, told: Told) -> None:
        self._data = data
        self._work = work
        self._settings = settings
        self._told = told
        self._ready: dict[str, Prepared] = {}
        self._missing: dict[str, SourceMissingError] = {}

    def get(self, name: str) -> Prepared:
        """The data of that name.

        Raises:
            SourceMissingError: the folder does not hold what it is made of.
        """
        if name in self._missing:
            raise self._missing[name]
        if name not in self._ready:
            try:
                self._ready[name] = self._index(name, self._collection(name))
            except SourceMissingError as error:
                self._missing[name] = error
                raise
        return self._ready[name]

    def _collection(self, name: str) -> Collection:
        base, _, rest = name.partition("-")
        if base == "tabfact":
            more = ("tabfact_train_tables.zip", "ottqa_tables.zip")[: int(rest or 1) - 1]
            return self._with_distractors(data_set("tabfact").load(self._data / "tabfact_val"), more)
        if base == "siblings":
            source = self._siblings()
            return data_set("siblings").load(self._format(source, rest) if rest else source)
        if base == "wild":
            return data_set("wild").load(self._wild())
        return data_set(base).load(self._data / base)

    def _with_distractors(self, collection: Collection, names: Sequence[str]) -> Collection:
        from tablehound.evaluation.datasets.base import need

        hint = "put more tables into distractors/, as the documentation of the grid says"
        paths = [str(need(self._data / "distractors" / name, hint)) for name in names]
        return replace(collection, sources=(*collection.sources, *paths))

    def _siblings(self) -> Path:
        from tablehound.evaluation.builders import SiblingOptions, build_siblings

        def build(out: Path) -> object:
            questions = data_set("spider").load(self._data / "spider", "train").questions
            options = SiblingOptions(seed=self._settings.seed, groups=GROUPS)
            return build_siblings(questions, self._data / "spider" / "databases", out, options)

        return self._built("siblings", build)

    def _format(self, source: Path, form: str) -> Path:
        from tablehound.evaluation.builders import build_formats

        def build(out: Path) -> object:
            transpose = form == "transposed"
            return build_formats(
                source, out, "csv" if transpose else form, transpose=transpose, seed=self._settings.seed  # type: ignore[arg-type]
            )  # fmt: skip

        return self._built(f"siblings-{form}", build)

    def _wild(self) -> Path:
        from tablehound.evaluation.builders import WildOptions, build_wild
        from tablehound.lake import Lake

        spider = self._data / "spider"

        def build(out: Path) -> object:
            questions = data_set("spider").load(spider).questions
            others = self._data / "distractors" / "ottqa_tables.zip"
            options = WildOptions(seed=self._settings.seed)
            schemas = spider / "schemas.json"
            known = schemas if schemas.exists() else None
            if not others.exists():
                return build_wild(questions, spider / "databases", known, out, options).to_json()
            lake = self._lake("distractors", [str(others)], searched=False)
            with Lake.open(lake) as opened:
                return build_wild(questions, spider / "databases", known, out, options, opened).to_json()

        return self._built("wild", build)

    def _built(self, name: str, build: Callable[[Path], object]) -> Path:
        """Built once; what was begun and not finished is built anew."""
        folder = self._work / "data" / name
        done = folder / "built.json"
        if not done.exists():
            self._told(f"building {name}")
            folder.mkdir(parents=True, exist_ok=True)
            facts = build(folder)
            done.write_text(json.dumps(facts), encoding="utf-8")
        return folder

    def statistics(self, name: str) -> Any:
        """What the builder said of built data, None for other data."""
        done = self._work / "data" / name / "built.json"
        return json.loads(done.read_text(encoding="utf-8")) if done.exists() else None

    def _index(self, name: str, collection: Collection) -> Prepared:
        from tablehound.lake import Lake

        path = self._lake(name, collection.sources)
        with Lake.open(path) as lake:
            return Prepared(collection, path, len(lake.table_ids()))

    def _lake(self, name: str, sources: Sequence[str], *, searched: bool = True) -> Path:
        """The lake of that name, with the indexes of search unless it is only read."""
        from tablehound.lake import index_sources
        from tablehound.retrieval import segment_builders

        path = self._work / "lakes" / name
        self._told(f"indexing {name}")
        index_sources(list(sources), path, self._settings, builders=segment_builders(self._settings))
        return path
