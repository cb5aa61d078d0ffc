from .base import Outcome as Outcome
from .base import System as System
from .by_name import EMBEDDING as EMBEDDING
from .by_name import SYSTEMS as SYSTEMS
from .by_name import make_system as make_system
