"""What the package defines is used by the package: a caller in tests, benchmarks or the evaluation does not count.

Names are compared by spelling alone: a use anywhere of the same spelling keeps a definition.
"""

from __future__ import annotations

import ast
import dataclasses
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path

import tablehound
from tablehound import errors
from tablehound.settings import Settings

PACKAGE = Path(__file__).resolve().parent.parent / "src" / "tablehound"

WANTED = {
    "carried_headers": "tables: a header carried over from a column with the same values",
    "infer_headers": "tables: headers inferred by the backbone",
    "columns_with_values_like": "relations: values of a question that are misspelt; a system of the evaluation uses it",
    "coverage_score": "relations: retrieval of groups of tables by what they cover",
    "train_coverage": "relations: the command that trains the coverage score",
    "ground_value": "relations: words of a question grounded in the values of a column",
    "join_edges": "relations: joins shown by the command line and stored with the lake",
    "overlaps": "relations: joins found by the value index of the whole lake",
    "union_clusters": "relations: unions shown by the command line and stored with the lake",
    "with_ablations": "seek: the ablations by the names of the paper",
    "with_preset": "seek: the previews by the names of the paper",
    "claim_scores": "evaluation: scores of the paper",
    "full_recall_at": "evaluation: scores of the paper",
    "precision_at": "evaluation: scores of the paper",
    "reciprocal_rank": "evaluation: scores of the paper",
    "timeless": "evaluation: reports compared with one another",
    "embed_corpus": "evaluation: the harness of TARGET calls it",
    "target_retriever": "evaluation: a script that runs the harness of TARGET calls it",
    "read_column": "values: a whole column read at once",
    "record_batches": "read: the batches of a draft as Arrow",
}
"""Names without a caller, and the work that will call them; meant to become empty."""

Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclasses.dataclass(frozen=True)
class Place:
    """A name that is defined (in the lines of its definition) or used (in one line)."""

    file: str
    name: str
    first: int
    last: int

    def contains(self, other: Place) -> bool:
        return self.file == other.file and self.first <= other.first <= self.last

    def is_used_by(self, use: Place) -> bool:
        inside = use.file.startswith("evaluation/") <= self.file.startswith("evaluation/")
        return inside and not self.contains(use)


def place(file: str, name: str, node: ast.stmt | ast.expr) -> Place:
    return Place(file, name, node.lineno, node.end_lineno or node.lineno)


def is_own(name: str) -> bool:
    """Whether a class has no method that a foreign base class may call."""
    return name in {"Protocol", "Generic", "ABC"} or (name in CLASSES and all(map(is_own, CLASSES[name])))


def definitions(file: str, body: list[ast.stmt]) -> Iterator[Place]:
    """Functions, classes, constants, and the methods of classes whose bases are all of this package; nothing that a
    decorator of the command line registers."""
    for node in body:
        if isinstance(node, Function):
            if not any(
                isinstance(d, ast.Call) and ast.unparse(d.func).endswith(".command") for d in node.decorator_list
            ):
                yield place(file, node.name, node)
        elif isinstance(node, ast.ClassDef):
            yield place(file, node.name, node)
            if is_own(node.name):
                yield from definitions(file, [n for n in node.body if isinstance(n, Function)])
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            yield from (place(file, target.id, node) for target in targets if isinstance(target, ast.Name))


def uses(file: str, node: ast.AST, local: frozenset[str] = frozenset()) -> Iterator[Place]:
    """Attributes, names that are not local to a function, and what the code of a child process imports."""
    if isinstance(node, Function):
        inner = [n for n in ast.walk(node) if isinstance(n, ast.Name | ast.arg)]
        local |= {
            n.arg if isinstance(n, ast.arg) else n.id
            for n in inner
            if not isinstance(getattr(n, "ctx", None), ast.Load)
        }
    if isinstance(node, ast.Attribute):
        yield place(file, node.attr, node)
    elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id not in local:
        yield place(file, node.id, node)
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield from (
            place(file, name, node) for name in re.findall(r"(?:\btablehound[\w.]+:|\bimport )(\w+)", node.value)
        )
    elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return  # documentation
    for child in ast.iter_child_nodes(node):
        yield from uses(file, child, local)


TREES = {p.relative_to(PACKAGE).as_posix(): ast.parse(p.read_text(encoding="utf-8")) for p in PACKAGE.rglob("*.py")}
CLASSES = {
    node.name: [ast.unparse(base).partition("[")[0] for base in node.bases]
    for node in chain.from_iterable(tree.body for tree in TREES.values())
    if isinstance(node, ast.ClassDef)
}
USES = {use for file, tree in TREES.items() for use in uses(file, tree)}


def unused(wanted: Iterable[str] = ()) -> set[Place]:
    """What nothing uses, or only what is itself unused; ``wanted`` names count as used."""
    defined = {d for file, tree in TREES.items() for d in definitions(file, tree.body)}
    defined = {d for d in defined if not d.name.startswith("__") and d.name not in {*tablehound.__all__, *wanted}}
    used = defaultdict(set)
    for use in USES:
        used[use.name].add(use)
    dead: set[Place] = set()
    while more := {d for d in defined - dead if not any(d.is_used_by(use) for use in used[d.name])}:
        dead |= more
        for name, places in used.items():
            used[name] = {use for use in places if not any(d.contains(use) for d in more)}
    return dead


def test_nothing_is_defined_that_nothing_uses() -> None:
    assert sorted(f"{d.file}:{d.first} {d.name}" for d in unused(WANTED)) == []


def test_what_is_wanted_has_no_caller_yet() -> None:
    assert sorted(set(WANTED) - {d.name for d in unused()}) == []


def test_every_setting_is_read() -> None:
    read = {use.name for use in USES if use.file != "settings.py"}
    settings = Settings()
    rooms = [getattr(settings, f.name) for f in dataclasses.fields(settings) if "doc" not in f.metadata]
    fields = [f.name for room in (settings, *rooms) for f in dataclasses.fields(room) if "doc" in f.metadata]
    assert [name for name in fields if name not in read] == []


def test_every_error_is_raised_or_caught_or_a_base() -> None:
    used = {use.name for use in USES}
    assert [name for name, e in vars(errors).items() if isinstance(e, type) and name not in used] == []
