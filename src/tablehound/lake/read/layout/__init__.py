"""Decides where the tables of a grid of cells are, and what of each is title, header, row label, body and note.

One engine for sheets, HTML tables and JSON arrays: grid -> regions -> header -> notes -> row labels -> assemble.
"""
