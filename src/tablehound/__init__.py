"""Ask a question of a folder of messy tables; get the answer, the cells that prove it and the trail that led there.

>>> import tablehound
>>> answer = tablehound.ask("Which river is the longest?", "examples/lake")  # doctest: +SKIP
>>> answer.values  # doctest: +SKIP
('Nile',)
"""

from __future__ import annotations

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
