"""A candidate: a plan with all that it rests on; and what readings make candidates of one question and table from."""

from __future__ import annotations

from dataclasses import dataclass, field

from tablehound.backbone.rules.conditions import ConditionSet, Linked
from tablehound.backbone.rules.plan import Order, Plan
from tablehound.language.lexicon import lexicon
from tablehound.language.question import Analysis, Superlative
from tablehound.linking.schema_links import GENERIC, GENERIC_ASKED, Links, header_core, link
from tablehound.linking.table_profile import ColumnProfile, TableProfile

MAX_TARGETS = 4
MAX_ORDERS = 3


@dataclass(frozen=True, slots=True)
class Choice:
    """A column in a role (``target``, ``order``, ``group``…), the tokens that name it, and how it was found."""

    column: int
    how: str
    score: float
    tokens: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Candidate:
    """A plan with all that it rests on."""

    plan: Plan
    shape: str
    """Name of the reading, such as ``count``, ``superlative``, ``neighbour``."""
    conditions: tuple[Linked, ...] = ()
    roles: tuple[tuple[str, Choice], ...] = ()
    spent: frozenset[int] = frozenset()
    """Tokens of superlatives, comparatives and so on that the plan makes use of."""
    skipped: frozenset[int] = frozenset()


@dataclass
class Generator:
    """What the readings of one question over one table are made from: its links, and its columns in roles."""

    analysis: Analysis
    table: TableProfile
    links: Links = field(init=False)
    superlatives: tuple[Superlative, ...] = field(init=False)
    """Those of the question that are not merely a part of a column's name."""

    def __post_init__(self) -> None:
        self.links = link(self.analysis.tokens, self.table, self.analysis.numbers)
        named = {
            i
            for h in self.links.headers
            if h.how == "name" and h.end - h.start > 1
            for i in range(h.start, h.end)
            if self.analysis.tokens[i].stem in self.table.columns[h.column].stems
        }
        self.superlatives = tuple(
            s for s in self.analysis.superlatives if not (set(range(s.start, s.end)) <= named and self._sure(s, named))
        )

    def _sure(self, sup: Superlative, named: set[int]) -> bool:
        """Whether a superlative is only a part of a column's name (``First ascent``, ``Maximum depth``)."""
        return sup.nth == 1 and not sup.take and sup.end in named

    # --- columns in roles -----------------------------------------------------------------------------------------

    def targets(self, taken: set[int]) -> list[Choice]:
        """Columns that may hold what is asked for: named in the target phrase, named elsewhere, or of its type."""
        analysis, lex = self.analysis, lexicon()
        span = analysis.target or (0, 0)
        best: dict[int, Choice] = {}

        def offer(choice: Choice) -> None:
            known = best.get(choice.column)
            if known is None or choice.score > known.score:
                best[choice.column] = choice

        last = span[1] - 1
        for header in self.links.headers:
            inside = span[0] <= header.start < span[1]
            place = frozenset(range(header.start, header.end))
            if inside:
                bonus = 0.1 * (header.end > last) - 0.02 * (header.start - span[0])
                offer(Choice(header.column, header.how, header.score + bonus, place))
            elif not place & self._used_by_superlative():
                offer(Choice(header.column, f"far_{header.how}", 0.45 * header.score, place))
        for column in self.table.columns:
            score = self._type_score(column)
            if score:
                offer(Choice(column.index, "type", score))
        word = analysis.tokens[span[0]].stem if analysis.target and span[1] > span[0] else ""
        for column in self.table.columns:
            ranks = [
                r
                for r, s in enumerate(lex.synonyms.get(word, ()))
                if s in column.expanded and (s not in GENERIC or word in GENERIC_ASKED)
            ]
            if ranks and best.get(column.index, Choice(0, "", 0)).score < 0.6:
                offer(Choice(column.index, "synonym", 0.6 - 0.01 * ranks[0], frozenset({span[0]})))
        ranked = sorted(best.values(), key=lambda c: (-(c.score - 0.5 * (c.column in taken)), c.column))
        return ranked[:MAX_TARGETS]

    def _used_by_superlative(self) -> set[int]:
        return {
            i for s in self.superlatives for i in range(s.end, min(s.end + 3, len(self.analysis.tokens))) if not s.about
        }

    def _type_score(self, column: ColumnProfile) -> float:
        """Whether the column's values are of the type asked for, a little more for the first columns."""
        kind, first = self.analysis.answer_type, 0.02 * max(0, 5 - column.index)
        if column.kind == "empty":
            return 0.0
        if kind == "number":
            return (
                0.2 + first
                if column.measure in ("number", "inner", "clock", "spelled") and not column.datelike
                else 0.0
            )
        if kind == "date":
            return 0.3 + first if column.datelike else 0.0
        if kind == "text":
            return 0.2 + first if column.kind == "text" and not column.datelike else 0.0
        return 0.12 + first + 0.05 * (column.kind == "text")

    def orders(self, sup: Superlative) -> list[Choice]:
        """Columns that a superlative may be about."""
        _analysis, lex = self.analysis, lexicon()
        best: dict[int, Choice] = {}

        aged = sup.about in {"oldest", "eldest", "youngest"}

        def offer(choice: Choice) -> None:
            column = self.table.columns[choice.column]
            if (
                column.measure == "none"
                or column.identifier
                or (aged and not column.datelike and "age" not in column.expanded)
            ):
                return
            known = best.get(choice.column)
            if known is None or choice.score > known.score:
                best[choice.column] = choice

        for header in self.links.headers:
            place = frozenset(range(header.start, header.end))
            gap = header.start - sup.end
            if 0 <= gap <= 4:
                offer(Choice(header.column, header.how, header.score - 0.05 * gap, place))
            elif not sup.about:
                offer(Choice(header.column, f"far_{header.how}", 0.4 * header.score, place))
        words = {"oldest": ("age", False), "eldest": ("age", False), "youngest": ("age", True)}.get(sup.about)
        about = lex.synonyms.get(sup.about, ())
        for column in self.table.columns:
            core = header_core(column)
            if about:
                ranks = [r for r, s in enumerate(about) if s in core or s in column.expanded]
                if ranks:
                    offer(Choice(column.index, "about", 0.8 - 0.02 * ranks[0] - 0.03 * (len(core) - 1)))
                elif sup.about in column.expanded:
                    offer(Choice(column.index, "about", 0.8))
            if sup.about == "when" and column.ordered_in_time:
                offer(Choice(column.index, "about", 0.55 - 0.01 * column.index))
            if words and ("age" in column.expanded or column.datelike):
                offer(Choice(column.index, "about", 0.7 if "age" in column.expanded else 0.5))
            if column.measure in ("number", "clock", "inner"):
                offer(Choice(column.index, "type", 0.15 - 0.005 * column.index))
        return sorted(best.values(), key=lambda c: (-c.score, c.column))[:MAX_ORDERS]

    def order(self, sup: Superlative, column: ColumnProfile) -> Order:
        """The order that a superlative means on a column: the best rank is the smallest, the youngest is born last."""
        high = sup.high
        if sup.about in {"oldest", "eldest", "youngest"}:
            high = (sup.about != "youngest") if "age" in column.expanded else sup.about == "youngest"
        if sup.about == "old" and "age" in column.expanded:  # older: born earlier, of a higher age
            high = not high
        word = self.analysis.tokens[sup.end - 1].norm if sup.end else ""
        if word in {"best", "top", "worst", "highest", "lowest"} and header_core(column) & lexicon().lower_is_better:
            high = not high
        if sup.about in {"fast", "slow", "quick"} and header_core(column) & {"time"}:
            high = sup.about == "slow"
        return Order(column.index, high, sup.nth, sup.take)

    def units(self) -> list[str]:
        """What a count may count: rows; of a join, the rows of each of its tables, or of those that the target phrase
        names a column of."""
        if len(self.table.aliases) == 1:
            return [""]
        start, end = self.analysis.target or (0, 0)
        stems = {t.stem for t in self.analysis.tokens[start:end]}
        about = {
            alias for alias, base in self.table.bases.items() if stems and base.about_stems and stems & base.about_stems
        }
        exact = {alias for alias in about if self.table.bases[alias].about_stems <= stems}
        if exact or about:
            return sorted(exact or about)
        named = {
            self.table.columns[h.column].alias
            for h in self.links.headers
            if h.how not in ("synonym", "generic") and start <= h.start < end
        }
        return [alias for alias in self.table.aliases if not named or alias in named]

    def scale(self, column: ColumnProfile) -> float:
        """What results are divided by: the scale asked for, unless the column is written in it already."""
        asked = self.analysis.scale
        largest = max((abs(n) for n in column.numbers if n is not None), default=0.0)
        return asked if asked != 1 and column.measure == "number" and largest >= 0.5 * asked else 1.0

    def make(
        self,
        plan: Plan,
        shape: str,
        conditions: ConditionSet,
        roles: dict[str, Choice] | None = None,
        spent: frozenset[int] = frozenset(),
        items: tuple[Linked, ...] | None = None,
    ) -> Candidate:
        """A candidate; ``items`` are the conditions that it makes use of (default: all of the set)."""
        used = conditions.items if items is None else items
        unused = {i for c in conditions.items if c not in used for i in range(c.start, c.end)}
        return Candidate(
            plan, shape, used, tuple((roles or {}).items()), spent, frozenset(conditions.skipped | (unused - spent))
        )
