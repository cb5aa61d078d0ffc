from .formats import build_formats as build_formats
from .scale import ScaleOptions as ScaleOptions
from .scale import build_scale as build_scale
from .siblings import SiblingOptions as SiblingOptions
from .siblings import build_siblings as build_siblings
from .wild import WildOptions as WildOptions
from .wild import WildStatistics as WildStatistics
from .wild import build_wild as build_wild
