"""The papers' experiments as one grid: what is run on what, and how its table is laid out."""

from __future__ import annotations

from tablehound.evaluation.papers.grid import Experiment, Row, experiments
from tablehound.evaluation.papers.results import PapersReport, papers_html, papers_markdown
from tablehound.evaluation.papers.running import run_papers

__all__ = ["Experiment", "PapersReport", "Row", "experiments", "papers_html", "papers_markdown", "run_papers"]
