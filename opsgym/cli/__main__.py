"""``python -m opsgym.cli``."""

from opsgym.cli.app import main

if __name__ == "__main__":
    main()
