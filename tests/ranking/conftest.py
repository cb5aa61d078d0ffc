"""A small lake of tables about sports and towns."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tablehound.lake import Lake, index_sources
from tablehound.retrieval import TermIndexBuilder
from tablehound.settings import Settings

TABLES = {
    "medals.csv": "Nation,Gold,Silver,Bronze\nCuba,9,11,12\nJamaica,7,5,4\nMexico,5,2,2\n",
    "fights.csv": "Result,Opponent,Round,Location\nWin,Ryan Thomas,1,Nashville\nLoss,Ivan Petrov,3,Mexico City\n",
    "cup.csv": "Round,Clubs remaining,New entries\nFirst round,156,86\nSecond round,113,65\nThird round,59,54\n",
    "squad.csv": "Rider,Club,Born\nNicolás Terol,Aprilia,27 September 1988\nPol Espargaró,Derbi,10 June 1991\n",
    "towns.csv": 'Town,Population\nNew Round,"1,014"\nOld Gold,2050\nSilver City,9000\n',
    "empty.csv": "Nothing,Here\n",
}


@pytest.fixture(scope="session")
def small_sources(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder of small CSV files."""
    folder = tmp_path_factory.mktemp("sources")
    for name, text in TABLES.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder


@pytest.fixture(scope="session", params=["segments", "no segments"])
def small_lake(
    request: pytest.FixtureRequest, small_sources: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Lake]:
    """An open lake over ``TABLES``, with and without term segments."""
    path = tmp_path_factory.mktemp("lake") / "lake"
    builders = [TermIndexBuilder()] if request.param == "segments" else []
    index_sources([str(small_sources)], path, Settings(), builders=builders)
    with Lake.open(path) as lake:
        yield lake


@pytest.fixture(scope="session")
def source_of(small_lake: Lake) -> Callable[[str], str]:
    """File name of a table id."""
    return lambda table_id: Path(small_lake.info(table_id).provenance.source).name
