"""The rooms use each other only as docs/architecture.md says, and only by names that a room exports."""

from __future__ import annotations

import ast
import importlib
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parent.parent / "src" / "tablehound"
SHARED = {"answer", "errors", "program", "settings", "trail", "version"}
ROOMS = (
    "processes",
    "language",
    "lake",
    "retrieval",
    "relations",
    "execution",
    "linking",
    "backbone",
    "steps",
    "seek",
    "multitable",
    "evaluation",
    "interfaces",
)
"""From the bottom up: a room may use those before it, unless the table below says which."""
MAY_USE: dict[str, set[str]] = {room: set(ROOMS[:n]) for n, room in enumerate(ROOMS)} | {
    "processes": set(),
    "language": set(),
    "lake": {"processes", "language"},
}
WAYS_IN = {"api": set(ROOMS[:-2]), "opening": {"lake", "retrieval"}}
"""The two modules that are the way in, and the rooms that they use; evaluation and interfaces use them."""


def imports() -> dict[str, set[str]]:
    """Module → modules that it imports, within functions and under TYPE_CHECKING too. A name of a room is the module
    that the stub beside the room's ``__init__`` lists for it."""
    modules: dict[str, Path] = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
        modules[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    stubs = {
        (room, alias.name): f"{room}.{node.module}"
        for room, path in modules.items()
        if path.with_suffix(".pyi").exists()
        for node in ast.walk(ast.parse(path.with_suffix(".pyi").read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom) and node.module
        for alias in node.names
    }

    def target(module: str, name: str) -> str:
        if f"{module}.{name}" in modules:
            return f"{module}.{name}"
        return target(stubs[module, name], name) if (module, name) in stubs else module

    found: dict[str, set[str]] = {}
    for module, path in modules.items():
        nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
        named = {target(n.module, a.name) for n in nodes if isinstance(n, ast.ImportFrom) and n.module for a in n.names}
        named |= {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
        found[module] = (named & set(modules)) - {module}
    return found


def circles(graph: dict[str, set[str]]) -> list[list[str]]:
    """Groups of modules each of which reaches all others of its group."""

    def reached(start: str) -> set[str]:
        seen, waiting = set[str](), [start]
        while waiting:
            new = graph[waiting.pop()] - seen
            seen |= new
            waiting += new
        return seen

    reach = {module: reached(module) for module in graph}
    groups = {tuple(sorted(o for o in reach[m] if m in reach[o])) for m in graph if m in reach[m]}
    return [list(group) for group in sorted(groups)]


def test_no_module_imports_itself_by_way_of_others() -> None:
    assert circles(imports()) == []


def test_circles_are_found() -> None:
    graph = {"a": {"b"}, "b": {"c"}, "c": {"b", "d"}, "d": set[str]()}
    assert circles(graph) == [["b", "c"]]


def crossing_imports() -> Iterator[tuple[str, str, str, str]]:
    """(file, own room, other room, imported name) of every import of one room by another."""
    for path in sorted(PACKAGE.rglob("*.py")):
        relative = path.relative_to(PACKAGE)
        own = relative.parts[0] if len(relative.parts) > 1 else relative.stem
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.ImportFrom) or not (node.module or "").startswith("tablehound"):
                continue
            parts = (node.module or "").split(".")
            for alias in node.names:
                other = parts[1] if len(parts) > 1 else alias.name
                if other != own and ((PACKAGE / other).is_dir() or other in WAYS_IN):
                    yield str(relative), own, other, alias.name


CROSSING = sorted(set(crossing_imports()))


def test_rooms_use_only_what_they_may() -> None:
    ways_in = {
        "evaluation": {"api", "opening"},
        "interfaces": {"api", "opening"},
        "api": {"opening"},
        "backbone": {"opening"},
    }
    allowed = {own: rooms | ways_in.get(own, set()) for own, rooms in (MAY_USE | WAYS_IN).items()}
    wrong = [f"{file} uses {other}" for file, own, other, _ in CROSSING if own in allowed and other not in allowed[own]]
    assert wrong == []


@pytest.mark.parametrize("room", sorted(MAY_USE))
def test_only_exported_names_cross(room: str) -> None:
    module = importlib.import_module(f"tablehound.{room}")
    exported = set(module.__all__)
    wrong = [
        f"{file} imports {name} from {other}"
        for file, own, other, name in CROSSING
        if other == room and name not in exported and own in MAY_USE
    ]
    assert wrong == []


def test_shared_nouns_use_no_room() -> None:
    assert [(file, other) for file, own, other, _ in CROSSING if own in SHARED] == []
