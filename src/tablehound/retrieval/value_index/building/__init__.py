"""How segments of the value index are built: cells are collected, sorted by value, given trigrams and readings."""
