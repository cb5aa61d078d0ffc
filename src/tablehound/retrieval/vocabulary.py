"""The lake's own words nearest to the phrases of a question."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Offered to the backbone, so that terms are adapted in one step."""

    headers: tuple[str, ...] = ()
    values: tuple[str, ...] = ()
