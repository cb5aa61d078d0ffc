"""Answers from several tables (DMRAL): information needs, column alignment, decomposition, programs over joins."""

from tablehound.multitable.alignment import Aligned, align_needs
from tablehound.multitable.decomposition import NeedMapping, mappings, need_groups
from tablehound.multitable.loop import answer_from_several
from tablehound.multitable.needs import Need, information_needs
from tablehound.multitable.program import join_sql, view_of

__all__ = [
    "Aligned",
    "Need",
    "NeedMapping",
    "align_needs",
    "answer_from_several",
    "information_needs",
    "join_sql",
    "mappings",
    "need_groups",
    "view_of",
]
