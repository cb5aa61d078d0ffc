"""The answer to a question: values, the cells that prove them, the program, the trail; or what nothing covers."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from tablehound.program import CellRef, JoinReport, Program
from tablehound.trail import Trail

Verdict = Literal["supported", "refuted"]
MissingKind = Literal[
    "need",
    "words",
    "residual",
    "general",
    "source",
    "which_table",
    "overlap",
    "join",
    "unit",
    "bounds",
    "result",
    "reply",
    "budget",
]
"""What is missing, by kind:

* ``need``: a phrase of the question that no column covers;
* ``words``: what a model names in its own words, and what a recorded decision names;
* ``residual``: the words of the question that are left over for what no table covers;
* ``general``: no more than that there is no answer; it is left out where another kind names something;
* ``source``: nothing of the lake can be looked at, since it has no table or none with anything of the question;
* ``which_table``: several tables list the same things and disagree; ``overlap``: a count over them counts things twice;
* ``join``: a join between the tables; ``unit``: the unit of a column;
* ``bounds``: cells that hold bounds (``<5``) leave it open;
* ``result``: why the result of a program is no answer; ``reply``: a model's reply cannot be read;
* ``budget``: steps, tokens or seconds are used up.
"""


@dataclass(frozen=True, slots=True)
class Missing:
    """One thing that an unanswered question lacks. ``text`` is what a user reads."""

    kind: MissingKind
    text: str


@dataclass(frozen=True, slots=True)
class EvidenceTable:
    """A table that an answer rests on, with its cells."""

    table_id: str
    label: str
    """File, sheet and range for people."""
    header: tuple[str, ...]
    cells: tuple[CellRef, ...] = ()
    source_rows: Mapping[int, int] = field(default_factory=dict)
    """0-based row index → 1-based row number in the source."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of a question. ``answered`` False means: the tables do not say, and ``missing`` names the part."""

    question: str
    answered: bool
    values: tuple[str, ...] = ()
    unit: str | None = None
    scale: float = 1.0
    """How many of the unit a value of 1 is: 1000 for ``1234`` in thousand EUR."""
    counted_in: str = ""
    """Unit and scale for people: ``thousand EUR``."""
    verdict: Verdict | None = None
    """For claims."""
    sentence: str = ""
    evidence: tuple[EvidenceTable, ...] = ()
    evidence_truncated: bool = False
    program: Program | None = None
    joins: tuple[JoinReport, ...] = ()
    assumptions: tuple[str, ...] = ()
    lacks: tuple[Missing, ...] = ()
    """Parts of the question that nothing covers, by kind."""
    truncated: bool = False
    doubtful: bool = False
    """It counted nothing: no row satisfies the conditions, which may lie elsewhere. Or some cells that it was computed
    from give no exact number; ``assumptions`` names them."""
    tried: tuple[str, ...] = ()
    """Ids of all tables that an answer was tried from, in order (for R@all); the last is the final one."""
    trail: Trail | None = None

    @property
    def missing(self) -> tuple[str, ...]:
        """The texts of what nothing covers."""
        return tuple(lack.text for lack in self.lacks)

    def to_json(self) -> dict[str, Any]:
        """Plain data for ``--json``."""
        names = ["missing" if f.name == "lacks" else f.name for f in dataclasses.fields(self) if f.name != "trail"]
        data: dict[str, Any] = {name: getattr(self, name) for name in names}
        for name in ("evidence", "joins"):
            data[name] = [dataclasses.asdict(item) for item in data[name]]
        if self.program is not None:
            data["program"] = {
                "language": self.program.language,
                "text": self.program.text,
                "tables": {alias: list(view.table_ids) for alias, view in self.program.tables.items()},
            }
        data["trail"] = self.trail.to_json() if self.trail else None
        return data
