"""Figures and tables of cost-aware orders: graph, ranks, steps, sensitivity."""

from collections.abc import Collection, Sequence

import pandas as pd
import plotly.graph_objects as go

from foldwise.figures.axis_parts import enable_zoom
from foldwise.figures.cd_diagram import CDDiagram
from foldwise.figures.order_paths import alt_order_paths, caption_order_paths, order_paths
from foldwise.figures.ordering_graph import (
    alt_ordering_graph,
    caption_ordering_graph,
    ordering_graph,
)
from foldwise.figures.spec import (
    MOST_NAMES,
    BuiltSpec,
    Colours,
    FigureSpec,
    cached_figure,
    colors_of,
)
from foldwise.figures.theme import Style
from stats_core.core.formatting import format_count, format_number, p_phrase, score_digits
from stats_core.data.costs import COST_SCALES
from stats_core.inference.multiplicity.corrections import CORRECTIONS
from stats_core.ordering.order import Order
from stats_core.ordering.order_changes import OrderChanges
from stats_core.ordering.order_sensitivity import OrderPaths
from stats_core.report.order_text import describe_rule
from stats_core.report.tables.table import (
    ResultTable,
    four_digits,
    name_index,
    with_row_numbers,
    write_p,
    write_scores,
)


def prior_order_table(order: Order) -> ResultTable:
    """Return a table of results and costs in the prior order."""
    prior, score, cost = list(order.ordering.prior), score_name(order), cost_name(order)
    table = pd.DataFrame({score: order.scores[prior]}, index=pd.Index(prior, name="algorithm"))
    write = format_number if order.second is not None else write_scores(table)
    if order.average_cost is not None:
        table[cost] = order.average_cost[prior]
    table["rank in the order"] = order.ordering.places[prior]
    return ResultTable(
        name="order_ranks_table",
        title="Ranks and costs, cheapest first",
        frame=table,
        formats={score: write, cost: four_digits},
        caption=f"Algorithms by {order.rules.cost_label}, cheapest first. The last column is the rank in "
        "the cost-aware order.",
    )


def edge_matrix_table(order: Order, *, as_p: bool) -> ResultTable:
    """Return a matrix of differing pairs as 0 and 1, or of p-values."""
    names = list(order.ordering.prior)
    matrix = order.adjusted if as_p else order.differs.astype(int)
    alpha = order.settings.alpha
    return ResultTable(
        name="order_matrix",
        title="Which pairs differ (two-sided)",
        frame=name_index(matrix.loc[names, names], "algorithm"),
        formats=dict.fromkeys(names, write_p(alpha)) if as_p else {},
        caption="Adjusted p of the two-sided tests."
        if as_p
        else "1 where two algorithms differ significantly (two-sided test), else 0.",
    )


def order_steps_table(order: Order) -> ResultTable:
    """Return a table of the steps of the topological sort."""
    steps = order.ordering.steps
    return ResultTable(
        name="order_steps",
        title="Steps of the sort",
        frame=pd.DataFrame(
            {
                "taken": [step.chosen for step in steps],
                "why": [step.told(typed=bool(order.rules.prior)) for step in steps],
            },
            index=pd.Index([step.place for step in steps], name="step"),
        ),
        caption=f"Topological sort. {describe_rule(order)}",
    )


def edge_table(order: Order) -> ResultTable:
    """Return a table of the pairs in which the costlier algorithm is better, maybe empty."""
    return ResultTable(
        name="order_edges",
        title="Arrows",
        frame=with_row_numbers(arrows_table(order)),
        formats={"p adjusted": write_p(order.settings.alpha)},
        caption="Pairs in which the more expensive algorithm is significantly better.",
        heads=("cheaper", "better"),
    )


def cost_scale_table(paths: OrderPaths) -> ResultTable:
    """Return a table of the orders by each way of scaling costs over data sets."""
    ways = paths.places.index
    same = paths.same
    sentence = (
        "All ways give the same order."
        if same
        else "They do not all give the same order, so a paper must say which it took."
    )
    return ResultTable(
        name="order_scales",
        title="Costs made comparable in other ways",
        frame=pd.DataFrame(
            {
                "order": [", ".join(names) for names in paths.sequences],
                "costs are": [COST_SCALES[name] for name in ways],
            },
            index=pd.Index(ways, name="way"),
        ),
        caption=f"The final order by each way to average costs over data sets. {sentence}",
    )


def order_changes_table(found: OrderChanges) -> ResultTable:
    """Return a table of the changes of order on each data set by another measure."""
    frame = found.table.sort_values(["same", "largest"], ascending=[True, False])
    frame["same"] = ["yes" if same else "no" for same in frame["same"]]
    frame = frame.rename(
        columns={
            "same": "same order",
            "correlation": "rank correlation",
            "largest": "largest move",
            "moved": "big moves",
        }
    )
    return ResultTable(
        name="order_changes_table",
        title="Data set by data set",
        frame=name_index(frame, "data set"),
        formats={"rank correlation": format_number, "largest move": "{:.0f}".format},
        caption="Whether the order on a data set holds, and who moves half the places or more.",
    )


MOST_LABELS = 8  # largest number of arrows labelled with p-values

HOW_GRAPH = (
    "The algorithms are arranged by cost, cheapest left. An arrow leads from a cheaper algorithm to a "
    "more expensive one that is significantly better. At each step, the cheapest algorithm without an "
    "arrow to a remaining one is taken. The filled circle is taken now, from those in light blue. "
    "Grey circles were taken before. Where there is no arrow, the cost decides."
)
HOW_PATHS = (
    "Each line is an algorithm. Its height is its rank in the cost-aware order, 1 on top. The order "
    "changes where lines cross. Crossings far from the marked value do not change your conclusion."
)
HOW_CHANGES = (
    "Each line is an algorithm: its rank in the cost-aware order by one measure on the left, by the "
    "other on the right, 1 on top. The rank of an algorithm with a steep line is not reliable."
)


@cached_figure
def graph_drawing(
    order: Order, *, step: int | None = None, selected: str | None = None
) -> FigureSpec:
    """Return the graph of algorithms that are better than cheaper ones."""
    ordering, cost = order.ordering, order.rules.cost_label
    current_step = ordering.steps[step] if step is not None and step < len(ordering.steps) else None
    groups = [group for group in order.groups if 1 < len(group) < len(ordering.prior)]
    hover, labels = arrow_words(order)
    nodes = node_words(order)
    caption_options = {
        "cost": cost,
        "prior": ordering.prior,
        "edges": ordering.edges,
        "groups": groups,
    }

    def build(style: Style) -> go.Figure:
        walking = current_step is not None and not style.printed
        return ordering_graph(
            ordering.prior,
            ordering.edges,
            style=style,
            taken=ordering.order[:step] if walking else ordering.order,
            candidates=current_step.candidates if walking else (),
            chosen=current_step.chosen if walking else None,
            groups=groups,
            selected=selected if style.selects else None,
            hover=hover,
            node_hover=nodes,
            labels=labels if len(ordering.edges) <= MOST_LABELS else None,
        )

    return BuiltSpec(
        name=f"ordering_{order.settings.measure}",
        title="Order" if order.rules.prior else f"Cost-aware order by {cost}",
        how_to_read=HOW_GRAPH,
        alt=alt_ordering_graph(ordering.prior, ordering.edges, ordering.order, cost=cost),
        data=arrows_table(order),
        build=build,
        caption=lambda style: caption_ordering_graph(
            **caption_options,
            focus=(selected or (current_step.chosen if current_step else None))
            if style.selects
            else None,
        ),
    )


@cached_figure
def bars_drawing(order: Order) -> CDDiagram | None:
    """Return the diagram of average ranks with groups; None on one data set."""
    if order.second is None:
        return None
    ranks = order.second.average_ranks
    groups = [group for group in order.groups if len(group) > 1]
    over = format_count(len(order.second.positions), "data set")
    measure = "cost-aware ranks" if order.each else order.settings.measure
    rank_name = "cost-aware rank" if order.each else "rank"
    return CDDiagram(
        name=f"order_ranks_{order.settings.measure}",
        title=f"Average {rank_name}s over data sets",
        average_ranks=ranks,
        groups=groups,
        pvalues=order.second.adjusted,
        what=rank_name,
        measure=measure,
        over=over,
        tests=f"{order_test_name(order)}, \u03b1 = {order.settings.alpha:g}",
        rank_label=score_name(order),
    )


def paths_drawing(
    order: Order,
    paths: OrderPaths,
    *,
    name: str,
    title: str,
    colours: Colours = None,
    highlight: Collection[str] = (),
    **options,
) -> FigureSpec | None:
    """Return the ranks of algorithms over a varied setting; None with a single value."""
    if len(paths.places) < 2:
        return None
    if options.get("marked") not in (None, *paths.places.index):
        options["marked"] = None  # the current cost has no order to mark
    style_options = {"colours": colours, "highlight": highlight, **options}
    texts = {"name": name, "title": title, "what": paths.what, "said": paths.text}
    of_level = paths.noun == "alpha"
    drawing = cached_figure(_places_drawing, at_every_level=not of_level)
    return drawing(order, paths.places, **texts, **style_options)


def _places_drawing(
    order: Order,
    every: pd.DataFrame,
    *,
    name: str,
    title: str,
    what: str,
    said: str,
    colours: Colours,
    highlight: Collection[str],
    **options,
) -> FigureSpec:
    """Return the figure of ranks by value of the setting and algorithm."""
    places = _drawn(every, order.results.algorithms)

    def build(style: Style) -> go.Figure:
        palette = colors_of(colours, order.results.algorithms, highlight, style)
        return order_paths(places, style=style, x_title=what, colours=palette, **options)

    return BuiltSpec(
        name=name,
        title=title,
        how_to_read=HOW_PATHS,
        alt=alt_order_paths(places, x_title=what),
        data=every,
        build=enable_zoom(build, "x"),
        caption=lambda _: f"{said} {caption_order_paths(x_title=what)}",
    )


@cached_figure
def changes_drawing(order: Order, changes: OrderChanges, *, colours: Colours = None) -> FigureSpec:
    """Return the figure of final ranks by one measure and by another."""
    places = _drawn(changes.places, order.results.algorithms)

    def build(style: Style) -> go.Figure:
        palette = colors_of(colours, order.results.algorithms, (), style)
        return order_paths(places, style=style, x_title="order by", colours=palette)

    return BuiltSpec(
        name="order_changes",
        title=f"Final order by {changes.first} and by {changes.second}",
        how_to_read=HOW_CHANGES,
        alt=alt_order_paths(places, x_title="order by"),
        data=changes.places.rename_axis("order by"),
        build=build,
    )


def _drawn(places: pd.DataFrame, algorithms: Sequence[str]) -> pd.DataFrame:
    """Return the ranks among the best algorithms, in fixed order to keep their symbols."""
    best = set(places.iloc[0].sort_values().index[:MOST_NAMES])
    return places[[name for name in algorithms if name in best]].rank(axis=1).astype(int)


def arrows_table(order: Order) -> pd.DataFrame:
    """Return one row per arrow: cheaper, better, test and adjusted p-value."""
    rows = [
        {
            "cheaper": cheaper,
            "better": better,
            "test": order_test_name(order),
            "p adjusted": order.pvalue(cheaper, better),
        }
        for cheaper, better in order.ordering.edges
    ]
    return pd.DataFrame(rows, columns=["cheaper", "better", "test", "p adjusted"])


def order_test_name(order: Order) -> str:
    """Return the name of the test behind the arrows."""
    if order.second is not None:
        return f"{CORRECTIONS[order.second.post_hoc]} on average ranks"
    evidence = next(iter(order.each.values())).evidence
    sided = "" if order.rules.family in ("shaffer", "bergmann_hommel") else ", one-sided"
    return f"{evidence.name}{sided}"


def arrow_words(order: Order) -> tuple[dict[tuple[str, str], str], dict[tuple[str, str], str]]:
    """Return the hover texts and the short labels of arrows."""
    alpha, score_label, digits = order.settings.alpha, score_name(order), _digits(order)
    hover, labels = {}, {}
    for cheaper, better in order.ordering.edges:
        p = p_phrase(order.pvalue(cheaper, better), alpha)
        hover[cheaper, better] = (
            f"{order_test_name(order)}, adjusted {p}\n{score_label} "
            f"{format_number(order.scores[better], digits)} against {format_number(order.scores[cheaper], digits)}"
        )
        labels[cheaper, better] = p
    return hover, labels


def node_words(order: Order) -> dict[str, str]:
    """Return the hover text of each algorithm: score and cost."""
    score_label, digits = score_name(order), _digits(order)
    texts = {
        name: f"{score_label} {format_number(value, digits)}"
        for name, value in order.scores.items()
    }
    if order.average_cost is not None:
        for name, value in order.average_cost.items():
            texts[name] += f"\n{cost_name(order)} {value:.4g}"
    return texts


def score_name(order: Order) -> str:
    """Return the name of the score of each algorithm."""
    if order.second is None:
        return f"mean {order.settings.measure if order.rules.theta is None else 'risk'}"
    return "average cost-aware rank" if order.each else "average rank"


def cost_name(order: Order) -> str:
    """Return the name of the cost behind the prior order."""
    return order.rules.cost_label if order.second is None else f"average {order.rules.cost_label}"


def _digits(order: Order) -> int:
    """Return the number of decimals of scores."""
    return 2 if order.second is not None else score_digits(order.scores.to_frame())
