"""Programs: the one gate that runs them, value grounding, checks of a result."""
