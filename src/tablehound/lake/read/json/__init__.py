"""Tables of JSON documents and JSON lines: where they are, and how nested records become columns."""
