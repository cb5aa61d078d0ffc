"""How a table is rendered in little room without losing its structure (TableSeek's previews)."""
