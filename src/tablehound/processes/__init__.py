"""Child processes of this interpreter and the frames that they exchange with their parent.

What other rooms use of it is listed in ``__init__.pyi``; it is loaded when first used.
"""

from __future__ import annotations

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
