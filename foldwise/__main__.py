"""Entry point of the `foldwise` command and of `python -m foldwise`."""

import sys
from collections.abc import Sequence

from foldwise.cli import COMMANDS, start_parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code; --help and wrong usage raise SystemExit."""
    arguments = sys.argv[1:] if argv is None else list(argv)
    if arguments[:1] == ["run"]:  # the server process imports the statistics
        from foldwise.web import launcher

        return launcher.main(arguments[1:])
    if not set(arguments) & set(COMMANDS):  # --help, --version, wrong usage
        parser, subparsers = start_parser()
        for name, command in COMMANDS.items():
            subparsers.add_parser(name, add_help=False, help=command["help"])
        parser.parse_args(arguments)
    from foldwise.cli.main import main as answer

    return answer(arguments)


if __name__ == "__main__":
    sys.exit(main())
