"""Coverage of a question part by columns (DMRAL): late interaction, trained by a margin ranking loss."""

from tablehound.retrieval.coverage.model import CoverageModel, coverage_score, load_coverage
from tablehound.retrieval.coverage.training import CoverageExample, CoverageOptions, train_coverage

__all__ = ["CoverageExample", "CoverageModel", "CoverageOptions", "coverage_score", "load_coverage", "train_coverage"]
