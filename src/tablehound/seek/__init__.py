"""The evidence-seeking loop (TableSeek): patterns, refine, answerability, fallback.

Others use ``seek`` (the loop), ``over_all_parts`` (an answer from one of several parts of a table), ``Plan`` and
``resolve_plan``, ``with_preset`` and ``with_ablations`` (settings by the papers' names).
"""

from __future__ import annotations

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
