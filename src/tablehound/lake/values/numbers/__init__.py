"""Which texts are numbers, and how a column of them reads: separators, signs, suffixes, words, Roman numerals."""
