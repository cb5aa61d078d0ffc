"""The command line. Nothing in the package uses it."""

__all__: list[str] = []
