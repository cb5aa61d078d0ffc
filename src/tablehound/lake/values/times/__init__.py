"""Which texts are times of day and durations, and which of the two a column of clock readings (``3:45``) has."""
