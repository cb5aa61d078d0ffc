"""The same decisions for a file that is too large to hold: on its head, middle and tail, verified as its rows
stream."""
