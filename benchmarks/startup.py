"""How long `import tablehound` and `tablehound --help` take, beside an empty Python, in one run.

    python benchmarks/startup.py

Whole processes, in turn, after one warm-up of each; medians. The limits are 0.3 s and 0.5 s.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import time

COMMANDS = {
    "python -c pass": [sys.executable, "-c", "pass"],
    "import tablehound": [sys.executable, "-c", "import tablehound"],
    "tablehound --help": [sys.executable, "-c", "from tablehound.interfaces.cli import main; main(['--help'])"],
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=15)
    runs = parser.parse_args().runs
    seconds: dict[str, list[float]] = {name: [] for name in COMMANDS}
    for turn in range(runs + 1):
        for name, command in COMMANDS.items():
            started = time.perf_counter()
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
            if turn:
                seconds[name].append(time.perf_counter() - started)
    print("| process | median s | least s |\n| --- | ---: | ---: |")
    for name, taken in seconds.items():
        print(f"| `{name}` | {statistics.median(taken):.3f} | {min(taken):.3f} |")


if __name__ == "__main__":
    main()
