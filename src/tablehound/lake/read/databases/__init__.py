"""Decides which tables of a database are read, and in what state: read-only, in one committed snapshot.

SQLite and DuckDB files, PostgreSQL and MySQL servers; a module each, connection -> tables -> batches.
"""
