"""The rows of one HTML table as a browser makes them up, whatever tags are missing or in the way.

Rows are visited in document order, so that a form around some of them, a cell in an element without end tag, and
cells outside of a row lose nothing. Source: WHATWG HTML, "Tree construction: in table" (cells that lack a row
share one) and CSS 2, "Tables" (the first head is shown at the top and the first foot at the bottom).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from tablehound.lake.read.html.cells import Seen, hidden_how, text_of

GroupKind = Literal["thead", "tbody", "tfoot"]


@dataclass(slots=True)
class HtmlRow:
    """A row as found."""

    element: Any
    """The ``tr``; none for cells without a row."""
    cells: list[Any] = field(default_factory=list)
    number: int = 0
    """1-based, in the order shown; hidden rows count."""


@dataclass(slots=True)
class RowGroup:
    """Rows that spans do not leave."""

    kind: GroupKind
    element: Any
    rows: list[HtmlRow] = field(default_factory=list)


def row_groups(table: Any) -> list[RowGroup]:
    """Row groups in the order shown, with all rows of the table itself; nested tables are passed over."""
    groups = _in_document_order(table)
    heads = [group for group in groups if group.kind == "thead"]
    feet = [group for group in groups if group.kind == "tfoot"]
    if heads and groups[0] is not heads[0]:
        groups.remove(heads[0])
        groups.insert(0, heads[0])
    if feet:
        groups = [group for group in groups if group.kind != "tfoot"] + feet
    number = 0
    for group in groups:
        for row in group.rows:
            number += 1
            row.number = number
    return groups


def own_elements(table: Any, *tags: str) -> list[Any]:
    """Elements of a table that do not belong to a table within it."""
    found = list(table.iter(*tags))
    if next((inner for inner in table.iter("table") if inner is not table), None) is None:
        return found
    return [element for element in found if next(element.iterancestors("table"), None) is table]


def _in_document_order(table: Any) -> list[RowGroup]:
    groups: list[RowGroup] = []
    rows: dict[Any, HtmlRow] = {}
    current: HtmlRow | None = None
    parents = ("thead", "tbody", "tfoot", "table")
    for element in own_elements(table, "tr", "td", "th"):
        if element.tag != "tr":
            parent = element.getparent()
            if current is not None and parent is current.element:
                current.cells.append(element)
                continue
            parent = next(element.iterancestors("tr", *parents))
            if parent.tag == "tr":
                current = rows[parent]
                current.cells.append(element)
                continue
            if current is not None and current.element is None and groups[-1].element is parent:
                current.cells.append(element)
                continue
            group_element = parent
        else:
            group_element = next(element.iterancestors(*parents))
        if not groups or groups[-1].element is not group_element:
            tag = group_element.tag
            groups.append(RowGroup(tag if tag != "table" else "tbody", group_element))
        current = HtmlRow(element if element.tag == "tr" else None)
        groups[-1].rows.append(current)
        if element.tag == "tr":
            rows[element] = current
        else:
            current.cells.append(element)
    return groups


def take_hidden(groups: list[RowGroup]) -> list[tuple[int, str]]:
    """Take rows out that the page does not show; their numbers and texts."""
    hidden: list[tuple[int, str]] = []
    for group in groups:
        all_gone = group.element.tag != "table" and hidden_how(group.element) is not None
        shown = []
        for row in group.rows:
            if all_gone or (row.element is not None and hidden_how(row.element) is not None):
                hidden.append((row.number, " | ".join(text_of(cell, Seen()) for cell in row.cells)))
            else:
                shown.append(row)
        group.rows = shown
    return hidden
