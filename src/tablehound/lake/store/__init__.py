"""How a lake is kept on disk: the catalogue, its locks, index segments, the report of every source, and a lake as
readers see it."""
