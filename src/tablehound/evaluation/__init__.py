"""Data sets, builders, metrics, systems, runs and reports: a stranger can check every claim with one command."""

from __future__ import annotations

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
