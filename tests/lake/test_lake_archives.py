"""Archives: every member is read, each is watched for changes by itself where the archive allows it."""

from __future__ import annotations

import gzip
import io
import stat
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import zstandard

from tablehound.lake import Lake, index_sources
from tablehound.settings import Settings

CSV = b"name,n\nx,1\n"


def _places(lake_path: Path) -> list[str]:
    with Lake.open(lake_path) as lake:
        return sorted(info.provenance.label() for info in lake.infos())


def _tar(members: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        for name, data in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return buffer.getvalue()


def _zip(members: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("name", "data", "places"),
    [
        ("a.zip", _zip({"x.csv": CSV, "d/y.csv": CSV}), ["a.zip!d/y.csv", "a.zip!x.csv"]),
        ("a.csv.gz", gzip.compress(CSV), ["a.csv.gz!a.csv"]),
        ("a.csv.zst", zstandard.compress(CSV), ["a.csv.zst!a.csv"]),
        ("a.tar", _tar({"x.csv": CSV, "d/y.csv": CSV}), ["a.tar!d/y.csv", "a.tar!x.csv"]),
        ("a.tar", _tar({"./x.csv": CSV, "./.hidden.csv": CSV}), ["a.tar!./x.csv"]),
        ("a.tar.gz", gzip.compress(_tar({"x.csv": CSV})), ["a.tar.gz!x.csv"]),
        ("a.tgz", gzip.compress(_tar({"x.csv": CSV})), ["a.tgz!x.csv"]),
        ("a.tar.zst", zstandard.compress(_tar({"x.csv": CSV})), ["a.tar.zst!x.csv"]),
        ("a.zip", _zip({"i.zip": _zip({"x.csv": CSV}), "y.csv": CSV}), ["a.zip!i.zip!x.csv", "a.zip!y.csv"]),
        ("a.zip", _zip({"__MACOSX/x.csv": b"junk", ".x.csv": CSV, "y.csv": CSV}), ["a.zip!y.csv"]),
        ("a.bin", _zip({"x.csv": CSV}), ["a.bin!x.csv"]),
    ],
    # Named without the bytes: archives hold the time of their making, and every worker has to find the same tests.
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_members_are_read(name: str, data: bytes, places: list[str], tmp_path: Path, index: Callable[..., Any]) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / name).write_bytes(data)
    report = index(tmp_path / "data")
    assert report.ok, report.problems
    assert _places(tmp_path / "lake") == places


def test_only_changed_members_of_a_zip_are_read(tmp_path: Path, index: Callable[..., Any]) -> None:
    path = tmp_path / "a.zip"
    path.write_bytes(_zip({"x.csv": CSV, "y.csv": CSV}))
    index(path)
    with Lake.open(tmp_path / "lake") as lake:
        before = {info.provenance.member: info.id for info in lake.infos()}
    path.write_bytes(_zip({"x.csv": CSV, "y.csv": CSV + b"z,2\n", "w.csv": CSV}))
    index(path)
    with Lake.open(tmp_path / "lake") as lake:
        after = {info.provenance.member: info.id for info in lake.infos()}
    assert after["x.csv"] == before["x.csv"]
    assert after["y.csv"] != before["y.csv"]
    assert sorted(map(str, after)) == ["w.csv", "x.csv", "y.csv"]
    path.write_bytes(_zip({"x.csv": CSV}))
    assert index(path).n_tables == 1


def test_two_members_of_one_name_are_two_sources(tmp_path: Path, index: Callable[..., Any]) -> None:
    with pytest.warns(UserWarning, match="Duplicate name"), zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("x.csv", CSV)
        archive.writestr("x.csv", b"other,header\n1,2\n")
    report = index(tmp_path / "a.zip")
    assert (report.n_sources, report.n_tables) == (2, 2)


def test_two_members_of_one_name_in_a_tar_are_two_tables(tmp_path: Path, index: Callable[..., Any]) -> None:
    with tarfile.open(tmp_path / "dup.tar", "w") as archive:
        for _ in range(2):
            info = tarfile.TarInfo("a.csv")
            info.size = len(CSV)
            archive.addfile(info, io.BytesIO(CSV))
    assert index(tmp_path / "dup.tar").n_tables == 2
    with Lake.open(tmp_path / "lake") as lake:
        assert sorted(info.provenance.label() for info in lake.infos()) == ["dup.tar!a.csv", "dup.tar!a@2.csv"]
        assert len({table.table_id for report in lake.report("dup.tar") for table in report.tables}) == 2


@pytest.mark.parametrize("name", ["x.csv.gz", "x.xz", "x.zip", "x.tgz"])
def test_what_is_no_archive_inside_says_so(name: str, tmp_path: Path, index: Callable[..., Any]) -> None:
    (tmp_path / name).write_bytes(bytes(range(1, 32)) * 40)
    (problem,) = index(tmp_path / name).problems
    assert "its first bytes are different" in problem.error
    assert "name the file" not in problem.remedy


def test_names_in_archives_reach_nowhere(tmp_path: Path, index: Callable[..., Any]) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "a.tar").write_bytes(_tar({"../../evil.csv": CSV, "/tmp/evil2.csv": CSV}))
    (tmp_path / "data" / "b.zip").write_bytes(_zip({"../evil.csv": CSV}))
    index(tmp_path / "data")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data", "lake"]


def test_reports_of_members(tmp_path: Path, index: Callable[..., Any]) -> None:
    (tmp_path / "a.tar").write_bytes(_tar({"x.csv": CSV, "y.csv": b""}))
    (tmp_path / "b.zip").write_bytes(_zip({"x.csv": CSV, "y.csv": b""}))
    index(tmp_path / "a.tar", tmp_path / "b.zip")
    with Lake.open(tmp_path / "lake") as lake:
        for name in ("a.tar", "b.zip"):
            assert sorted((r.member, r.status) for r in lake.report(name)) == [("x.csv", "read"), ("y.csv", "empty")]
            assert [r.status for r in lake.report(f"{name}!y.csv")] == ["empty"]


def test_a_member_above_the_archive_is_read_by_its_content_not_written_there(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "odd.zip", "w") as archive:
        archive.writestr("../outside.csv", "a,b\n1,2\n3,4\n")
    index_sources([str(tmp_path / "odd.zip")], tmp_path / "lake", Settings(workers=-1))
    with Lake.open(tmp_path / "lake") as lake:
        assert [info.provenance.member for info in lake.infos()] == ["../outside.csv"]
    assert not (tmp_path.parent / "outside.csv").exists()


def test_nested_gzip_does_not_double_its_name_at_each_layer(index: Callable[..., Any], tmp_path: Path) -> None:
    data = CSV
    for _ in range(30):
        data = gzip.compress(data, 9)
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "x.gz").write_bytes(data)
    report = index(tmp_path / "data")
    (problem,) = report.problems
    assert "archives within archives" in problem.error
    assert len(problem.label) < 200


def test_archives_within_archives_are_read_to_the_limit(index: Callable[..., Any], tmp_path: Path) -> None:
    data = CSV
    for _ in range(5):
        data = gzip.compress(data)
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "a.csv.gz").write_bytes(data)
    assert index(tmp_path / "data").n_tables == 1
    assert index(tmp_path / "data", lake=tmp_path / "other", read__max_archive_nesting=4).n_tables == 0


def test_links_and_long_names_in_archives_are_reported(index: Callable[..., Any], tmp_path: Path) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    with tarfile.open(folder / "a.tar", "w") as archive:
        for name, kind in (
            ("soft.csv", tarfile.SYMTYPE),
            ("hard.csv", tarfile.LNKTYPE),
            ("pipe.csv", tarfile.FIFOTYPE),
        ):
            info = tarfile.TarInfo(name)
            info.type, info.linkname = kind, "/etc/passwd"
            archive.addfile(info)
    with zipfile.ZipFile(folder / "b.zip", "w") as packed:
        link = zipfile.ZipInfo("link.csv")
        link.create_system, link.external_attr = 3, (stat.S_IFLNK | 0o777) << 16
        packed.writestr(link, "/etc/passwd")
        packed.writestr("n" * 2_000 + ".csv", CSV)
    index(folder)
    with Lake.open(tmp_path / "lake") as lake:
        found = {report.label[:14]: report.error for report in lake.reports()}
    assert "a link in an archive" in found["a.tar!soft.csv"]
    assert "a link in an archive" in found["a.tar!hard.csv"]
    assert "a pipe" in found["a.tar!pipe.csv"]
    assert "a link in an archive" in found["b.zip!link.csv"]
    assert "a member whose name has 2004 characters" in found["b.zip!" + "n" * 8]


def test_a_name_that_leads_out_of_its_archive_is_reported(index: Callable[..., Any], tmp_path: Path) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    (folder / "b.zip").write_bytes(_zip({"..\\evil.csv": CSV, "good.csv": CSV + b"9,9\n"}))
    index(folder)
    with Lake.open(tmp_path / "lake") as lake:
        doubts = {
            report.member: report.tables[0].ambiguities if report.tables else report.error for report in lake.reports()
        }
    assert any("leads out of its archive" in doubt for doubt in doubts["..\\evil.csv"])
    assert not doubts["good.csv"]
