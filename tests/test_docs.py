"""What the documents show is true: every ``console`` block is run and its output compared; every link leads somewhere.

In a block, lines that begin with ``$ `` are commands, run in the repository's folder; the lines after are the expected
output, in which a line ``…`` stands for any lines. Only ``tablehound`` commands are run: installing is what the check
command does.
"""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
DOCUMENTS = [ROOT / name for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md")] + sorted(
    (ROOT / "docs").glob("*.md")
)


def blocks() -> list[tuple[str, list[tuple[str, list[str]]]]]:
    """(document and line, [(command, expected lines)]) of every console block."""
    found = []
    for path in DOCUMENTS:
        text = path.read_text(encoding="utf-8")
        for match in re.finditer(r"^```console\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
            line = text[: match.start()].count("\n") + 1
            steps: list[tuple[str, list[str]]] = []
            for row in match[1].splitlines():
                if row.startswith("$ "):
                    steps.append((row[2:], []))
                else:
                    steps[-1][1].append(row)
            found.append((f"{path.relative_to(ROOT)}:{line}", steps))
    return found


BLOCKS = blocks()


def matches(expected: list[str], got: list[str]) -> bool:
    """Whether the output is the expected one, ``…`` standing for any number of lines."""
    pattern = "\n".join("<any>" if row.strip() == "…" else re.escape(row.rstrip()) for row in expected)
    pattern = pattern.replace("<any>\n", "(?:.*\n)*?").replace("\n<any>", "(?:\n.*)*")
    return re.fullmatch(pattern, "\n".join(row.rstrip() for row in got)) is not None


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """A cache and a scratch folder of the tests' own; ``$SCRATCH`` may be used in the documents."""
    scratch = tmp_path_factory.mktemp("docs")
    return {
        "PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin",
        "XDG_CACHE_HOME": str(scratch / "cache"),
        "SCRATCH": str(scratch),
        "LANG": "C.UTF-8",
        "HOME": str(scratch),
    }


@pytest.mark.parametrize(("place", "steps"), BLOCKS, ids=[place for place, _ in BLOCKS])
def test_the_output_shown_is_the_output(
    place: str, steps: list[tuple[str, list[str]]], environment: dict[str, str]
) -> None:
    for command, expected in steps:
        if not command.startswith("tablehound "):
            continue
        done = subprocess.run(
            ["bash", "-c", command], cwd=ROOT, env=environment, capture_output=True, text=True, timeout=120, check=False
        )
        got = (done.stdout + done.stderr).splitlines()
        assert matches(expected, got), f"{place}: $ {command}\n" + "\n".join(got)


def test_there_are_blocks_and_they_parse() -> None:
    assert len(BLOCKS) >= 5
    assert all(shlex.split(command) for _, steps in BLOCKS for command, _ in steps)


@pytest.mark.parametrize("path", DOCUMENTS, ids=[str(path.relative_to(ROOT)) for path in DOCUMENTS])
def test_links_lead_to_files(path: Path) -> None:
    for target in re.findall(r"\]\(([^)#\s]+)", path.read_text(encoding="utf-8")):
        if "://" not in target:
            assert (path.parent / target).exists(), f"{path.name} links to {target}"


def test_the_readme_has_the_two_commands() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert "pip install ." in text
    assert "scripts/check" in text
    assert "scripts/check" in (ROOT / ".ci" / "run").read_text(encoding="utf-8")


def test_every_place_that_contributing_names_is_there() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    table = text[text.index("## Where do I change") : text.index("## Rules")]
    named = [name for name in re.findall(r"`([\w./]+)`", table) if "/" in name or name.endswith(".py")]
    assert len(named) > 30
    places = (ROOT / "src" / "tablehound", ROOT)
    assert [name for name in named if not any((place / name).exists() for place in places)] == []


def test_the_structure_that_architecture_quotes_is_the_structure() -> None:
    done = subprocess.run(
        [sys.executable, ROOT / "scripts" / "structure", "lake/read"], capture_output=True, text=True, check=True
    )
    quoted = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    shown = done.stdout[done.stdout.index("tablehound.lake.read:") :].strip()
    assert shown in quoted, "quote scripts/structure anew"
