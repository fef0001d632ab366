"""Commands `foldwise analyse`, `order`, `power`, `level`, `plan`, `report` and `gate`."""

import argparse
import json
import shlex
import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
from pandas.api.types import is_numeric_dtype

from foldwise.cli.options import (
    cli_text,
    name_as_options,
    results_from_options,
    results_of_gate,
    settings_from_options,
    write_file,
)
from foldwise.workspaces import store
from foldwise.workspaces.store import ChunkFolder, Store
from stats_core.comparison import conclusion_scope
from stats_core.comparison.analyse import analyse
from stats_core.comparison.result import Comparison
from stats_core.core.errors import FoldwiseError, MissingCells, SettingError
from stats_core.core.formatting import for_terminal
from stats_core.core.messages import Message
from stats_core.core.serialize import dump_json, to_plain
from stats_core.data.results import Results
from stats_core.data.settings import TUKEY, Settings
from stats_core.ordering.order import Order, OrderRules, order_of
from stats_core.power import item_planning, simulation
from stats_core.power.questions import QUESTIONS
from stats_core.power.simulation import Progress
from stats_core.report import (
    entry,
    gate,
    latex_table,
    methods_text,
    order_text,
    power_text,
    reproduce,
    robustness_text,
    text_report,
    varied_verdicts,
)
from stats_core.report.entry import Place
from stats_core.report.tables import order_tables, robustness_tables, table_registry
from stats_core.report.tables.table import LONGEST, ResultTable
from stats_core.report.varied_verdicts import ByGroup
from stats_core.report.verdict import verdict
from stats_core.robustness.leave_one_out import leave_one_out

GATE_PASSED, GATE_FAILED, GATE_UNDECIDED = 0, 3, 4  # exit codes
STAR = "*"  # marks cells that are bold in other formats


def format_columns(table: ResultTable, *, marked: bool = False) -> str:
    """Return a table as aligned text columns, with a star after highlighted cells if `marked`."""
    printed = table.printed(longest=len(table.frame))
    cells_of = _mark_best(printed) if marked else printed.texts
    texts, numbers = (printed.headed(cells).reset_index() for cells in (cells_of, printed.frame))
    columns = []
    for name in texts:
        cells = [str(name), *map(str, texts[name])]
        width = max(map(len, cells))
        right = is_numeric_dtype(numbers[name])
        columns.append([cell.rjust(width) if right else cell.ljust(width) for cell in cells])
    return "\n".join("  ".join(row).rstrip() for row in zip(*columns, strict=True))


def _mark_best(table: ResultTable) -> pd.DataFrame:
    """Return cell texts, in place: in columns with highlighted cells, these end in a star, the others in a blank."""
    texts = table.texts
    for label, (bold, _) in table.best.items():
        for name in bold:
            texts.loc[label, name] += STAR
    for name in {name for bold, _ in table.best.values() for name in bold}:
        texts[name] = [text if text.endswith(STAR) else f"{text} " for text in texts[name]]
    return texts


def _compare_by_tag(groups: ByGroup, form: str, *, orders_first: bool = False) -> str:
    """Return the analyses and orders of all groups in a format, CSV only the first table; SettingError for a script."""
    tables = robustness_tables.tables_by_group(groups)
    if orders_first:
        tables.reverse()
    match form:
        case "json":
            return json.dumps(_groups_as_data(groups), indent=2)
        case "latex":
            return "\n".join(map(latex_table.table_to_latex, tables))
        case "csv":
            return _as_csv(tables[0].data)
        case "script":
            raise SettingError(cli_text("commands.script_by"))
    return "\n\n".join(
        f"{table.title}\n{format_columns(table)}\n{table.caption}" for table in tables
    )


def _groups_as_data(groups: ByGroup) -> dict:
    """Return all numbers of the groups as JSON-compatible data."""
    return to_plain(
        {
            "format": 1,
            "tag": groups.tag,
            "alpha": groups.settings.alpha,
            "groups": groups.table.rename_axis("group").reset_index(),
            "orders": {value: list(order.ordering.order) for value, order in groups.orders.items()},
            "unordered": groups.unordered,
            "untagged": list(groups.untagged),
        }
    )


def _as_csv(frame: pd.DataFrame) -> str:
    """Return a frame as CSV without a final line break; the first column replaces an unnamed index."""
    indexed = frame if any(frame.index.names) else frame.set_index(frame.columns[0])
    return text_report.table_to_csv(indexed).removesuffix("\n")


def _analyse_or_list_choices(results: Results, settings: Settings) -> Comparison:
    """Return the analysis; a note on the error for missing results lists the result of each treatment."""
    try:
        return analyse(results, settings)
    except MissingCells as error:
        error.add_note(_every_choice(results, settings))
        raise


def _every_choice(results: Results, settings: Settings) -> str:
    """Return the result of each treatment of missing results as text, "" if there is none."""
    try:
        table = varied_verdicts.compare_missing_choices(results, settings)
    except FoldwiseError:
        return ""
    if table.empty:
        return ""
    choices = table["choice"].str.replace(" ", "-")
    options = choices.where(table["baseline"] == "", choices + " --baseline " + table["baseline"])
    frame = pd.DataFrame(
        {
            "leaves": [varied_verdicts.describe_remainder(row) for _, row in table.iterrows()],
            "significant pairs": table["separated"].astype(int).to_numpy(),
            "verdict": table["verdict"].to_numpy(),
        },
        index=pd.Index(options, name="--missing"),
    )
    columns = format_columns(ResultTable(name="choices", title="", frame=frame, caption=""))
    return f"{columns}\n\n{varied_verdicts.describe_missing_choices(table)}"


QUICK = 20_000  # data sets x algorithms squared, up to which leave-one-out takes a few seconds
_TESTS_OF_FOLDS = entry.any_of(entry.folds, entry.wins)
# option -> what analyses that use it have; all use the others
_USED: dict[str, entry.Need] = {
    "control": entry.control,
    "source": entry.every(entry.averages, entry.several_algorithms),
    "prior": entry.published_decisions,
    "horizon": entry.models,
    "test": entry.every(entry.folds, entry.one_measure),
    "overlap": _TESTS_OF_FOLDS,
    "df": _TESTS_OF_FOLDS,
    "test_fraction": _TESTS_OF_FOLDS,
}


def run_analyse(arguments: argparse.Namespace) -> str:
    """Return the analysis, its named tables, or the analyses by group in the requested format; print unused options."""
    results, mapping = results_from_options(arguments)
    settings = settings_from_options(arguments)
    if arguments.by:
        return _compare_by_tag(
            varied_verdicts.by_group(results, settings, arguments.by), arguments.format
        )
    analysis = _analyse_or_list_choices(results, settings)
    unused = [
        arguments.flags[name]
        for name, need in _USED.items()
        if getattr(settings, name) != getattr(Settings(), name) and need(analysis) is not None
    ]
    if unused:
        print(for_terminal(cli_text("commands.unused", flags=unused)), file=sys.stderr)
    if arguments.table:
        return _named_tables(analysis, arguments.table, arguments.format)
    match arguments.format:
        case "json":
            return reproduce.to_json(analysis)
        case "latex":
            caption = methods_text.in_number_style(
                verdict(analysis).headline, arguments.number_style
            )
            return "\n".join(
                latex_table.table_to_latex(replace(table, caption=caption))
                for table in table_registry.main_table(analysis)
            )
        case "csv":
            return _as_csv(analysis.table())
        case "script":
            _check_files_can_be_read_again(arguments.files)
            return reproduce.to_script(analysis, arguments.files, mapping=mapping)
    texts = [
        methods_text.in_number_style(text, arguments.number_style)
        for text in (text_report.to_text(analysis), *robustness(analysis))
    ]
    tables = table_registry.tables_in(analysis, Place.SUMMARY)
    sections = [*texts, *map(_first_rows, tables)]
    notes = [*map(_note_with_option, analysis.results.notes), *_option_of_runs(analysis)]
    if notes:
        sections.append("\n".join([cli_text("commands.notes"), *notes]))
    return "\n\n".join(sections)


def _first_rows(table: ResultTable) -> str:
    """Return a table as text columns; of a long one the first rows, and how to get all."""
    n_rows = len(table.frame) - table.summary
    if n_rows <= LONGEST:
        return format_columns(table)
    more = cli_text("commands.more_rows", shown=LONGEST, n=n_rows)
    return f"{format_columns(table.shortened(LONGEST))}\n{more}"


def _option_of_runs(analysis: Comparison) -> list[str]:
    """Return the option that compares the runs of every model, if runs were averaged instead."""
    notes = [note for note in analysis.notes if note.code == "repeated answers"]
    can_share = any(note["of_runs"] and note["common"] > 1 for note in notes)
    return ["  " + cli_text("commands.shared_runs", n=notes[0]["common"])] if can_share else []


def _note_with_option(note: Message) -> str:
    """Return a note on the files, with the option that answers it, if any."""
    if note.code not in ("clusters suggested", "categories", "other clusters", "items of clusters"):
        return f"  {note}"
    column = shlex.quote(note["column"])
    return "  " + cli_text(f"commands.{note.code}", note=note, column=column)


def robustness(analysis: Comparison) -> list[str]:
    """Return a line on leave-one-out, or that it was skipped above `QUICK`; [] if no data set can be left out."""
    n, k = len(analysis.units), len(analysis.order)
    if n * k**2 > QUICK:
        return [cli_text("commands.leave_one_out_skipped")]
    return [robustness_text.describe_leave_one_out(leave_one_out(analysis))] if n else []


def _named_tables(analysis: Comparison, names: Sequence[str], form: str) -> str:
    """Return tables of an analysis by name, as text, CSV or LaTeX.

    Raises SettingError for an unknown name, another format, or if the analysis has none of the
    tables.
    """
    available = table_registry.entries_of(analysis, Place.COMMAND)
    unknown = [_with_reason(analysis, name) for name in names if name not in available]
    if unknown:
        raise SettingError(cli_text("commands.unknown_table", names=unknown, available=available))
    tables = table_registry.tables_of(analysis, *names)
    if not tables:
        raise SettingError(cli_text("commands.empty_table", names=names))
    match form:
        case "latex":
            return "\n".join(map(latex_table.table_to_latex, tables))
        case "csv":
            return "\n".join(text_report.table_to_csv(table.data) for table in tables).removesuffix(
                "\n"
            )
        case "text":
            return "\n\n".join(map(_table_as_text, tables))
    raise SettingError(cli_text("commands.table_format", form=form))


def _with_reason(analysis: Comparison, name: str) -> str:
    """Return the name of a table that an analysis lacks, with the reason if others have it."""
    why = table_registry.why_lacking(analysis, name)
    return name if why is None else f"{name} ({why})"


def _table_as_text(table: ResultTable) -> str:
    star = f" {STAR} = bold." if any(bold for bold, _ in table.best.values()) else ""
    return f"{table.title}\n{format_columns(table, marked=True)}\n{table.caption}{star}"


def _check_files_can_be_read_again(files: Sequence[str]) -> None:
    """Raise SettingError for standard input, which a script cannot read again."""
    if "-" in files:
        raise SettingError(cli_text("commands.script_stdin"))


def run_report(arguments: argparse.Namespace) -> str:
    """Write the files of the report and return their paths, one per line.

    Raises SettingError if a package for figures is not installed, no output folder is given, or a
    file cannot be written.
    """
    try:
        from foldwise.figures import registry
        from foldwise.rendering import report_files
        from foldwise.rendering.figure_files import StylePanel
    except ModuleNotFoundError as error:
        raise SettingError(cli_text("commands.no_figures", package=error.name)) from None
    if not arguments.output:
        raise SettingError(cli_text("commands.no_folder"))
    results, mapping = results_from_options(arguments)
    analysis = _analyse_or_list_choices(results, settings_from_options(arguments))
    order = order_with_costs(analysis, arguments.cost)
    _check_files_can_be_read_again(arguments.files)
    script = reproduce.to_script(analysis, arguments.files, mapping=mapping)
    panel = StylePanel(
        width_in=arguments.width,
        serif=not arguments.sans,
        points=arguments.points,
        colour=arguments.colour,
        title=False,
    )
    specs = registry.drawings(analysis, order=order, results=results, by=arguments.by)
    shared = {"order": order, "script": script, "number_style": arguments.number_style}
    files = report_files.latex_files(analysis, panel, specs, pdf=not arguments.no_pdf, **shared)
    page = report_files.html_report(analysis, specs, **shared)
    files["report.html"] = page.encode()
    folder = Path(arguments.output)
    for name, content in files.items():
        with suppress(OSError):  # `write_file` reports a folder that cannot be made
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
        write_file(folder / name, content, "-o")
    return "\n".join(str(folder / name) for name in sorted(files))


def order_with_costs(analysis: Comparison, cost: str) -> Order | None:
    """Return the order by a cost of the analysed results; None without a cost or with fewer than two algorithms."""
    results = analysis.results
    if len(results.algorithms) < 2 or not cost:
        return None
    test = analysis.settings.test if len(results.datasets) < 2 else ""
    settings = replace(analysis.settings, test="" if test == TUKEY else test, margin=None)
    return order_of(results, settings, OrderRules(cost=cost))


def run_order(arguments: argparse.Namespace) -> str:
    """Return the order, or the orders by group, in the requested format."""
    rules = _order_rules_from_options(arguments)
    results, _ = results_from_options(arguments)
    results.select(algorithms=arguments.prior)  # raises if a name does not exist
    settings = replace(settings_from_options(arguments), prior=())
    if arguments.by:
        groups = varied_verdicts.by_group(results, settings, arguments.by, rules=rules)
        if groups.orders:
            return _compare_by_tag(groups, arguments.format, orders_first=True)
    order = order_of(results, settings, rules)
    match arguments.format:
        case "json":
            return order_as_json(order)
        case "csv":
            return _as_csv(order.table().set_index("place"))
        case "latex":
            by = "our own order" if order.rules.prior else order_text.describe_costs(order.rules)
            caption = cli_text("commands.order_caption", by=by, measure=order.measure)
            return latex_table.table_to_latex(replace(order_tables.places(order), caption=caption))
    sentences = name_as_options(
        order_text.order_verdict(order, conclusion_scope.pairwise_comparison(order)).sentences,
        arguments.flags,
    )
    sections = (sentences, format_columns(order_tables.places(order)), _method(order))
    return "\n\n".join(section for section in sections if section)


def _order_rules_from_options(arguments: argparse.Namespace) -> OrderRules:
    """Return the rules of the order given by the options; raise SettingError if they contradict each other."""
    weights = tuple(_weighted(text) for text in arguments.cost)
    names = [name for name, _ in weights]
    if twice := [name for name in dict.fromkeys(names) if names.count(name) > 1]:
        raise SettingError(cli_text("commands.cost_twice", names=twice))
    if names and arguments.prior:
        raise SettingError(cli_text("commands.cost_and_prior"))
    single = weights[0][0] if len(weights) == 1 else ""
    return OrderRules(
        cost=single,
        weights=weights if len(weights) > 1 else (),
        prior=tuple(arguments.prior),
        family=arguments.family,
        undivided=arguments.undivided,
        theta=arguments.risk_theta,
        scale=arguments.cost_scale,
        post_hoc=arguments.post_hoc,
    )


def order_as_json(order: Order) -> str:
    """Return an order as JSON: verdict, decisions, edges, steps, and the order on each data set."""
    pairs = conclusion_scope.pairwise_comparison(order)
    words, ordering, second = order_text.order_verdict(order, pairs), order.ordering, order.second
    return json.dumps(
        to_plain(
            {
                "format": 1,
                "order": list(ordering.order),
                "cost": order.rules.cost_label,
                "better_than_first": order_text.better_than_first(order, pairs),
                "prior": list(ordering.prior),
                "decisions": [list(decision) for decision in ordering.decisions],
                "edges": [list(edge) for edge in ordering.edges],
                "steps": [
                    {"place": s.place, "chosen": s.chosen, "candidates": list(s.candidates)}
                    for s in ordering.steps
                ],
                "ties": [list(tie) for tie in order.ties],
                "verdict": {
                    "headline": words.headline,
                    "detail": words.detail,
                    "notes": words.notes,
                },
                "method": _method(order),
                "friedman": None if second is None else second.friedman.pvalue,
                "places": {
                    n: list(order_on_dataset.ordering.order)
                    for n, order_on_dataset in order.each.items()
                },
                "skipped": order.skipped,
            }
        ),
        indent=2,
    )


def _method(order: Order) -> str:
    """Return a description of the ordering procedure, "" for a single algorithm."""
    return order_text.describe_order_method(order) if len(order.ordering.order) > 1 else ""


def _weighted(text: str) -> tuple[str, float]:
    """Return name and weight of "name=weight"; the whole text with weight 1 if no number follows an equals sign."""
    name, sign, weight = text.rpartition("=")
    try:
        return (name, float(weight)) if sign else (text, 1.0)
    except ValueError:
        return text, 1.0


def run_simulation(arguments: argparse.Namespace) -> str:
    """Write the figures of a simulation, and return its result in the requested format."""
    question, options = arguments.command, _options(arguments)
    if arguments.format == "script":
        _check_files_can_be_read_again(arguments.files)
    results, mapping = results_from_options(arguments)
    settings = replace(settings_from_options(arguments), pair=())
    with ExitStack() as stack:
        executor = stack.enter_context(
            simulation.choose_workers(arguments.workers, scheduler=arguments.scheduler)
        )
        execution: dict[str, Any] = {"executor": executor, "progress": _print_progress}
        if arguments.keep:
            execution["kept"] = lambda key: ChunkFolder(Path(arguments.keep), key)
        of_items: dict[str, Any] = {
            name: options[name] for name in ("pair", "difference", "power") if name in options
        }
        result: Any = (
            item_planning.items_of(results, settings, **of_items) if question == "plan" else None
        )
        function: Callable = item_planning.items_of if result else QUESTIONS[question]
        result = result or QUESTIONS[question](results, settings, **options, **execution)
    _write_figures(result, arguments)
    match arguments.format:
        case "csv":
            return _as_csv(result.frame)
        case "json":
            facts = to_plain(result) | {"said": to_plain(power_text.describe_simulation(result))}
            return dump_json({"format": 1, "question": question, **facts}, 2)
        case "script":
            return reproduce.simulation_script(
                results,
                function,
                settings,
                of_items if function is item_planning.items_of else options,
                text=power_text.describe_simulation(result).text,
                files=arguments.files,
                mapping=mapping,
            )
    return "\n\n".join(
        [
            power_text.describe_simulation(result).text,
            *map(_table_as_text, power_text.lab_tables(result)),
        ]
    )


def _options(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return the keyword arguments of the simulation; raise SettingError for an invalid bias.

    For the command `power`, also stores the chosen procedures in `arguments`.
    """
    names = ["seed", "draws", "pair"]
    if arguments.command == "power":
        names += ["n_sets", "procedures"]
        arguments.procedures = tuple(arguments.procedure)
    if arguments.command == "plan":
        names += [
            "more_sets",
            "more_repetitions",
            "more_folds",
            "looks",
            "spending",
            "cost",
            "difference",
            "power",
        ]
    options = {name: getattr(arguments, name) for name in names}
    options = {
        name: tuple(x) if isinstance(x, list) else x
        for name, x in options.items()
        if x not in (None, [], ())
    }
    if arguments.command == "power":
        if not 0 < arguments.most_bias < float("inf"):
            raise SettingError(cli_text("commands.most_bias", most=arguments.most_bias))
        options["biases"] = tuple(arguments.most_bias * step / 20 for step in range(21))
    return options


def _print_progress(progress: Progress) -> None:
    """Print the progress if standard error is a terminal."""
    if sys.stderr.isatty():
        text = cli_text(
            "commands.progress", done=progress.done, total=progress.total, left=progress.left
        )
        print(
            text, end="\n" if progress.done == progress.total else "", file=sys.stderr, flush=True
        )


def _write_figures(result: Any, arguments: argparse.Namespace) -> None:
    """Write the requested figures to files; the name of each additional figure is appended to the file name.

    Raises SettingError for an unsupported file extension or a file that cannot be written.
    """
    if not arguments.figure:
        return
    from foldwise.figures import simulation_figures
    from foldwise.rendering import figure_files

    panel = figure_files.StylePanel(width_in=arguments.width, colour=arguments.colour)
    for path in map(Path, arguments.figure):
        if path.suffix not in figure_files.FORMAT_OF:
            raise SettingError(
                cli_text("commands.figure_format", endings=figure_files.FORMAT_OF, path=path)
            )
        for number, drawing in enumerate(simulation_figures.lab_drawings(result)):
            target = path.with_stem(f"{path.stem}_{drawing.name}") if number else path
            write_file(
                target,
                figure_files.figure_file(drawing, panel, figure_files.FORMAT_OF[path.suffix]),
                "--figure",
            )


_GATE_ENDINGS = {".md": "markdown", ".xml": "junit", ".json": "json"}


def run_gate(arguments: argparse.Namespace) -> str:
    """Return the result of a gate in the requested format, and write it to files; set the exit code.

    Raises SettingError for several files, an unsupported file extension or a file that cannot be
    written.
    """
    if len(arguments.files) > 1:
        raise SettingError(cli_text("commands.gate_files", n=len(arguments.files)))
    if wrong := [path for path in arguments.write if Path(path).suffix not in _GATE_ENDINGS]:
        raise SettingError(cli_text("commands.gate_file", path=wrong[0]))
    result = gate.decide_gate(
        *results_of_gate(arguments), arguments.fail_if, arguments.on_undecided
    )
    is_open = result.decision == gate.UNDECIDED and result.on_undecided == "warn"
    unpassed = GATE_UNDECIDED if is_open else GATE_FAILED
    arguments.exit_code = GATE_PASSED if result.passed else unpassed
    for path in map(Path, arguments.write):
        write_file(
            path, f"{gate.GATE_FORMATS[_GATE_ENDINGS[path.suffix]](result)}\n".encode(), "--write"
        )
    return gate.GATE_FORMATS[arguments.format](result)


# name of the command -> function that returns its output
def run_workspaces(arguments: argparse.Namespace) -> str:
    """Return the state of the workspaces, after deleting the expired ones if requested."""
    limits = store.limits()
    if limits.path is None:
        return cli_text("commands.workspaces_off")
    workspaces = Store(limits)
    try:
        n_deleted = workspaces.delete_expired(at_once=True) if arguments.action else 0
        workspaces.check()
        n, size, n_expired = workspaces.summary()
    except store.WorkspaceSaveError as error:
        raise SettingError(error.cause) from None
    values = {
        "n": n,
        "mb": size / store.MEGABYTE,
        "n_expired": n_expired,
        "days": limits.days,
        "n_deleted": n_deleted,
    }
    return cli_text(
        "commands.workspaces", path=limits.path, cleaned=bool(arguments.action), **values
    )


RUN: dict[str, Callable[[argparse.Namespace], str]] = {
    "analyse": run_analyse,
    "order": run_order,
    **dict.fromkeys(QUESTIONS, run_simulation),
    "report": run_report,
    "gate": run_gate,
}
