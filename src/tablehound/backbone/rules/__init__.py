"""The built-in backbone: deterministic, offline, no model."""
