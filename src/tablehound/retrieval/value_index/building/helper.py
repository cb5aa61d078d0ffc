"""The program of a helper process (see ``read_values``): reads batches of values until its input ends."""

from __future__ import annotations

import sys

from tablehound.retrieval.value_index.building.read_values import serve

if __name__ == "__main__":
    serve(sys.stdin.buffer, sys.stdout.buffer)
