"""Public data sets, one file each: typed records, read from a folder that the user gives."""

from __future__ import annotations

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
