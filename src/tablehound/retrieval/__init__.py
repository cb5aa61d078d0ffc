"""Search: patterns, the value index, exact search, ranking, dense vectors, coverage score."""
