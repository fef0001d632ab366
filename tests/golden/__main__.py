"""Writes the record (`python -m tests.golden`), or all texts for papers (`python -m tests.golden --paper FILE`)."""

import sys
from pathlib import Path

from tests.golden.record import NAMES, text_of, write_record

match sys.argv[1:]:
    case []:
        write_record()
    case ["--paper", file]:
        Path(file).write_text(
            "\n".join(text_of(name, paper_only=True) for name in NAMES), encoding="utf-8"
        )
    case _:
        sys.exit(__doc__)
