"""What a pattern is and which cells it matches: regular expressions, literals, values."""
