"""How texts become terms, and the inverted index over them that ranking reads."""
