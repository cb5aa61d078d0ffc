"""TabFact (Chen et al., ICLR 2020): claims over Wikipedia tables, supported or refuted.

Two layouts are read: lines of ``{"claim", "table", "label"}`` beside ``tables.zip`` (or a folder ``tables``), and the
published one, a JSON object ``{table: [[claim, …], [label, …], caption]}`` beside ``all_csv``. TARGET's TabFact is the
same claims used for retrieval.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tablehound.errors import UsageError
from tablehound.evaluation.datasets.base import BenchQuestion, Collection, first_of, member_key, records_of

if TYPE_CHECKING:
    from tablehound.answer import Verdict
    from tablehound.lake import Provenance

_HINT = "get TabFact (github: wenhuchen/Table-Fact-Checking): claims.jsonl or <split>.json, with tables.zip or all_csv/"
_FILES = {
    "valid": ("claims.jsonl", "val.json", "valid.jsonl"),
    "test": ("test.jsonl", "test.json", "test_claims.jsonl"),
}


class TabFact:
    """Claims with the table of each."""

    name = "tabfact"
    hint = _HINT

    def load(self, folder: Path, split: str = "valid") -> Collection:
        if split not in _FILES:
            raise UsageError(f"TabFact has no split {split!r}", remedy="use valid or test")
        path = first_of([folder / name for name in _FILES[split]], _HINT)
        tables = first_of([folder / name for name in ("tables.zip", "tables", "all_csv")], _HINT)
        questions = _published(path) if path.suffix == ".json" else records_of(path, _claim)
        return Collection(self.name, (str(tables),), questions, _key, "Chen et al., ICLR 2020")


def _key(provenance: Provenance) -> str:
    """The file's name, whatever folder of an archive it is in."""
    return member_key(provenance).rpartition("/")[2]


def _question(name: str, claim: str, table: str, label: int) -> BenchQuestion:
    verdict: Verdict = "supported" if label == 1 else "refuted"
    return BenchQuestion(name, claim, "fact_verification", (table,), verdict=verdict)


def _claim(number: int, record: dict[str, Any]) -> BenchQuestion:
    return _question(f"tf-{number}", record["claim"], record["table"], record["label"])


def _published(path: Path) -> tuple[BenchQuestion, ...]:
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        return tuple(
            _question(f"{table}-{place}", claim, table, label)
            for table, (claims, labels, *_) in sorted(data.items())
            for place, (claim, label) in enumerate(zip(claims, labels, strict=True))
        )
    except (json.JSONDecodeError, AttributeError, TypeError, ValueError) as error:
        raise UsageError(f"{path} is not TabFact's layout: {error!r}") from error
