"""Which rows add up others, so that sums can leave them out."""
