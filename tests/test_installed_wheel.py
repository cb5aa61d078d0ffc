"""The package works as it is installed: from its wheel alone, without the repository."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
LAKE = ROOT / "examples" / "lake"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not all(map(importlib.util.find_spec, ("pip", "hatchling"))),
        reason="hatchling is not installed (pip install 'tablehound[dev]')",
    ),
]


def run(command: list[str], folder: Path, **environment: str) -> str:
    """What a command prints when it runs in a folder.

    Raises:
        AssertionError: it fails.
    """
    done = subprocess.run(
        command, cwd=folder, env=os.environ | environment, capture_output=True, text=True, encoding="utf-8", check=False
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built without a network."""
    folder = tmp_path_factory.mktemp("wheel")
    build = [
        "-m",
        "pip",
        "wheel",
        "--quiet",
        "--no-deps",
        "--no-build-isolation",
        "--wheel-dir",
        str(folder),
        str(ROOT),
    ]
    run([sys.executable, *build], folder)
    (built,) = folder.glob("*.whl")
    return built


class Installed:
    """The wheel in a folder of its own, before all else that Python finds; with a cache of its own."""

    def __init__(self, folder: Path) -> None:
        self.packages = folder / "packages"
        self._folder = folder
        self._environment = {"PYTHONPATH": str(self.packages), "XDG_CACHE_HOME": str(folder / "cache")}

    def command(self, *arguments: str | Path) -> str:
        script = self.packages / "bin" / "tablehound"
        return run([sys.executable, str(script), *map(str, arguments)], self._folder, **self._environment)

    def python(self, code: str) -> str:
        return run([sys.executable, "-c", code], self._folder, **self._environment)


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    folder = tmp_path_factory.mktemp("installed")
    install = ["-m", "pip", "install", "--quiet", "--no-deps", "--target", str(folder / "packages"), str(wheel)]
    run([sys.executable, *install], folder)
    return Installed(folder)


def test_the_wheel_has_every_file_of_the_package_and_the_licences(wheel: Path) -> None:
    package = ROOT / "src" / "tablehound"
    files = {p.relative_to(package.parent).as_posix() for p in package.rglob("*") if p.is_file() and p.suffix != ".pyc"}
    names = set(zipfile.ZipFile(wheel).namelist())
    assert sorted(files - names) == []
    kinds = {"lexicon.toml", "weights.json", "py.typed", "system.txt", "__init__.pyi", "structure.npz", "coverage.npz"}
    assert sorted(kinds - {name.rpartition("/")[2] for name in files}) == []
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    licences = {name.partition(".dist-info/licenses/")[2] for name in names}
    assert sorted(set(project["license-files"]) - licences) == []


def test_the_package_is_the_installed_one(installed: Installed) -> None:
    found = installed.python("import tablehound; print(tablehound.__file__, tablehound.ask.__name__)").split()
    assert found == [str(installed.packages / "tablehound" / "__init__.py"), "ask"]


def test_the_entry_point_prints_help(installed: Installed) -> None:
    assert "tablehound ask" in installed.command("--help")


def test_a_question_is_answered(installed: Installed) -> None:
    assert "Nile" in installed.command("ask", "Which river is the longest?", LAKE)


def test_files_are_read_by_worker_processes_and_queried_by_a_program_process(
    installed: Installed, tmp_path: Path
) -> None:
    lake = tmp_path / "lake"
    installed.command("index", LAKE, "--lake", lake, "--set", "workers=2")
    assert "Nile" in installed.command("grep", "nile", lake)
    assert "42" in installed.command("sql", "SELECT 42 + 0 * count(*) FROM T1", "-t", "geography/rivers.csv", lake)


def test_the_index_is_built_with_helper_processes(installed: Installed, tmp_path: Path) -> None:
    found = installed.python(
        "from tablehound.lake import index_sources\n"
        "from tablehound.retrieval import Pattern, open_engine, segment_builders\n"
        "from tablehound.retrieval.value_index.building import read_values\n"
        "from tablehound.settings import Settings\n"
        "import tablehound\n"
        "read_values.HELPED, read_values.BATCH = 0, 2\n"
        "settings = Settings().with_values(workers=2)\n"
        f"folder = {str(tmp_path / 'lake')!r}\n"
        f"index_sources([{str(LAKE)!r}], folder, settings, builders=segment_builders(settings))\n"
        "with tablehound.open_lake(folder) as lake:\n"
        "    print(type(open_engine(lake)).__name__, len(open_engine(lake).cells([Pattern('nile')])) > 0)\n"
    )
    assert found.split() == ["IndexEngine", "True"]


def test_the_ranking_has_its_weights_and_the_coverage_score_too(installed: Installed) -> None:
    found = installed.python(
        "import tablehound\n"
        "from tablehound.retrieval import coverage_score\n"
        f"with tablehound.open_lake({str(LAKE)!r}) as lake:\n"
        "    print(len(tablehound.find(lake, 'longest river')) > 0, coverage_score('city', ['city']) > 0)\n"
    )
    assert found.split() == ["True", "True"]
