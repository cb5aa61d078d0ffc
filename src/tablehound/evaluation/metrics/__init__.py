"""Metrics, each with its definition and source. Rates are 0 to 1."""

from __future__ import annotations

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
