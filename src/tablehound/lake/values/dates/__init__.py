"""Which texts are dates and times, and how a column of them reads: the order of day and month, the century."""
