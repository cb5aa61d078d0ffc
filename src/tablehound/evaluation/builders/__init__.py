"""Builders of benchmark data from public data: seeded, each in one call. Same seed, same files."""

from __future__ import annotations

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
