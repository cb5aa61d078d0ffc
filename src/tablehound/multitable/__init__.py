"""Answers from several tables (DMRAL)."""
