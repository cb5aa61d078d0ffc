"""Data sets, builders, metrics, baselines, significance, runs and reports."""
