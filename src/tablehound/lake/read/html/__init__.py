"""Tables of HTML pages: which of them are tables, and what a person reads in their cells."""
