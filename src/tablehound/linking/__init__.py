"""Words of a question linked to columns and values of its tables, and the profiles of those tables."""

from __future__ import annotations

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
