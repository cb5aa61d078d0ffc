"""Tables of Markdown files: which lines are tables, and what their cells say."""
