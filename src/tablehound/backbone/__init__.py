"""What decides: a chat model, or the built-in rules, behind one protocol."""

from __future__ import annotations

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
