"""Data sets, builders, metrics, systems, runs and reports: a stranger can check every claim with one command."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tablehound.evaluation.builders import (
        ScaleOptions,
        SiblingOptions,
        WildOptions,
        build_formats,
        build_scale,
        build_siblings,
        build_wild,
    )
    from tablehound.evaluation.datasets import data_set, data_sets, read_json_lines, sample_questions
    from tablehound.evaluation.examples import read_questions, run_examples
    from tablehound.evaluation.metrics import wilson_interval
    from tablehound.evaluation.papers import EXPERIMENTS, papers_html, papers_markdown, run_papers
    from tablehound.evaluation.reports import html_report, load_report, markdown_comparison, markdown_report
    from tablehound.evaluation.runs import Record, RunPlan, run
    from tablehound.evaluation.systems import SYSTEMS
    from tablehound.evaluation.target import target_retriever

_HOMES = {
    "EXPERIMENTS": "papers",
    "SYSTEMS": "systems",
    "Record": "runs",
    "RunPlan": "runs",
    "ScaleOptions": "builders",
    "SiblingOptions": "builders",
    "WildOptions": "builders",
    "build_formats": "builders",
    "build_scale": "builders",
    "build_siblings": "builders",
    "build_wild": "builders",
    "data_set": "datasets",
    "data_sets": "datasets",
    "html_report": "reports",
    "load_report": "reports",
    "markdown_comparison": "reports",
    "markdown_report": "reports",
    "papers_html": "papers",
    "papers_markdown": "papers",
    "read_json_lines": "datasets",
    "read_questions": "examples",
    "run": "runs",
    "run_examples": "examples",
    "run_papers": "papers",
    "sample_questions": "datasets",
    "target_retriever": "target",
    "wilson_interval": "metrics",
}

__all__ = [
    "EXPERIMENTS",
    "SYSTEMS",
    "Record",
    "RunPlan",
    "ScaleOptions",
    "SiblingOptions",
    "WildOptions",
    "build_formats",
    "build_scale",
    "build_siblings",
    "build_wild",
    "data_set",
    "data_sets",
    "html_report",
    "load_report",
    "markdown_comparison",
    "markdown_report",
    "papers_html",
    "papers_markdown",
    "read_json_lines",
    "read_questions",
    "run",
    "run_examples",
    "run_papers",
    "sample_questions",
    "target_retriever",
    "wilson_interval",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
