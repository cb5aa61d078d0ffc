"""Scores of a run: which metrics apply is told by the gold that the questions have."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from tablehound.evaluation import metrics as m
from tablehound.evaluation.datasets import BenchQuestion
from tablehound.evaluation.runs import Record

CUTS = (1, 5, 10, 50)
DECOMPOSITION = ("IRR", "SR", "SAR")
_NUMERIC_SETS = frozenset({"spider", "bird", "wild"})


@dataclass(frozen=True, slots=True)
class Score:
    """A mean over questions, with its 95% interval (Wilson's for rates of hits, bootstrap otherwise)."""

    name: str
    value: float
    low: float
    high: float
    count: int


@dataclass(frozen=True, slots=True)
class RunScores:
    """All scores of a run."""

    scores: tuple[Score, ...]
    hits_by_round: tuple[float, ...]
    """Top-1 hit rate after the first search and after each refinement."""
    actions: dict[str, int]
    counts: dict[str, int]
    stage_seconds: dict[str, float]
    """Mean seconds a question by kind of step."""
    errors: int
    by_difficulty: dict[str, tuple[int, float]]
    """Difficulty → (questions, share of right answers), where the set has classes."""

    def get(self, name: str) -> float | None:
        """The value of a score, None where it does not apply."""
        return next((score.value for score in self.scores if score.name == name), None)


def per_question(data_set: str, records: Sequence[Record]) -> dict[str, list[float]]:
    """Metric → one value per question it applies to, in the order of the records. Rates are 0 or 1 per question."""
    found: dict[str, list[float]] = {}

    def add(name: str, records_: Sequence[Record], value: Callable[[Record], float]) -> None:
        if records_:
            found[name] = [float(value(record)) for record in records_]

    with_tables = [r for r in records if r.question.tables]
    ranking = [r for r in with_tables if any(other.outcome.ranked for other in records)]
    for k in CUTS:
        add(f"R@{k} ranked", ranking, lambda r, k=k: m.recall_at(r.outcome.ranked, r.question.tables, k))  # type: ignore[misc]
    several = [r for r in with_tables if len(r.question.tables) > 1]
    if several:
        for k in CUTS[1:3]:
            add(f"F1@{k}", ranking, lambda r, k=k: m.f1_at(r.outcome.ranked, r.question.tables, k))  # type: ignore[misc]
        add("table selection", with_tables, lambda r: m.selection_accuracy(r.outcome.final, r.question.tables))
        add(
            "table F1", with_tables, lambda r: m.f1_at(r.outcome.final, r.question.tables, max(1, len(r.outcome.final)))
        )
    # A system that only ranks has one table per question; its R@1, R@all and R@final would be R@1 ranked again.
    single = [r for r in with_tables if len(r.question.tables) == 1 and _answers(records)]
    add("R@1", single, lambda r: m.hit_first(r.outcome.tried, r.question.tables[0]))
    add("R@all", single, lambda r: m.hit_any(r.outcome.tried, r.question.tables[0]))
    add(
        "R@final",
        single,
        lambda r: r.question.tables[0] in r.outcome.final or m.hit_final(r.outcome.tried, r.question.tables[0]),
    )
    grouped = [r for r in single if r.question.group]
    outcomes = {r.question.id: _group(r.question, r) for r in grouped}
    add("GR", grouped, lambda r: outcomes[r.question.id].group_hit)
    hits = [r for r in grouped if outcomes[r.question.id].group_hit]
    add("DS@1", hits, lambda r: m.hit_first(r.outcome.tried, r.question.tables[0]))
    add("DS@all", hits, lambda r: m.hit_any(r.outcome.tried, r.question.tables[0]))
    add("DS@final", hits, lambda r: m.hit_final(r.outcome.tried, r.question.tables[0]))
    for name in DECOMPOSITION:
        told = [r for r in records if name in r.outcome.rates]
        add(name, told, lambda r, name=name: r.outcome.rates[name])  # type: ignore[misc]
    if _answers(records):
        asked = [r for r in records if r.question.answers is not None]
        add("answer F1", asked, lambda r: m.answer_f1(_given(r), r.question.answers or ()))
        add("denotation", asked, lambda r: m.denotation_match(_given(r), r.question.answers or ()))
        add("answered", asked, lambda r: r.outcome.answered)
        tried = [r for r in asked if r.outcome.answered]
        add("precision of answers", tried, lambda r: m.denotation_match(_given(r), r.question.answers or ()))
        if data_set in _NUMERIC_SETS:
            numeric = [r for r in asked if _gold_numbers(r.question) is not None]
            add("EM", numeric, lambda r: m.arithmetic_match(_given(r), _gold_numbers(r.question) or []))
            add(
                "EM (0.1%)", numeric,
                lambda r: m.arithmetic_match(_given(r), _gold_numbers(r.question) or [], relative=1e-3),
            )  # fmt: skip
        claims = [r for r in records if r.question.verdict is not None]
        add("Acc", claims, lambda r: r.outcome.verdict == r.question.verdict)
        for name, label in (("Acc-Sup", "supported"), ("Acc-Ref", "refuted")):
            some = [r for r in claims if r.question.verdict == label]
            add(name, some, lambda r: r.outcome.verdict == r.question.verdict)
        add("verdicts given", claims, lambda r: r.outcome.verdict is not None)
    return found


def score(data_set: str, records: Sequence[Record]) -> RunScores:
    """All scores of a run's records."""
    values = per_question(data_set, records)
    scores = [_score(name, column) for name, column in values.items()]
    recall, f1 = _mean(values.get("R@all")), _mean(values.get("answer F1"))
    if recall is not None and f1 is not None:
        efficiency = m.efficiency(f1, recall)
        scores.append(Score("Eff", efficiency, efficiency, efficiency, len(values["answer F1"])))
    count = max(len(records), 1)
    for name, column in (
        ("steps", [float(r.outcome.steps) for r in records]),
        ("model calls", [float(r.outcome.calls) for r in records]),
        ("tokens", [float(r.outcome.tokens) for r in records]),
        ("seconds", [r.outcome.seconds for r in records]),
    ):
        scores.append(Score(name, sum(column) / count, *m.bootstrap_interval(column, samples=1_000), len(column)))
    single = [r for r in records if len(r.question.tables) == 1 and r.outcome.first_by_round]
    rounds = m.hit_rate_by_round([r.outcome.first_by_round for r in single], [r.question.tables[0] for r in single])
    stages: dict[str, float] = {}
    for record in records:
        for name, seconds in record.outcome.stage_seconds.items():
            stages[name] = stages.get(name, 0.0) + seconds / count
    return RunScores(
        scores=tuple(scores),
        hits_by_round=tuple(rounds),
        actions=_summed([r.outcome.actions for r in records]),
        counts=_summed([r.outcome.counts for r in records]),
        stage_seconds=dict(sorted(stages.items())),
        errors=sum(bool(r.outcome.error) for r in records),
        by_difficulty=_by_difficulty(records),
    )


def _answers(records: Sequence[Record]) -> bool:
    """Whether the system answers at all, or only ranks."""
    return any(r.outcome.answered or r.outcome.counts for r in records)


def _given(record: Record) -> tuple[str, ...]:
    return record.outcome.values if record.outcome.answered else ()


def _group(question: BenchQuestion, record: Record) -> m.GroupOutcome:
    return m.GroupOutcome(record.outcome.tried, question.tables[0], frozenset(question.group))


def _gold_numbers(question: BenchQuestion) -> list[float] | None:
    numbers = [m.as_number(text) for text in question.answers or ()]
    return [number for number in numbers if number is not None] if numbers and None not in numbers else None


def _score(name: str, values: Sequence[float]) -> Score:
    mean = sum(values) / len(values)
    if set(values) <= {0.0, 1.0}:
        low, high = m.wilson_interval(sum(values), len(values))
    else:
        low, high = m.bootstrap_interval(values)
    return Score(name, mean, low, high, len(values))


def _mean(values: Sequence[float] | None) -> float | None:
    return sum(values) / len(values) if values else None


def _summed(counts: Sequence[Mapping[str, int]]) -> dict[str, int]:
    total: Counter[str] = Counter()
    for count in counts:
        total.update(count)
    return dict(sorted(total.items()))


def _by_difficulty(records: Sequence[Record]) -> dict[str, tuple[int, float]]:
    classes: dict[str, list[bool]] = {}
    for record in records:
        question = record.question
        if question.difficulty and (question.answers is not None or question.verdict is not None):
            right = (
                record.outcome.verdict == question.verdict
                if question.verdict is not None
                else m.denotation_match(_given(record), question.answers or ())
            )
            classes.setdefault(question.difficulty, []).append(right)
    return {name: (len(values), sum(values) / len(values)) for name, values in sorted(classes.items())}
