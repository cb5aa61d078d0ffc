"""What decides: the protocol, the built-in rules, and chat models."""
