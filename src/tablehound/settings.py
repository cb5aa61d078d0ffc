"""Every limit and option, with its default, unit and one line of documentation.

One frozen dataclass per room. ``option`` attaches the documentation to the field; ``docs/settings.md`` is compared
with it by a test. Settings are plain data: build one with ``Settings()`` and change parts with
``dataclasses.replace`` or ``Settings.with_values``.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from typing import Any, Literal

from tablehound.errors import SettingError

Mode = Literal["auto", "seek", "multitable"]
Task = Literal["tableqa", "fact_verification"]
TableFormat = Literal["as_stored", "markdown", "html", "csv", "mixed"]
Privacy = Literal["schema", "stats", "values", "rows"]
Rank = Literal["structure", "share", "bm25"]


def option(default: Any, doc: str, unit: str = "", choices: tuple[str, ...] = (), least: float = 0) -> Any:
    """A dataclass field that carries its documentation, unit, allowed words, and the least number it may be."""
    return field(default=default, metadata={"doc": doc, "unit": unit, "choices": choices, "least": least})


@dataclass(frozen=True, slots=True)
class ReadSettings:
    """Limits of the readers (``lake/read``)."""

    max_source_bytes: int = option(8 * 2**30, "a larger source is refused", "bytes")
    max_cell_chars: int = option(1_000_000, "a longer cell is cut and reported", "characters")
    max_cell_lines: int = option(2_000, "a quote that is open for longer encloses no cell and is read as text", "lines")
    max_listed_rows: int = option(
        1_000, "rows set aside, and repairs, that a report lists one by one; all are counted", "rows"
    )
    max_columns: int = option(16_384, "a wider table is refused", "columns")
    max_document_bytes: int = option(
        256 * 2**20, "a larger HTML, Markdown or JSON document is refused; JSON lines are not", "bytes"
    )
    max_sheet_cells: int = option(
        20_000_000, "a sheet of a workbook, or a table of a page, that spans more is refused", "cells"
    )
    max_archive_ratio: int = option(200, "an archive that expands more than this is refused as a bomb", "times")
    max_archive_members: int = option(100_000, "an archive with more members is refused", "members")
    max_nesting: int = option(64, "deeper JSON or HTML nesting is refused", "levels")
    max_archive_nesting: int = option(8, "archives within archives, deeper than this, are refused", "levels")
    max_name_chars: int = option(1_000, "a member of an archive with a longer name is not read", "characters")
    follow_links: bool = option(False, "read files behind links that lead out of a named folder")
    batch_rows: int = option(65_536, "rows per stored chunk", "rows")
    stall_seconds: float = option(
        120.0, "a source whose reading makes no progress for this long is given up", "seconds"
    )
    memory_mb: int = option(4_096, "a source whose reading takes more memory is given up", "MiB")
    hidden_sheets: bool = option(False, "read hidden sheets too")
    strict: bool = option(False, "fail on any row that would be set aside")


@dataclass(frozen=True, slots=True)
class SearchSettings:
    """Limits of search and ranking (``retrieval``)."""

    rank: Rank = option("structure", "how tables are ranked", choices=("structure", "share", "bm25"))
    max_pattern_chars: int = option(1_000, "a longer pattern is refused", "characters")
    max_patterns: int = option(50, "patterns evaluated for one question", "patterns")
    first_stage: int = option(150, "tables that the structure ranking looks at closely", "tables")
    ranking_weights: str | None = option(
        None, "file of weights that `tablehound train ranking` wrote; none means those of the package"
    )
    embedder: str | None = option(
        None, "model for vectors as a further signal: minilm (extra dense), a folder, or a sentence-transformers name"
    )
    use_titles: bool = option(True, "titles and file names count in the structure ranking; off in blind mode")


@dataclass(frozen=True, slots=True)
class SeekSettings:
    """The evidence-seeking loop (``seek``): the options of the TableSeek paper."""

    max_steps: int = option(10, "all backbone calls of a question; one is always kept for the answer", "steps")
    n_candidates: int = option(5, "tables shown per refine round", "tables")
    max_select_tables: int = option(1, "tables that a select may keep", "tables")
    strategy: str = option("5s1", "NsM: show N, select M; rN: rerank N")
    preview_chars: int = option(800, "head of a table that is too large to show whole", "characters")
    max_matched_rows: int = option(5, "matched rows shown per table", "rows")
    max_rows_per_pattern: int = option(1, "matched rows shown per pattern", "rows")
    max_line_chars: int = option(400, "a longer row is cut, marked", "characters")
    fallback_tables: int = option(1, "tables passed to the answer step if no selection was made", "tables")
    table_format: TableFormat = option(
        "as_stored", "how tables are shown", choices=("as_stored", "markdown", "html", "csv", "mixed")
    )
    transpose: bool = option(False, "show rows as columns (the stress test)")
    refine: bool = option(True, "look at previews and refine (ablation no_refine)")
    regenerate: bool = option(True, "a refine step may rewrite the patterns (ablation no_regenerate)")
    select: bool = option(True, "a refine step may select tables (ablation no_select)")
    fallback: bool = option(True, "try the next tables when the answer step says insufficient (ablation no_fallback)")
    match_only: bool = option(False, "previews hold matched rows only while refining (ablation)")
    match_only_qa: bool = option(False, "previews hold matched rows only in the answer step too (ablation)")
    check_by_execution: bool = option(True, "prefer candidates whose rows satisfy every condition (ours)")
    offer_vocabulary: bool = option(True, "offer the lake's nearest headers and values to the backbone (ours)")


@dataclass(frozen=True, slots=True)
class MultitableSettings:
    """Answers from several tables (``relations`` and ``multitable``): the options of the DMRAL paper."""

    union_threshold: float = option(0.9, "similarity above which two tables are unionable", "0 to 1")
    join_threshold: float = option(0.5, "score above which two columns are joinable", "0 to 1")
    columns_per_need: int = option(30, "columns aligned to one information need", "columns")
    coverage_threshold: float = option(
        0.5, "coverage below which a part of the question counts as not covered", "0 to 1"
    )
    bridge_hops: int = option(2, "tables that may lie between two needed tables", "hops")
    max_repairs: int = option(3, "times that a failing program is repaired", "repairs")
    exploded_join: float = option(
        50.0, "a join that gives more rows for each row of its larger side is a fault to repair", "times"
    )
    kept_steps: int = option(4, "steps that mode auto keeps for several tables, at most half of max_steps", "steps")


@dataclass(frozen=True, slots=True)
class ProgramSettings:
    """The gate for programs (``execution``)."""

    timeout: float = option(20.0, "a program that runs longer is killed", "seconds")
    memory_mb: int = option(1_024, "memory of the program's process", "MiB")
    workers: int = option(
        0,
        "processes that run programs at once, 0 for one a core but at most 4; a wait for one counts as time",
        "processes",
    )
    idle_seconds: float = option(60.0, "a program's process that nobody needs for this long is ended", "seconds")
    max_result_rows: int = option(1_000, "result rows kept; more is marked as truncated", "rows")
    max_program_chars: int = option(50_000, "a longer program is refused", "characters")
    max_program_tokens: int = option(20_000, "a program of more words and signs is refused", "tokens")
    max_table_references: int = option(
        64, "a program that names tables or selects more often is refused; a union cluster counts once", "references"
    )
    max_keys: int = option(512, "a program with more comparisons by = and names in USING is refused", "keys")
    max_depth: int = option(64, "a program that nests deeper is refused", "levels")
    exploded_join: float = option(
        2.0, "a join that gives more rows for each row of its larger side is warned of", "times"
    )
    max_evidence_cells: int = option(200, "evidence cells named per answer", "cells")


@dataclass(frozen=True, slots=True)
class BackboneSettings:
    """The gate for model calls (``backbone``)."""

    model: str | None = option(None, "chat model; none means the built-in rules")
    base_url: str | None = option(None, "address of the server; none means the openai package's default")
    temperature: float = option(0.0, "sampling temperature")
    max_reply_tokens: int = option(1_024, "reply length", "tokens")
    max_reply_bytes: int = option(2**20, "a longer reply of the server is refused", "bytes", least=1)
    max_prose_chars: int = option(65_536, "the end of a reply without JSON that is searched for SQL", "characters")
    max_tokens: int = option(0, "tokens per question, 0 for no limit", "tokens")
    max_seconds: float = option(0.0, "seconds per question, 0 for no limit", "seconds")
    call_timeout: float = option(120.0, "one call of the server", "seconds")
    retries: int = option(4, "tries after 429, 5xx, time-outs and cut streams", "tries")
    privacy: Privacy = option(
        "rows", "what of a table the model may see", choices=("schema", "stats", "values", "rows")
    )
    blind: bool = option(False, "names of files, sheets and titles never reach the backbone")
    cache: bool = option(True, "keep replies on disk and reuse them")
    record: str | None = option(None, "file that records every call and reply, for replay")
    replay: str | None = option(None, "file of recorded replies to answer from, with no server")


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings. ``mode`` and ``task`` choose the method; the rest is one group per room."""

    mode: Mode = option(
        "auto", "single tables first, then several; or one method alone", choices=("auto", "seek", "multitable")
    )
    task: Task | None = option(
        None, "what is asked; none means decide from the text", choices=("tableqa", "fact_verification")
    )
    seed: int = option(0, "seed of everything that samples")
    workers: int = option(
        0,
        "processes that read files, 0 for one per core, -1 for none: this process reads, unprotected",
        "processes",
        least=-1,
    )
    read: ReadSettings = field(default_factory=ReadSettings)
    search: SearchSettings = field(default_factory=SearchSettings)
    seek: SeekSettings = field(default_factory=SeekSettings)
    multitable: MultitableSettings = field(default_factory=MultitableSettings)
    program: ProgramSettings = field(default_factory=ProgramSettings)
    backbone: BackboneSettings = field(default_factory=BackboneSettings)

    @property
    def ranking(self) -> SearchSettings:
        """Settings of search; in blind mode without titles and names of files, which would give a table away."""
        return dataclasses.replace(self.search, use_titles=False) if self.backbone.blind else self.search

    def with_values(self, **values: Any) -> Settings:
        """A copy with options changed by dotted name, such as ``{"seek.max_steps": 5}``.

        Raises:
            SettingError: an unknown name, a word that is not among the choices, or a number that is too small.
        """
        changed: Any = self
        for name, value in values.items():
            room, leaf, spec = _setting(name)
            choices = spec.metadata["choices"]
            if choices and value is not None and value not in choices:
                raise SettingError(f"{name} is {value!r}", remedy=f"use one of {', '.join(choices)}")
            least = spec.metadata["least"]
            if isinstance(value, int | float) and not value >= least:
                raise SettingError(f"{name} is {value}", remedy=f"use {least} or more")
            change = {leaf: value}
            if room:
                change = {room: dataclasses.replace(getattr(changed, room), **change)}
            changed = dataclasses.replace(changed, **change)
        result: Settings = changed
        return result


def parse_option(name: str, text: str) -> Any:
    """The value of a setting written as text (command line, environment).

    Raises:
        SettingError: an unknown name, or text that is not of the setting's type.
    """
    spec: Any = _setting(name)[2]
    if spec.default is None or isinstance(spec.default, str):
        return None if text == "none" and spec.default is None else text
    try:
        if isinstance(spec.default, bool):
            return {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}[text.lower()]
        return type(spec.default)(text.replace("_", ""))
    except (KeyError, ValueError):
        kind = {bool: "true or false", int: "a whole number", float: "a number"}[type(spec.default)]
        raise SettingError(f"{name} is {text!r}", remedy=f"give {kind}") from None


def _setting(name: str) -> tuple[str, str, dataclasses.Field[Any]]:
    """Room (empty for the general ones), leaf and field of the setting of a dotted name.

    Raises:
        SettingError: there is none.
    """
    room, _, leaf = name.rpartition(".")
    target = getattr(Settings(), room, None) if room else Settings()
    if dataclasses.is_dataclass(target):
        for spec in dataclasses.fields(target):
            if spec.name == leaf and "doc" in spec.metadata:
                return room, leaf, spec
    raise SettingError(f"there is no setting named {name!r}", remedy="see docs/settings.md")
