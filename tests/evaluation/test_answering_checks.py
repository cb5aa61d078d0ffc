"""Systems that retrieve their own way answer under the same checks as the product's methods."""

from __future__ import annotations

from pathlib import Path

import pytest

from tablehound.backbone import AnswerDecision, RepairRequest
from tablehound.backbone import protocol as p
from tablehound.evaluation.systems.answering import Retrieval, answer_from, single_views
from tablehound.lake import Lake, index_sources
from tablehound.settings import Settings
from tablehound.steps import Asked, Recorder
from tests.seek.scripted import ScriptedBackbone, repaired, sql

VISITS = "city,visits\nOslo,3\nOslo,4\nBergen,5\n"
SIGHTS = "city,sight\nOslo,Opera\nOslo,Fort\nBergen,Wharf\n"
REPEATED = "SELECT sum(T1.visits) FROM T1 JOIN T2 ON T1.city = T2.city WHERE T1.city = 'Oslo'"


@pytest.mark.parametrize(
    ("program", "fault"),
    [
        ("SELECT 42 AS visits FROM T1", "is written in the program, not read from a table"),
        (REPEATED, "repeats rows of both sides"),
    ],
)
def test_a_faulty_program_goes_back_for_repair(tmp_path: Path, program: str, fault: str) -> None:
    (tmp_path / "files").mkdir()
    (tmp_path / "files" / "a_visits.csv").write_text(VISITS, encoding="utf-8")
    (tmp_path / "files" / "b_sights.csv").write_text(SIGHTS, encoding="utf-8")
    index_sources([str(tmp_path / "files")], tmp_path / "lake", Settings())
    faults: list[str] = []

    def repair(request: RepairRequest) -> p.ProgramDecision:
        faults.append(request.error)
        return repaired("SELECT sum(visits) FROM T1 WHERE city = 'Oslo'")(request)

    backbone = ScriptedBackbone([sql(program), repair])
    with Lake.open(tmp_path / "lake") as lake:
        ids = [info.id for info in sorted(lake.infos(), key=lambda info: info.provenance.source)]
        record = Recorder(Asked("How many visits had Oslo?", "tableqa", lake, backbone, Settings()))
        answer = answer_from(record, Retrieval(tuple(ids), single_views(ids), ("T1.city = T2.city",)))
    assert answer.values == ("7",)
    assert fault in faults[0]


def test_no_program_is_no_answer(tmp_path: Path) -> None:
    (tmp_path / "visits.csv").write_text(VISITS, encoding="utf-8")
    index_sources([str(tmp_path / "visits.csv")], tmp_path / "lake", Settings())
    with Lake.open(tmp_path / "lake") as lake:
        record = Recorder(
            Asked("How many visits?", "tableqa", lake, ScriptedBackbone([AnswerDecision(False)]), Settings())
        )
        answer = answer_from(record, Retrieval((), single_views(lake.table_ids())))
    assert answer.missing == ("no program over the tables gave an answer",)
