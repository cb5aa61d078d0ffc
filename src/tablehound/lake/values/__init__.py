"""Values: what the raw texts of a column mean. One parser for all paths; the raw text is never changed.

:func:`read_column` (or :class:`ReadingBuilder`, in batches) decides once per column how it is read, :func:`parse` reads
one text that way, :func:`typed_column` a whole column, and :func:`canonical` writes a value in the one form that the
value index, lookups and joins compare.
"""

from __future__ import annotations

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
