"""The command line `foldwise`: parsing, output and error messages."""

import argparse
import logging
import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from shlex import quote

from foldwise.cli import COMMANDS, options, start_parser
from foldwise.cli.commands import RUN, run_workspaces
from foldwise.cli.options import MISSING, cli_text
from stats_core.core import errors
from stats_core.core.formatting import for_terminal
from stats_core.io.mapping import UNNAMED, Mapping
from stats_core.report.varied_verdicts import AnswerPreview, possible_answers, preview_answer

ANSWERED, REFUSED, INTERRUPTED = 0, 1, 130  # exit codes; argparse exits with 2 on wrong usage


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code; --help and wrong usage raise SystemExit."""
    arguments = _parser().parse_args(argv)
    _print_whatever_the_names_hold()
    log = _keep_log()
    try:
        with errors.error_boundary("This command"):
            text = arguments.run(arguments)
        _write(text, arguments)
    except errors.FoldwiseError as error:
        message = options.name_as_options(_text_of(error), arguments.flags)
        log_lines = [f"Log file: {log}"] if isinstance(error, errors.InternalError) and log else []
        answers = _answers(error, arguments) if isinstance(error, errors.NeedsMapping) else []
        lines = [message, *_advice(error), *answers, *log_lines]
        print(for_terminal("\n".join(lines)), file=sys.stderr)
        return REFUSED
    except BrokenPipeError:  # the reading program, such as `head`, has closed the pipe
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return ANSWERED
    except KeyboardInterrupt:
        return INTERRUPTED
    return getattr(arguments, "exit_code", ANSWERED)


def _keep_log() -> Path | None:
    """Log unexpected errors to a file created on demand; return its path, None if that fails or a log exists."""
    configured = os.environ.get("FOLDWISE_LOG")
    state = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    path = Path(configured) if configured else Path(state) / "foldwise" / "foldwise.log"
    logger = logging.getLogger("foldwise")
    if logger.handlers:
        return None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handler = logging.FileHandler(path, delay=True, encoding="utf-8")
    except OSError:
        return None  # without a log file, errors are printed in full
    handler.setFormatter(logging.Formatter("%(asctime)s %(message)s"))
    logger.addHandler(handler)
    return path


def _parser() -> argparse.ArgumentParser:
    parser, subparsers = start_parser()
    # listed in the help only: foldwise.__main__ starts the app without importing the others
    subparsers.add_parser("run", add_help=False, help=COMMANDS["run"]["help"])
    for name, run in RUN.items():
        options.add_command(subparsers, name, run)
    texts = COMMANDS["workspaces"]
    workspaces = subparsers.add_parser(
        "workspaces", help=texts["help"], description=texts["description"]
    )
    workspaces.add_argument("action", nargs="?", choices=("clean",), help=texts["clean"])
    workspaces.set_defaults(run=run_workspaces, flags={}, command="workspaces", output="-")
    return parser


def _write(text: str, arguments: argparse.Namespace) -> None:
    """Print the text, or write it to the output file; the text of a report is always printed.

    Raises SettingError if the output file is an input file or cannot be written.
    """
    if arguments.output == "-" or arguments.command == "report":  # which wrote its files
        _print(text)
        return
    target = Path(arguments.output)
    if os.path.realpath(target) in {os.path.realpath(name) for name in arguments.files}:
        raise errors.SettingError(cli_text("main.overwrites", file=target))
    options.write_file(target, f"{text}\n".encode(errors="backslashreplace"), "-o")


def _print(text: str) -> None:
    """Print the text; SettingError if standard output cannot be written, BrokenPipeError if its reader is gone."""
    try:
        print(for_terminal(text), flush=True)
    except BrokenPipeError:
        raise
    except OSError as error:
        # otherwise Python flushes the rest at exit and fails again
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise errors.SettingError(cli_text("main.stdout", reason=error.strerror)) from None


def _text_of(error: errors.FoldwiseError) -> str:
    """Return the message of an error without the advice that `_advice` words as options."""
    if error.code == "no cost column":
        return cli_text("main.no_cost")
    if not isinstance(error, errors.NeedsMapping) or error.about == "nothing":
        return str(error)
    return "\n".join(str(item).removesuffix(f" {item.do}.") for item in error.problems)


def _naming(error: errors.NeedsMapping) -> str:
    """Return advice, after a blank, on the options that name the measure and its direction."""
    guess: Mapping = error.guess
    unknown = [quote(f"{name}=higher") for name in error.undirected]
    measure = "" if guess.measure_name in ("", UNNAMED) else quote(guess.measure_name)
    return " " + cli_text("main.direction", names=unknown, measure=measure)


def _answers(error: errors.NeedsMapping, arguments: argparse.Namespace) -> list[str]:
    """Return a line for each answer to a question, options and a preview; [] if a file cannot be read again."""
    try:
        sources = [(name, Path(name).read_bytes()) for name in arguments.files]
    except OSError:  # standard input can be read once only
        return []
    lines, so_far = [], options.mapping_from_options(arguments)
    for key, description, mapping in possible_answers(error):
        flags, preview = _typed(error, key, mapping, so_far, sources)
        following = preview.question
        description = description if error.about == "columns" else ""
        if following is None or following.about != "direction":
            lines.append((flags, preview.text, description))
            continue
        for way, _, next_mapping in possible_answers(following):
            more, next_preview = _typed(
                following, way, next_mapping, replace(so_far, rows=mapping.rows), sources
            )
            lines.append((f"{flags} {more}", next_preview.text, ""))
    printed = []
    for flags, text, description in dict.fromkeys(lines):
        if text:
            printed.append(cli_text("main.answer", options=flags, gives=text))
        if text and description:
            printed.append(f"    {description}")
    return printed


def _typed(
    error: errors.NeedsMapping,
    key: str,
    mapping: Mapping,
    so_far: Mapping,
    sources: list[tuple[str, bytes]],
) -> tuple[str, AnswerPreview]:
    """Return the options that give an answer, and a preview of reading the files with them."""
    if error.classes:
        flags = f"--positive-class {quote(key)}"
    elif error.about == "direction" and error.undirected:
        option = "--roles" if key == "ignore" else "--direction"
        pairs = [f"ignore={n}" if key == "ignore" else f"{n}={key}" for n in error.undirected]
        flags = " ".join(f"{option} {quote(pair)}" for pair in pairs)
    elif error.about == "direction":
        name = "NAME" if mapping.measure_name in ("", UNNAMED) else quote(mapping.measure_name)
        flags = f"--measure {name} {options.DIRECTIONS[key]}"
        flags += f" {options.rows_option(mapping)}" if mapping.rows != so_far.rows else ""
    elif error.about == "doubt":
        flags = f"--suspicious {error.fields[0]}={key}"
    elif error.about == "encoding":
        flags = f"--encoding {quote(key)}"
    elif error.about == "published":
        flags = f"--winner {key}"
    elif error.about in ("cases", "rows"):
        mapping = replace(so_far, rows=mapping.rows)
        flags = options.rows_option(mapping)
    else:  # other columns keep their inferred roles, if that is enough
        mapping = _with_needed_roles(mapping, so_far, sources)
        columns = {name: role for name, role in mapping.roles.items() if name not in so_far.roles}
        flags = " ".join(f"--roles {quote(f'{role}={name}')}" for name, role in columns.items())
    return flags, preview_answer(*sources, mapping=mapping)


def _with_needed_roles(
    mapping: Mapping, so_far: Mapping, sources: list[tuple[str, bytes]]
) -> Mapping:
    """Return the mapping so far with the fewest roles of an answer with which the files can be read."""
    few = {name: role for name, role in mapping.roles.items() if role not in ("ignore", "result")}
    typed = replace(so_far, roles={**so_far.roles, **few})
    preview = preview_answer(*sources, mapping=typed)
    if preview.question is None and not preview.readable:
        return replace(so_far, roles={**so_far.roles, **mapping.roles})
    return typed


def _advice(error: errors.FoldwiseError) -> list[str]:
    """Return lines on the options of this command that resolve an error; [] if there are none."""
    match error:
        case errors.NeedsMapping(about="nothing"):
            return [cli_text("main.nothing")]
        case errors.NeedsMapping():
            return [f"{error.question}{_mapping_options(error)}"]
        case errors.MissingCells():
            notes = [note for note in getattr(error, "__notes__", []) if note]
            return [cli_text("main.missing", choices=MISSING), *("\n" + note for note in notes)]
    return []


def _mapping_options(error: errors.NeedsMapping) -> str:
    """Return advice, after a blank, on the options that answer a question on the file."""
    if error.about == "direction":
        return _naming(error)
    about = "classes" if error.classes else error.about
    values = {"classes": error.classes, "fields": error.fields, "columns": error.columns}
    values["answers"] = [
        f"--encoding {quote(guess.encoding)} ({text})" for text, guess in error.options
    ]
    return f" {cli_text(f'main.{about}', **values)}"


def _print_whatever_the_names_hold() -> None:
    """Make output print characters that the terminal lacks as escape sequences."""
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="backslashreplace")
