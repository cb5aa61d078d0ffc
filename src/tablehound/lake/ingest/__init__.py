"""How sources become tables of a lake: what there is to read, what changed since, who reads it, and how the new state
goes live."""
