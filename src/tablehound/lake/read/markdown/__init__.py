"""Decides which lines of a Markdown file are tables, and what a person reads in their cells."""
