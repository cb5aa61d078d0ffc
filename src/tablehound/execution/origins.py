"""Where the columns of a result come from, and what that means for it: its unit, the cells to print, and its doubts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tablehound.execution.view import TypedView
from tablehound.lake import Mark, Measure, Reading, bounds_in_column, canonical, exact_number, factor, parse
from tablehound.program import CellRef

_WHY: dict[Mark, str] = {
    "censored": "some of its cells are bounds of a number, such as {cell}",
    "suppressed": "some of its numbers are hidden by {cell}",
    "units": "some of its cells have another unit, such as {cell}",
    "percent": "some of its cells are bare numbers among percentages, such as {cell}",
    "clock": "its clock readings fit as times of day and as durations",
    "separator": "its points may separate thousands, as in {cell}",
}
_HIDDEN = "*"


@dataclass(frozen=True, slots=True)
class Origin:
    """A column of a view behind an expression."""

    view: TypedView
    name: str
    is_cell: bool = True
    """The expression gives one of its values, not a number computed from several."""

    @property
    def readings(self) -> tuple[Reading, ...]:
        """Of the column, in each table of the view that has it."""
        return self.view.readings(self.name)

    @property
    def measure(self) -> Measure | None:
        """What its numbers are counted in; None where it is no column of numbers."""
        return self.view.measures.get(self.name)


def result_origins(tree: Any, views: Mapping[str, TypedView]) -> list[Origin | None]:
    """Per column of the result of a parsed program; None where several columns or none are behind it."""
    from sqlglot import exp

    if not isinstance(tree, exp.Select) or any(isinstance(e, exp.Star) for e in tree.expressions):
        return []
    return [origin_of(expression, tree, views) for expression in tree.expressions]


def origin_of(expression: Any, select: Any, views: Mapping[str, TypedView]) -> Origin | None:
    """The column behind an expression of a SELECT, through subqueries and aggregates that keep its unit."""
    from sqlglot import exp

    if isinstance(expression, exp.Alias | exp.Paren):
        return origin_of(expression.this, select, views)
    if isinstance(expression, exp.Min | exp.Max | exp.First | exp.AnyValue | exp.ArgMax | exp.ArgMin):
        return origin_of(expression.this, select, views)
    if isinstance(expression, exp.Sum | exp.Avg | exp.Median):
        inner = origin_of(expression.this, select, views)
        return None if inner is None else Origin(inner.view, inner.name, is_cell=False)
    if isinstance(expression, exp.Distinct) and len(expression.expressions) == 1:
        return origin_of(expression.expressions[0], select, views)
    if isinstance(expression, exp.Subquery) and isinstance(expression.this, exp.Select):
        inner_select = expression.this
        return (
            origin_of(inner_select.expressions[0], inner_select, views) if len(inner_select.expressions) == 1 else None
        )
    if isinstance(expression, exp.Column):
        return _column_origin(expression, select, views)
    return None


def _column_origin(column: Any, select: Any, views: Mapping[str, TypedView]) -> Origin | None:
    from sqlglot import exp

    name = column.name.lower()
    found = None
    for entry in _entries(select):
        alias = (entry.alias or (entry.name if isinstance(entry, exp.Table) else "")).lower()
        if column.table and column.table.lower() != alias:
            continue
        if isinstance(entry, exp.Subquery) and isinstance(entry.this, exp.Select):
            inner = next((e for e in entry.this.expressions if e.alias_or_name.lower() == name), None)
            found = found or (origin_of(inner, entry.this, views) if inner is not None else None)
        elif isinstance(entry, exp.Table) and (view := views.get(entry.name.lower())) is not None:
            own = next((own for own in view.names if own.lower() == name), None)
            found = found or (Origin(view, own) if own is not None else None)
    return found


def _entries(select: Any) -> list[Any]:
    from_ = select.args.get("from_") or select.args.get("from")
    entries = [from_.this] if from_ is not None else []
    return entries + [join.this for join in select.args.get("joins") or ()]


def shown_texts(
    rows: Sequence[Sequence[Any]], origins: Sequence[Origin | None], evidence: Sequence[CellRef]
) -> tuple[tuple[str | None, ...], ...]:
    """Per value of a result the text to print where its canonical form would lose digits or its writing: numbers with
    all digits of the cell (``3.10``), times and durations as the cell has them. None elsewhere."""
    if not any(origin is not None and origin.is_cell for origin in origins):
        return ()
    columns: list[list[str | None]] = []
    for place, origin in enumerate(origins):
        values = [row[place] for row in rows]
        if origin is None or not origin.is_cell:
            columns.append([None] * len(rows))
            continue
        written = list(_written(origin, evidence))
        if len(written) == len(values) and all(
            value is not None and form == _form(value) for value, (form, _) in zip(values, written, strict=True)
        ):
            columns.append([text for _, text in written])
            continue
        texts: dict[str, set[str]] = {}
        for form, text in written:
            texts.setdefault(form, set()).add(text)
        columns.append(
            [next(iter(own)) if v is not None and len(own := texts.get(_form(v), set())) == 1 else None for v in values]
        )
    return tuple(zip(*columns, strict=True)) if columns else ()


def _form(value: Any) -> str:
    try:
        return canonical(value)
    except AttributeError:
        return str(value)


def _written(origin: Origin, evidence: Sequence[CellRef]) -> Iterator[tuple[str, str]]:
    """Canonical form and text to print of the cells of a column."""
    for cell, reading in _cells(origin, evidence):
        value = parse(cell.text, reading)
        if value is None or isinstance(value, str):
            continue
        if reading.kind == "time" or (reading.kind == "number" and {"clock", "duration"} & set(reading.styles)):
            yield canonical(value), cell.text.strip()
        elif reading.kind == "number":
            number = exact_number(cell.text, reading)
            if number is not None:
                yield canonical(value), format(number, "f")


def _cells(origin: Origin, evidence: Sequence[CellRef]) -> Iterator[tuple[CellRef, Reading]]:
    places = origin.view.places_of(origin.name)
    for cell in evidence:
        place = places.get(cell.table_id)
        if place is not None and place[0] == cell.column:
            yield cell, place[1]


def doubts_of(
    tree: Any, views: Mapping[str, TypedView], evidence: Sequence[CellRef], truncated: bool
) -> tuple[str, ...]:
    """Why the result of a program may be wrong: it computes with columns of which some cells are no plain numbers, and
    such a cell is among those that it rests on; or it compares a column of which some cells are bounds."""
    from sqlglot import exp

    found: dict[str, None] = {}
    computed = (exp.Sum, exp.Avg, exp.Median, exp.Min, exp.Max, exp.Stddev, exp.Variance, exp.Quantile)
    for node in tree.find_all(*computed):
        select = node.find_ancestor(exp.Select)
        origin = origin_of(node.this, select, views) if select is not None else None
        if origin is None:
            continue
        for mark in sorted({mark for reading in origin.readings for mark in reading.marks}):
            cell = next((c.text for c, r in _cells(origin, evidence) if _bears(mark, c.text, r)), None)
            if cell is not None or truncated:
                why = _WHY[mark].format(cell=repr(cell) if cell is not None else _HIDDEN)
                found[f'{origin.view.alias}."{origin.name}": {why}'] = None
    for node in tree.find_all(exp.GT, exp.GTE, exp.LT, exp.LTE, exp.EQ, exp.Between):
        select = node.find_ancestor(exp.Select)
        for side in (node.this, node.expression):
            origin = origin_of(side, select, views) if isinstance(side, exp.Column) and select is not None else None
            if origin is not None and any("censored" in reading.marks for reading in origin.readings):
                found[f'{origin.view.alias}."{origin.name}" is compared, and some of its cells are bounds'] = None
    return tuple(found)


def _bears(mark: Mark, text: str, reading: Reading) -> bool:
    """Whether a cell is one of those that a mark is about."""
    if mark == "suppressed":
        return text.strip() == _HIDDEN
    if mark == "censored":
        return bounds_in_column(text, reading) is not None
    if mark == "separator":
        return "." in text
    return mark == "clock" or isinstance(parse(text, reading), str)


def unlike_scales(tree: Any, views: Mapping[str, TypedView]) -> str | None:
    """Why columns that a program adds or compares do not go together: one is in thousands, the other is not, or their
    units differ. None where they do. Joins compare no amounts."""
    from sqlglot import exp

    for node in tree.find_all(exp.Add, exp.Sub, exp.GT, exp.GTE, exp.LT, exp.LTE):
        select = node.find_ancestor(exp.Select)
        if select is None or node.find_ancestor(exp.Join) is not None:
            continue
        one, other = (origin_of(side, select, views) for side in (node.this, node.expression))
        if one is None or other is None or one.measure is None or other.measure is None:
            continue
        by = factor(other.measure, one.measure)
        names = [f'{o.view.alias}."{o.name}" is in {o.measure.label() or "ones"}' for o in (one, other) if o.measure]
        if by is None:
            return f"{' and '.join(names)}: they cannot be added or compared"
        if by != 1:
            return f"{' and '.join(names)}: multiply the latter by {by.normalize():f} to add or compare them"
    return None


def percent_warnings(tree: Any, views: Mapping[str, TypedView]) -> tuple[str, ...]:
    """Notes on products and quotients of a percentage and an amount that leave out the hundred."""
    from sqlglot import exp

    found: dict[str, None] = {}
    for node in tree.find_all(exp.Mul, exp.Div):
        if isinstance(node.parent, exp.Mul | exp.Div | exp.Paren):
            continue  # the whole product is looked at
        select = node.find_ancestor(exp.Select)
        if select is None or any(_is_hundred(literal) for literal in node.find_all(exp.Literal)):
            continue
        origins = [origin_of(column, select, views) for column in node.find_all(exp.Column)]
        known = [origin for origin in origins if origin is not None and origin.measure is not None]
        percent = [origin for origin in known if origin.measure is not None and origin.measure.unit == "%"]
        if percent and len(known) > len(percent):
            name = f'{percent[0].view.alias}."{percent[0].name}"'
            found[f"{name} is in percent, 0 to 100: a product with an amount is divided by 100"] = None
    return tuple(found)


def _is_hundred(literal: Any) -> bool:
    try:
        return float(literal.name) in (100.0, 0.01)
    except ValueError:
        return False
