"""Decides which tables of an HTML page are tables of data, and what a person reads in their cells."""
