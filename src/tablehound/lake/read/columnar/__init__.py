"""Typed columns as raw text: Parquet, Arrow IPC, Feather."""
