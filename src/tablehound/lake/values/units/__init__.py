"""Which units and scales there are, and what the name of a column says of them."""
