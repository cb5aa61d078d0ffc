"""Decides what the raw text of a typed value is, for Parquet, Arrow IPC, Feather, and the databases."""
