"""Joinable columns: found by exact overlap of values, judged by uniqueness and names."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tablehound.lake import Lake, index_sources
from tablehound.relations import JoinEdge, join_edges, relationship_graph
from tablehound.settings import Settings

Build = Callable[[dict[str, str]], Lake]

ORDERS = "order,customer,amount\n1,C1,10.5\n2,C2,3.5\n3,C1,7.0\n4,C9,2.5\n"
CUSTOMERS = "code,name,city\nC1,Ann,Lyra\nC2,Bo,Nova\nC3,Cy,Lyra\n"


@pytest.fixture
def build(tmp_path: Path) -> Iterator[Build]:
    lakes: list[Lake] = []

    def make(files: dict[str, str]) -> Lake:
        source = tmp_path / f"source{len(lakes)}"
        source.mkdir()
        for name, text in files.items():
            (source / f"{name}.csv").write_text(text, encoding="utf-8")
        index_sources([str(source)], tmp_path / f"lake{len(lakes)}", Settings(workers=1))
        lakes.append(Lake.open(tmp_path / f"lake{len(lakes)}"))
        return lakes[-1]

    yield make
    for lake in lakes:
        lake.close()


def names(lake: Lake, edge: JoinEdge) -> tuple[str, str]:
    return tuple(lake.info(ref.table_id).columns[ref.column].name for ref in (edge.left, edge.right))  # type: ignore[return-value]


def test_differently_named_keys_are_found_with_their_measures(build: Build) -> None:
    lake = build({"orders": ORDERS, "customers": CUSTOMERS})
    edge = join_edges(lake, Settings())[0]
    assert names(lake, edge) == ("customer", "code")
    assert edge.overlap_left == pytest.approx(2 / 3)
    assert edge.overlap_right == pytest.approx(2 / 3)
    assert edge.uniqueness_right == 1.0
    assert edge.uniqueness_left == pytest.approx(3 / 4)
    assert edge.match_rate == pytest.approx(3 / 4)
    assert edge.fan_out == 1.0


def test_case_and_number_writings_do_not_matter(build: Build) -> None:
    lake = build({"a": "key,x\nANN,1\nBO,2\nCY,3\n", "b": "key,y\nann,5\nbo,6\ncy,7\n"})
    assert names(lake, join_edges(lake, Settings())[0]) == ("key", "key")


def test_measures_are_no_keys(build: Build) -> None:
    lake = build({"a": "p,price\nx,1.5\ny,2.5\nz,3.5\n", "b": "q,price\nu,1.5\nv,2.5\nw,3.5\n"})
    assert join_edges(lake, Settings()) == []


def test_small_whole_numbers_need_like_names(build: Build) -> None:
    lake = build({"a": "p,rank\nx,1\ny,2\nz,3\n", "b": "q,floors\nu,1\nv,2\nw,3\n"})
    assert join_edges(lake, Settings()) == []
    lake = build({"a": "p,club_id\nx,1\ny,2\nz,3\n", "b": "club_id,q\n1,u\n2,v\n3,w\n"})
    assert names(lake, join_edges(lake, Settings())[0]) == ("club_id", "club_id")


def test_the_threshold_holds(build: Build) -> None:
    lake = build({"orders": ORDERS, "customers": CUSTOMERS})
    assert join_edges(lake, Settings().with_values(**{"multitable.join_threshold": 0.99})) == []
    assert all(edge.score >= 0.5 for edge in join_edges(lake, Settings()))


def test_only_the_tables_asked_for(build: Build) -> None:
    lake = build({"orders": ORDERS, "customers": CUSTOMERS})
    assert join_edges(lake, Settings(), lake.table_ids()[:1]) == []


def test_the_graph_does_not_depend_on_the_order_of_tables(build: Build) -> None:
    lake = build({"orders": ORDERS, "customers": CUSTOMERS, "more": CUSTOMERS.replace("C", "D")})
    ids = lake.table_ids()
    assert relationship_graph(lake, Settings(), ids) == relationship_graph(lake, Settings(), ids[::-1])
