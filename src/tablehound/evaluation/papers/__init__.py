"""The papers' experiments as one grid: what is run on what, and how its table is laid out."""

from __future__ import annotations

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
