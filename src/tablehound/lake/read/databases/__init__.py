"""Tables of databases: SQLite and DuckDB files, PostgreSQL and MySQL servers; read-only, in one snapshot."""
