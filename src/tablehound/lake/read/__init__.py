"""Readers, one module per format; the registry picks one by name and by first bytes."""
