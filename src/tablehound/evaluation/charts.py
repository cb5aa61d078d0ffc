"""Charts as SVG texts, by matplotlib. The same numbers give the same text."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from typing import Any

from tablehound.errors import MissingExtraError


def bars(labels: Sequence[str], series: Mapping[str, Sequence[float]]) -> str:
    """Grouped bars: one group per label, one bar per series."""
    figure, axes = _figure()
    width = 0.8 / len(series)
    for place, (name, values) in enumerate(series.items()):
        axes.bar([i + place * width for i in range(len(labels))], values, width, label=name)
    axes.set_xticks([i + 0.4 - width / 2 for i in range(len(labels))], labels, rotation=30, ha="right")
    # Beside the axes, never over the bars.
    figure.legend(loc="outside upper center", ncols=4)
    return _svg(figure)


def lines(
    series: Mapping[str, Sequence[float]], label: str, places: Sequence[float] | None = None, *, log: bool = False
) -> str:
    """One line per series over ``places`` (default 0, 1, …), ``label`` below."""
    figure, axes = _figure()
    for name, values in series.items():
        axes.plot(range(len(values)) if places is None else places, values, marker="o", label=name)
    axes.set_xlabel(label)
    if log:
        axes.set_xscale("log")
    # Beside the axes, never over the bars.
    figure.legend(loc="outside upper center", ncols=4)
    return _svg(figure)


def need_charts() -> None:
    """Make sure that charts can be drawn, before hours are spent on what they would show.

    Raises:
        MissingExtraError: matplotlib is not installed.
    """
    try:
        import matplotlib  # noqa: F401
    except ImportError as error:
        raise MissingExtraError("matplotlib is not installed", remedy="pip install 'tablehound[bench]'") from error


def _figure() -> tuple[Any, Any]:
    need_charts()
    from matplotlib.figure import Figure

    # A Figure of its own: pyplot keeps global state and wants a display.
    figure = Figure(figsize=(7.5, 3.6), layout="constrained")
    return figure, figure.subplots()


def _svg(figure: Any) -> str:
    import matplotlib

    out = io.StringIO()
    # Fixed ids and no date: the same scores give the same file.
    with matplotlib.rc_context({"svg.hashsalt": "tablehound", "svg.fonttype": "none"}):
        figure.savefig(out, format="svg", metadata={"Date": None})
    text = out.getvalue()
    return text[text.index("<svg") :]
