"""Decides which parts of a JSON document are tables, and how nested records become columns."""
