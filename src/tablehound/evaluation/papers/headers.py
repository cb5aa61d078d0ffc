"""DMRAL's inference of missing headers, measured on the masked tables of the wild set, whose true names are known."""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from tablehound.errors import MissingExtraError
from tablehound.evaluation.metrics import header_bert_f1, header_exact_match, header_similarity
from tablehound.settings import Settings

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class HeaderScores:
    """Over all masked columns. None where the package of a metric is not installed."""

    masked: int
    inferred: int
    exact: float
    """Share of the masked columns whose inferred name is the true one; a column without a name counts as a miss."""
    exact_of_inferred: float
    similarity: float | None
    """Mean cosine of inferred and true name, over all masked columns (0 where none was inferred)."""
    bert_f1: float | None
    hits: int
    seconds: float


def infer_wild_headers(lake_path: Path, wild: Path, settings: Settings) -> HeaderScores:
    """Infer the names of the masked columns by the backbone and score them.

    Columns are grouped with columns of other tables that share their values; the backbone sees a group's names and
    sample values only.

    Args:
        lake_path: the indexed wild set.
        wild: its folder, with ``tables.jsonl``.
        settings: backbone and embedder.
    """
    from tablehound.backbone import InferHeadersRequest, make_backbone
    from tablehound.lake import Lake
    from tablehound.relations import header_groups, table_facts

    started = time.perf_counter()
    lines = (wild / "tables.jsonl").read_text(encoding="utf-8").splitlines()
    true = {record["key"]: record["header"] for record in map(json.loads, lines)}
    names: dict[tuple[str, int], str] = {}
    with Lake.open(lake_path) as lake:
        keys = {info.id: PurePosixPath(info.provenance.member or info.provenance.source).stem for info in lake.infos()}
        ids = [table_id for table_id in lake.table_ids() if keys[table_id] in true]
        facts = [table_facts(lake, table_id) for table_id in ids]
        backbone = make_backbone(lake, settings)
        for group in header_groups(facts):
            request = InferHeadersRequest(group.names, group.samples)
            decided = backbone.infer_headers(request).names
            if decided and decided[0]:
                names[group.columns[0].table_id, group.columns[0].column] = decided[0]
    gold, inferred = [], []
    for table in facts:
        header = true[keys[table.info.id]]
        if len(header) != len(table.columns):
            continue
        for column in table.columns:
            if column.inferred:
                gold.append(header[column.ref.column])
                inferred.append(names.get((column.ref.table_id, column.ref.column)))
    hits = sum(header_exact_match([name], [one]) == 1.0 for name, one in zip(inferred, gold, strict=True))
    given = sum(name is not None for name in inferred)
    return HeaderScores(
        masked=len(gold),
        inferred=given,
        exact=hits / len(gold) if gold else 0.0,
        exact_of_inferred=hits / given if given else 0.0,
        similarity=_optional(lambda: header_similarity(inferred, gold, settings.search.embedder or "minilm")),
        bert_f1=_optional(lambda: header_bert_f1(inferred, gold)),
        hits=hits,
        seconds=time.perf_counter() - started,
    )


def _optional(metric: Callable[[], float]) -> float | None:
    try:
        return metric()
    except MissingExtraError as error:
        logger.info("%s", error)
        return None
