"""The evidence-seeking loop over single tables (TableSeek)."""
