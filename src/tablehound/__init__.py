"""Ask a question of a folder of messy tables; get the answer, the cells that prove it and the trail that led there.

>>> import tablehound
>>> answer = tablehound.ask("Which river is the longest?", "examples/lake")  # doctest: +SKIP
>>> answer.values  # doctest: +SKIP
('Nile',)
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from tablehound import errors
from tablehound.settings import Settings

if TYPE_CHECKING:
    from tablehound.answer import Answer, EvidenceTable
    from tablehound.ask import ask, open_lake, replay
    from tablehound.execution import CellRef, Program, ProgramResult, View, run_program
    from tablehound.lake import Column, IndexReport, Lake, Provenance, Reading, Table, TableInfo
    from tablehound.retrieval import Candidate, CellMatch, Pattern, open_engine
    from tablehound.retrieval.find import find
    from tablehound.trail import Step, Trail

__version__ = "0.1.0"

_HOMES = {
    "answer": ("Answer", "EvidenceTable"),
    "ask": ("ask", "open_lake", "replay"),
    "execution": ("CellRef", "Program", "ProgramResult", "View", "run_program"),
    "lake": ("Column", "IndexReport", "Lake", "Provenance", "Reading", "Table", "TableInfo"),
    "retrieval": ("Candidate", "CellMatch", "Pattern", "find", "open_engine"),
    "trail": ("Step", "Trail"),
}

__all__ = [
    "Answer",
    "Candidate",
    "CellMatch",
    "CellRef",
    "Column",
    "EvidenceTable",
    "IndexReport",
    "Lake",
    "Pattern",
    "Program",
    "ProgramResult",
    "Provenance",
    "Reading",
    "Settings",
    "Step",
    "Table",
    "TableInfo",
    "Trail",
    "View",
    "__version__",
    "ask",
    "errors",
    "find",
    "open_engine",
    "open_lake",
    "replay",
    "run_program",
]


def __getattr__(name: str) -> Any:
    """Public names are imported when first used, so that ``import tablehound`` stays fast."""
    for module, names in _HOMES.items():
        if name in names:
            home = importlib.import_module(f"tablehound.{module}")
            value = getattr(home, name)
            # ``ask`` is both a module and its function: once the module is imported, Python binds the name to it.
            globals()[name] = value
            return value
    raise AttributeError(f"module 'tablehound' has no attribute {name!r}")
