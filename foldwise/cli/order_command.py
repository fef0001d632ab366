"""The command `foldwise order`: orders algorithms by cost and significant differences."""

import argparse
import json
from dataclasses import replace

from foldwise.cli.analyse_command import compare_by_tag, format_columns
from foldwise.cli.options import (
    INPUT,
    REPEATED,
    SELECTION,
    TESTS,
    add_command,
    list_choices,
    name_as_options,
    output_options,
    pick,
    results_from_options,
    settings_from_options,
    underscored,
)
from stats_core.comparison.conclusion_scope import pairs_beside
from stats_core.core.errors import SettingError
from stats_core.core.formatting import join_names
from stats_core.core.serialize import to_plain
from stats_core.data.costs import COST_SCALES
from stats_core.inference.fold_tests import PAIR_TESTS
from stats_core.inference.multiplicity.corrections import CORRECTIONS
from stats_core.ordering.one_sided_evidence import FAMILIES
from stats_core.ordering.order import Order, OrderRules, order_of
from stats_core.report.order_text import better_than_first, cost_said, describe_order_method, order_verdict
from stats_core.report.tables.order_tables import places
from stats_core.report.text_report import table_to_csv, table_to_latex
from stats_core.report.varied_verdicts import by_group

_EXAMPLES = """\
  foldwise order results.csv --cost train_s
  foldwise order results.csv --cost train_s=2 --cost size=1
  foldwise order results.csv --prior knn --prior tree --prior svm
  foldwise order results.csv --cost train_s --by domain"""
_ORDER = {
    "--cost": REPEATED
    | {
        "metavar": "NAME[=WEIGHT]",
        "help": "cost that orders algorithms without a significant difference (default: the first "
        "cost); repeat it to combine weighted costs",
    },
    "--prior": REPEATED
    | {"metavar": "NAME", "help": "your own order instead of a cost: repeat it for each algorithm, cheapest first"},
    "--cost-scale": {
        "default": "largest",
        "help": f"scale on which costs are averaged: {list_choices(COST_SCALES)} (default: largest)",
    },
}
_TESTS = {
    "--test": {"default": "", "help": f"one-sided test on a data set: {list_choices(PAIR_TESTS)}"},
    "--family": {
        "default": "holm",
        "type": underscored,
        "help": f"adjustment on a data set: {list_choices(FAMILIES)} (default: holm)",
    },
    "--undivided": {"action": "store_true", "help": "do not halve the p-value of the 5x2 cv F test"},
    "--risk-threshold": {
        "dest": "risk_theta",
        "type": float,
        "metavar": "THETA",
        "help": "compare the risk at this threshold",
    },
    "--post-hoc": {
        "default": "bergmann_hommel",
        "type": underscored,
        "help": f"adjustment over data sets: {list_choices(CORRECTIONS)}",
    },
}
_SELECTED = ("--measure", "--dataset", "--without-algorithm", "--without-dataset", "--only", "--by")


def add_order(subparsers) -> None:
    """Add the command that orders algorithms by error and cost."""
    add_command(
        subparsers,
        "order",
        {
            "Input": INPUT,
            "Order": _ORDER,
            "Selection": pick(SELECTION, *_SELECTED),
            "Tests": pick(TESTS, "--alpha", "--test-fraction") | _TESTS,
            "Output": output_options("text", "json", "latex", "csv"),
        },
        run_order,
        description="Order algorithms by cost, unless a more expensive algorithm is significantly "
        "better. One data set: MultiTest. Several: Multi2Test.",
        examples=_EXAMPLES,
        listed=(*("--direction", "--cost", "--prior", "--measure", "--dataset", "--alpha"), *("--format", "--output")),
    )


def run_order(arguments: argparse.Namespace) -> str:
    """Return the order in the requested format."""
    rules = order_rules_from_options(arguments)
    results, _ = results_from_options(arguments)
    results.select(algorithms=arguments.prior)  # raises if a name does not exist
    settings = replace(settings_from_options(arguments), prior=())
    if arguments.by:
        groups = by_group(results, settings, arguments.by, rules=rules)
        if groups.orders:
            return compare_by_tag(groups, arguments.format, orders_first=True)
    order = order_of(results, settings, rules)
    table = order.table()
    match arguments.format:
        case "json":
            return as_json(order)
        case "csv":
            return table_to_csv(table.set_index("place")).removesuffix("\n")
        case "latex":
            return as_latex(order)
    sentences = name_as_options(order_verdict(order, pairs_beside(order)).sentences, arguments.flags)
    columns = format_columns(places(order))
    return "\n\n".join(section for section in (sentences, columns, _method(order)) if section)


def as_latex(order: Order) -> str:
    """Return the ranks as LaTeX."""
    by = "our own order" if order.rules.prior else cost_said(order.rules)
    caption = f"Ordered by {by}, unless {order.measure} differs significantly."
    return table_to_latex(replace(places(order), caption=caption))


def order_rules_from_options(arguments: argparse.Namespace) -> OrderRules:
    """Return the rules of the order given by the options."""
    weights = tuple(_weighted(text) for text in arguments.cost)
    names = [name for name, _ in weights]
    if twice := [name for name in dict.fromkeys(names) if names.count(name) > 1]:
        raise SettingError(f"--cost names {join_names(twice)} more than once. Name each cost once.")
    if names and arguments.prior:
        raise SettingError("--cost and --prior cannot be combined. Remove one of them.")
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


def as_json(order: Order) -> str:
    """Return the order, its edges and steps, and the ranks on each data set as JSON."""
    pairs = pairs_beside(order)
    words, ordering, second = order_verdict(order, pairs), order.ordering, order.second
    return json.dumps(
        to_plain(
            {
                "format": 1,
                "order": list(ordering.order),
                "cost": order.rules.cost_label,
                "better_than_first": better_than_first(order, pairs),
                "prior": list(ordering.prior),
                "decisions": [list(decision) for decision in ordering.decisions],
                "edges": [list(edge) for edge in ordering.edges],
                "steps": [
                    {"place": s.place, "chosen": s.chosen, "candidates": list(s.candidates)} for s in ordering.steps
                ],
                "ties": [list(tie) for tie in order.ties],
                "verdict": {"headline": words.headline, "detail": words.detail, "notes": words.notes},
                "method": _method(order),
                "friedman": None if second is None else second.friedman.pvalue,
                "places": {n: list(order_on_dataset.ordering.order) for n, order_on_dataset in order.each.items()},
                "skipped": order.skipped,
            }
        ),
        indent=2,
    )


def _method(order: Order) -> str:
    """Return a description of the procedure, "" with a single algorithm."""
    return describe_order_method(order) if len(order.ordering.order) > 1 else ""


def _weighted(text: str) -> tuple[str, float]:
    """Split "name=weight"; a name alone has weight 1."""
    name, sign, weight = text.rpartition("=")
    try:
        return (name, float(weight)) if sign else (text, 1.0)
    except ValueError:
        return text, 1.0
