"""Systems under test: one small interface, run by name."""
