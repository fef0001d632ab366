"""`python -m foldwise`: the command line."""

import sys

from foldwise.command.main import main

if __name__ == "__main__":
    sys.exit(main())
