"""Decides which rows of a table are subtotals, so that sums can leave them out: by their label, outline or groups, and
always by arithmetic."""
