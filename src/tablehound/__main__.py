"""``python -m tablehound``: the same as the command ``tablehound``."""

from tablehound.interfaces.cli import main

if __name__ == "__main__":
    main()
