"""User interfaces. No other room uses them."""

__all__: list[str] = []
