"""Unionable tables: aligned by names, kinds and values, whatever the order of their columns."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tablehound.lake import Lake, index_sources
from tablehound.relations import carried_headers, relationship_graph, table_facts, union_clusters
from tablehound.settings import Settings

Build = Callable[[dict[str, str]], Lake]

FIRST = "year,winner,goals\n1990,Ann,3\n1991,Bo,4\n1992,Ann,5\n"
SECOND = "goals,year,winner\n7,1993,Ann\n6,1994,Cy\n9,1995,Bo\n"
OTHER = "city,river,length\nLyra,Ara,100\nNova,Bel,200\n"


@pytest.fixture
def build(tmp_path: Path) -> Iterator[Build]:
    lakes: list[Lake] = []

    def make(files: dict[str, str]) -> Lake:
        source = tmp_path / "source"
        source.mkdir()
        for name, text in files.items():
            (source / f"{name}.csv").write_text(text, encoding="utf-8")
        index_sources([str(source)], tmp_path / "lake", Settings(workers=1))
        lakes.append(Lake.open(tmp_path / "lake"))
        return lakes[-1]

    yield make
    for lake in lakes:
        lake.close()


def test_a_table_split_by_rows_is_one_cluster(build: Build) -> None:
    lake = build({"first": FIRST, "second": SECOND, "other": OTHER})
    clusters = union_clusters(lake, Settings())
    assert sorted(len(c.table_ids) for c in clusters) == [1, 2]
    cluster = next(c for c in clusters if len(c.table_ids) == 2)
    for table_id, places in zip(cluster.table_ids, cluster.alignment, strict=True):
        header = lake.info(table_id).header
        assert tuple(header[place] for place in places) == cluster.header


def test_every_table_is_in_one_cluster(build: Build) -> None:
    lake = build({"first": FIRST, "second": SECOND, "other": OTHER})
    graph = relationship_graph(lake, Settings())
    assert sorted(table for c in graph.clusters for table in c.table_ids) == lake.table_ids()
    assert sorted(graph.cluster_of) == lake.table_ids()


def test_tables_about_the_same_things_are_not_stacked(build: Build) -> None:
    """The same players with the goals of two seasons: rows would count twice."""
    lake = build({"s1": "player,goals\nAnn,3\nBo,4\nCy,5\n", "s2": "player,goals\nAnn,7\nBo,1\nCy,2\n"})
    assert [len(c.table_ids) for c in union_clusters(lake, Settings())] == [1, 1]


def test_kinds_must_be_alike(build: Build) -> None:
    lake = build({"a": "name,size\nx,1\ny,2\n", "b": "name,size\nu,large\nv,small\n"})
    assert [len(c.table_ids) for c in union_clusters(lake, Settings())] == [1, 1]


def test_joins_within_a_cluster_are_no_edges(build: Build) -> None:
    lake = build({"first": FIRST, "second": SECOND})
    assert relationship_graph(lake, Settings()).edges == ()


def test_a_missing_header_is_carried_over_from_columns_that_share_its_values(build: Build) -> None:
    lake = build({"a": ",goals\nAnn,3\nBo,4\nCy,5\n", "b": "player,club\nAnn,X\nBo,Y\nCy,X\nDi,Z\n"})
    facts = [table_facts(lake, table_id) for table_id in lake.table_ids()]
    inferred = [c.ref for f in facts for c in f.columns if c.inferred]
    if not inferred:
        pytest.skip("the reader found a name for every column")
    assert carried_headers(facts) == {inferred[0]: "player"}


def test_any_key_that_differs_tells_rows_apart(build: Build) -> None:
    """Whatever the order of the columns: the hosts are the same, the years are not."""
    lake = build(
        {"a": "host,year,goals\nLyra,1990,3\nMira,1994,4\n", "b": "host,goals,year\nMira,7,2001\nLyra,9,2005\n"}
    )
    assert [len(c.table_ids) for c in union_clusters(lake, Settings())] == [2]
