"""Tables as Markdown and HTML, and the one page that needs nothing else."""

from __future__ import annotations

import html
from collections.abc import Sequence

_LONG = 48
"""Characters from which a cell is a sentence."""

_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,"><title>{title}</title>
<style>
body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:0 auto;padding:1rem;color:#1a1a1a;background:#fff}
.scroll{overflow-x:auto}table{border-collapse:collapse;font-size:.9rem}
th,td{padding:.3rem .7rem;border-bottom:1px solid #ddd;text-align:right;white-space:nowrap}
th:first-child,td:first-child{text-align:left}
td.long{white-space:normal;text-align:left;min-width:14rem}figure{margin:1.5rem 0}svg{max-width:100%;height:auto}
figcaption{color:#555;font-size:.9rem}
</style></head><body>
{body}
</body></html>
"""


def html_table(rows: Sequence[Sequence[str]]) -> str:
    """The first row is the header. Texts are escaped."""

    def line(cells: Sequence[str], tag: str) -> str:
        # Sentences wrap; figures and names do not.
        begin = [f'{tag} class="long"' if len(cell) > _LONG else tag for cell in cells]
        shown = (f"<{b}>{html.escape(cell)}</{tag}>" for b, cell in zip(begin, cells, strict=True))
        return "<tr>" + "".join(shown) + "</tr>"

    body = "\n".join(line(row, "td") for row in rows[1:])
    return f'<div class="scroll"><table><thead>{line(rows[0], "th")}</thead><tbody>{body}</tbody></table></div>'


def figure(caption: str, svg: str) -> str:
    """A chart with its caption."""
    return f"<figure>{svg}<figcaption>{html.escape(caption)}</figcaption></figure>"


def page(title: str, parts: Sequence[str]) -> str:
    """A page of these parts of HTML, readable at a phone's width."""
    return _PAGE.replace("{title}", html.escape(title)).replace("{body}", "\n".join(parts))


def markdown_table(rows: Sequence[Sequence[str]]) -> str:
    """The first row is the header."""
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join([lines[0], "|" + " --- |" * len(rows[0]), *lines[1:]])
