"""Several tables joined into one profile, so that a question over a join is read like one over a table."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence

from tablehound.lake import Reading, canonical
from tablehound.language.words import fold
from tablehound.linking.table_profile import ColumnProfile, TableProfile

MAX_JOINED_ROWS = 200_000
_SIDE = re.compile(r'(\w+)\."((?:[^"]|"")+)"')

Side = tuple[str, str]


def parse_join(text: str) -> tuple[Side, Side] | None:
    """The two columns of a join condition as SQL: ``T1."city id" = T2."id"``, also within functions of text."""
    sides = _SIDE.findall(text)
    if len(sides) != 2:
        return None
    (alias_a, name_a), (alias_b, name_b) = sides
    return (alias_a, name_a.replace('""', '"')), (alias_b, name_b.replace('""', '"'))


def join_profiles(profiles: Sequence[TableProfile], joins: Sequence[str]) -> TableProfile | None:
    """The inner join of the tables along the conditions, best first; None when they do not connect the tables or
    the result is too large to look at."""
    by_alias = {profile.aliases[0]: profile for profile in profiles}
    order = list(by_alias)
    joined = {order[0]: list(by_alias[order[0]].rows)}
    source = order[0]
    compared: set[Side] = set()
    pending = [(text, sides) for text in joins if (sides := parse_join(text))]
    while len(joined) < len(order):
        step = next(
            (
                (t, s)
                for t, s in pending
                if (s[0][0] in joined) != (s[1][0] in joined) and {s[0][0], s[1][0]} <= set(order)
            ),
            None,
        )
        if step is None:
            return None
        text, (left, right) = step
        if left[0] not in joined:
            left, right = right, left
        keys = _keys(by_alias[left[0]], left[1])
        others = _keys(by_alias[right[0]], right[1])
        if keys is None or others is None:
            return None
        partners: dict[str, list[int]] = {}
        for row in by_alias[right[0]].rows:
            if others[row]:
                partners.setdefault(others[row], []).append(row)
        out: dict[str, list[int]] = {alias: [] for alias in (*joined, right[0])}
        for place, row in enumerate(joined[left[0]]):
            for partner in partners.get(keys[row], ()) if keys[row] else ():
                for alias in joined:
                    out[alias].append(joined[alias][place])
                out[right[0]].append(partner)
            if len(out[right[0]]) > MAX_JOINED_ROWS:
                return None
        joined = out
        compared |= {left, right}
        source += f" JOIN {right[0]} ON {text}"
        pending = [(t, s) for t, s in pending if t != text]
    return _combine(by_alias, joined, source, compared)


def _keys(profile: TableProfile, name: str) -> list[str] | None:
    column = next((c for c in profile.columns if c.name == name), None)
    if column is None:
        return None
    return [fold(canonical(v)) if v is not None else "" for v in column.values]


def _parts_of_rows(column: ColumnProfile, rows: list[int]) -> tuple[tuple[int, Reading], ...]:
    """The readings of a union's column at some of its rows, in runs."""
    if not column.parts:
        return ()
    readings = [reading for n, reading in column.parts for _ in range(n)]
    return tuple((len(list(run)), reading) for reading, run in itertools.groupby(rows, lambda row: readings[row]))


def _combine(
    by_alias: dict[str, TableProfile], joined: dict[str, list[int]], source: str, compared: set[Side]
) -> TableProfile:
    columns: list[ColumnProfile] = []
    for alias, rows in joined.items():
        for column in by_alias[alias].columns:
            texts = [column.texts[row] for row in rows]
            parts = _parts_of_rows(column, rows)
            columns.append(ColumnProfile(len(columns), column.column, texts, alias, alias, parts=parts))
    first = next(iter(by_alias.values()))
    views = {alias: view for profile in by_alias.values() for alias, view in profile.views.items()}
    size = len(next(iter(joined.values())))
    about = [info for profile in by_alias.values() for info in profile.about]
    keys = frozenset(c.index for c in columns if (c.alias, c.name) in compared)
    return TableProfile(
        first.info, columns, size, views, source, parts=dict(joined), keys=keys, bases=dict(by_alias), about=about
    )
