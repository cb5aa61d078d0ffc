"""The steps of answering that every method shares: recording a step, the budget of calls, judging a result, showing a
table."""

from __future__ import annotations

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
