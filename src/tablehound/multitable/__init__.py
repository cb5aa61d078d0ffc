"""Answers from several tables (DMRAL): information needs, column alignment, decomposition, programs over joins."""

from __future__ import annotations

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
