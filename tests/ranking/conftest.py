"""A small lake of tables about sports and countries."""

from __future__ import annotations

from pathlib import Path

import pytest

from tablehound.lake import Lake, index_sources
from tablehound.settings import Settings

TABLES = {
    "medals.csv": "Nation,Gold,Silver,Bronze\nCuba,9,11,12\nJamaica,7,5,4\nMexico,5,2,2\n",
    "fights.csv": "Result,Opponent,Round,Location\nWin,Ryan Thomas,1,Nashville\nLoss,Ivan Petrov,3,Mexico City\n",
    "cup.csv": "Round,Clubs remaining,New entries\nFirst round,156,86\nSecond round,113,65\nThird round,59,54\n",
    "squad.csv": "Player,Club,Born\nNicolás Terol,Aprilia,27 September 1988\nPol Espargaró,Derbi,10 June 1991\n",
    "towns.csv": 'Town,Population\nNew Round,"1,014"\nOld Gold,2050\nSilver City,9000\n',
}


@pytest.fixture(scope="session")
def small_lake(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder of an indexed lake over ``TABLES``, without segments."""
    folder = tmp_path_factory.mktemp("sources")
    for name, text in TABLES.items():
        (folder / name).write_text(text, encoding="utf-8")
    path = tmp_path_factory.mktemp("lake") / "lake"
    index_sources([str(folder)], path, Settings())
    return path


def source_of(lake: Lake, table_id: str) -> str:
    """File name of a table."""
    return Path(lake.info(table_id).provenance.source).name
