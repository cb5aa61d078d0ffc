"""The same stages for a file that is too large for memory: decided on head, middle and tail, verified as it streams."""
