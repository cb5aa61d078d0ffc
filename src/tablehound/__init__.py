"""Ask a question of a folder of messy tables; get the answer, the cells that prove it and the trail that led there."""

__version__ = "0.1.0"
