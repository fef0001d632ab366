"""Tables of how an order by results and cost came about, and of what would change it."""

from collections.abc import Collection, Sequence

import pandas as pd
import plotly.graph_objects as go

from foldwise.figure_specs.figure_spec import (
    MOST_NAMES,
    Colours,
    FigureSpec,
    cached_figure,
    colors_of,
)
from foldwise.figure_specs.rank_figures import how_cd
from foldwise.figures import cd_diagram as cd
from foldwise.figures.axis_parts import enable_zoom
from foldwise.figures.order_paths import alt_order_paths, caption_order_paths, order_paths
from foldwise.figures.ordering_graph import (
    alt_ordering_graph,
    caption_ordering_graph,
    ordering_graph,
)
from foldwise.figures.rank_map import alt_rank_map, caption_rank_map, rank_map
from foldwise.figures.theme import Style
from stats_core.comparison.order_text import describe_rule
from stats_core.comparison.tables.table import (
    ResultTable,
    four_digits,
    name_index,
    with_row_numbers,
    write_p,
    write_scores,
)
from stats_core.core.formatting import (
    capitalize_first,
    format_count,
    format_number,
    p_phrase,
    score_digits,
)
from stats_core.data.costs import COST_SCALES
from stats_core.inference.multiplicity.corrections import CORRECTIONS
from stats_core.ordering.order import Order
from stats_core.ordering.order_changes import OrderChanges
from stats_core.ordering.order_sensitivity import OrderPaths


def prior_order_table(order: Order) -> ResultTable:
    """Return result and cost of every algorithm in the prior order."""
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
    """Return which pairs differ as 0 and 1, or the p-values that say so."""
    names = list(order.ordering.prior)
    shown = order.adjusted if as_p else order.differs.astype(int)
    alpha = order.settings.alpha
    return ResultTable(
        name="order_matrix",
        title="Which pairs differ (two-sided)",
        frame=name_index(shown.loc[names, names], "algorithm"),
        formats=dict.fromkeys(names, write_p(alpha)) if as_p else {},
        caption="Adjusted p of the two-sided tests."
        if as_p
        else "1 where two algorithms differ significantly (two-sided test), else 0.",
    )


def order_steps_table(order: Order) -> ResultTable:
    """Return every step of the sort."""
    found = order.ordering.steps
    return ResultTable(
        name="order_steps",
        title="Steps of the sort",
        frame=pd.DataFrame(
            {
                "taken": [step.chosen for step in found],
                "why": [step.told(typed=bool(order.rules.prior)) for step in found],
            },
            index=pd.Index([step.place for step in found], name="step"),
        ),
        caption=f"Topological sort. {describe_rule(order)}",
    )


def edge_table(order: Order) -> ResultTable:
    """Return every pair in which the costlier algorithm is better; it can be empty."""
    return ResultTable(
        name="order_edges",
        title="Arrows",
        frame=with_row_numbers(arrows_table(order)),
        formats={"p adjusted": write_p(order.settings.alpha)},
        caption="Pairs in which the more expensive algorithm is significantly better.",
        heads=("cheaper", "better"),
    )


def cost_scale_table(paths: OrderPaths) -> ResultTable:
    """Return the order by each way to make costs of data sets comparable."""
    ways = paths.places.index
    same = paths.same
    said = (
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
        caption=f"The final order by each way to average costs over data sets. {said}",
    )


def order_changes_table(found: OrderChanges) -> ResultTable:
    """Return whether the order on each data set holds by another measure, and who moves."""
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


MOST_LABELS = 8  # arrows that carry their p-value

HOW_GRAPH = (
    "The algorithms are arranged by cost, cheapest left. An arrow leads from a cheaper algorithm to a "
    "more expensive one that is significantly better. At each step, the cheapest algorithm without an "
    "arrow to a remaining one is taken. The filled circle is taken now, from those in light blue. "
    "Grey circles were taken before. Where there is no arrow, the cost decides."
)
HOW_PLACES = (
    "Each row is a data set. Each cell is the rank of an algorithm in the cost-aware order found "
    "there; the {best} cells are rank 1. Where a column changes, the order depends on the data set. A "
    "cost-aware rank counts cost and result together, so rank 1 is not always the best result."
)
HOW_RANKS = (
    "Each row is a data set, each cell the rank of an algorithm there, 1 is best; the {best} cells are "
    "best. Look for columns that change. With one number per data set nothing can be tested there, "
    "so these ranks contain neither cost nor chance."
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
    """Return the graph of the algorithms that are better than cheaper ones."""
    found, cost = order.ordering, order.rules.cost_label
    at = found.steps[step] if step is not None and step < len(found.steps) else None
    groups = [group for group in order.groups if 1 < len(group) < len(found.prior)]
    hover, labels = arrow_words(order)
    nodes = node_words(order)
    drawn = {"cost": cost, "prior": found.prior, "edges": found.edges, "groups": groups}

    def build(style: Style) -> go.Figure:
        walking = at is not None and not style.printed
        return ordering_graph(
            found.prior,
            found.edges,
            style=style,
            taken=found.order[:step] if walking else found.order,
            candidates=at.candidates if walking else (),
            chosen=at.chosen if walking else None,
            groups=groups,
            selected=selected if style.selects else None,
            hover=hover,
            node_hover=nodes,
            labels=labels if len(found.edges) <= MOST_LABELS else None,
        )

    return FigureSpec(
        name=f"ordering_{order.settings.measure}",
        title="Order" if order.rules.prior else f"Cost-aware order by {cost}",
        how_to_read=HOW_GRAPH,
        alt=alt_ordering_graph(found.prior, found.edges, found.order, cost=cost),
        data=arrows_table(order),
        build=build,
        caption=lambda style: caption_ordering_graph(
            **drawn, focus=(selected or (at.chosen if at else None)) if style.selects else None
        ),
    )


@cached_figure
def bars_drawing(order: Order) -> FigureSpec | None:
    """Return the average places with groups not separated; None on one data set."""
    if order.second is None:
        return None
    ranks = order.second.average_ranks
    groups = [group for group in order.groups if len(group) > 1]
    over = format_count(len(order.second.positions), "data set")
    measure = "cost-aware ranks" if order.each else order.settings.measure
    what = "cost-aware rank" if order.each else "rank"
    about = {
        "what": what,
        "tests": f"{order_test_name(order)}, \u03b1 = {order.settings.alpha:g}",
    }
    return FigureSpec(
        name=f"order_ranks_{order.settings.measure}",
        title=f"Average {what}s over data sets",
        how_to_read=how_cd(what, slides=False),
        alt=cd.alt(ranks, groups, measure=measure, over=over, what=what),
        data=ranks.rename(score_name(order)).rename_axis("algorithm").sort_values().to_frame(),
        build=lambda style: cd.cd_diagram(
            ranks, groups, style=style, pvalues=order.second.adjusted
        ),
        caption=lambda style: cd.caption(ranks, groups, style=style, **about),
    )


@cached_figure
def places_drawing(order: Order, *, dark: bool = False) -> FigureSpec | None:
    """Return the map of places on each data set; None on one data set."""
    if order.second is None:
        return None
    ranked = order.second.friedman.ranks
    ranks = ranked[list(order.scores.index)[:MOST_NAMES]].rank(axis=1)  # among those drawn
    how = HOW_PLACES if order.each else HOW_RANKS
    what = "cost-aware rank" if order.each else "rank"
    return FigureSpec(
        name=f"order_places_{order.settings.measure}",
        title=f"{capitalize_first(what)}s on each data set",
        how_to_read=how.format(best="light" if dark else "dark"),
        alt=alt_rank_map(ranks, what=what),
        data=ranks.rename_axis("data set"),
        build=lambda style: rank_map(ranks, ranks, style=style),
        caption=lambda style: caption_rank_map(
            ranks,
            style=style,
            total=ranked.shape[1],
            what=what,
        ),
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
    """Return the places of algorithms as something varies; None where it takes one value only."""
    if len(paths.places) < 2:
        return None
    if options.get("marked") not in (None, *paths.places.index):
        options["marked"] = None  # the cost in use gives no order
    given = {"colours": colours, "highlight": highlight, **options}
    said = {"name": name, "title": title, "what": paths.what, "said": paths.text}
    of_level = paths.noun == "alpha"
    drawing = cached_figure(_places_drawing, at_every_level=not of_level)
    return drawing(order, paths.places, **said, **given)


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
    """Return the drawing of places by value and algorithm; but by level, most levels give the same."""
    places = _drawn(every, order.results.algorithms)

    def build(style: Style) -> go.Figure:
        given = colors_of(colours, order.results.algorithms, highlight, style)
        return order_paths(places, style=style, x_title=what, colours=given, **options)

    return FigureSpec(
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
    """Return the final places by one measure beside those by another."""
    places = _drawn(changes.places, order.results.algorithms)

    def build(style: Style) -> go.Figure:
        given = colors_of(colours, order.results.algorithms, (), style)
        return order_paths(places, style=style, x_title="order by", colours=given)

    return FigureSpec(
        name="order_changes",
        title=f"Final order by {changes.first} and by {changes.second}",
        how_to_read=HOW_CHANGES,
        alt=alt_order_paths(places, x_title="order by"),
        data=changes.places.rename_axis("order by"),
        build=build,
    )


def _drawn(places: pd.DataFrame, algorithms: Sequence[str]) -> pd.DataFrame:
    """Return the places among those drawn, in one order, so that each keeps its symbol."""
    best = set(places.iloc[0].sort_values().index[:MOST_NAMES])
    return places[[name for name in algorithms if name in best]].rank(axis=1).astype(int)


def arrows_table(order: Order) -> pd.DataFrame:
    """Return one row per arrow: cheaper, better, the test and its adjusted p."""
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
    """Name the test that draws the arrows."""
    if order.second is not None:
        return f"{CORRECTIONS[order.second.post_hoc]} on average ranks"
    found = next(iter(order.each.values())).evidence
    sided = "" if order.rules.family in ("shaffer", "bergmann_hommel") else ", one-sided"
    return f"{found.name}{sided}"


def arrow_words(order: Order) -> tuple[dict[tuple[str, str], str], dict[tuple[str, str], str]]:
    """Return what hover says about arrows, and their short labels."""
    alpha, what, digits = order.settings.alpha, score_name(order), _digits(order)
    hover, labels = {}, {}
    for cheaper, better in order.ordering.edges:
        p = p_phrase(order.pvalue(cheaper, better), alpha)
        hover[cheaper, better] = (
            f"{order_test_name(order)}, adjusted {p}\n{what} "
            f"{format_number(order.scores[better], digits)} against {format_number(order.scores[cheaper], digits)}"
        )
        labels[cheaper, better] = p
    return hover, labels


def node_words(order: Order) -> dict[str, str]:
    """Return what hover says about algorithms: what they achieved, and their cost."""
    what, digits = score_name(order), _digits(order)
    texts = {name: f"{what} {format_number(value, digits)}" for name, value in order.scores.items()}
    if order.average_cost is not None:
        for name, value in order.average_cost.items():
            texts[name] += f"\n{cost_name(order)} {value:.4g}"
    return texts


def score_name(order: Order) -> str:
    """Name what each algorithm achieved."""
    if order.second is None:
        return f"mean {order.settings.measure if order.rules.theta is None else 'risk'}"
    return "average cost-aware rank" if order.each else "average rank"


def cost_name(order: Order) -> str:
    """Name the cost behind the prior order."""
    return order.rules.cost_label if order.second is None else f"average {order.rules.cost_label}"


def _digits(order: Order) -> int:
    """Return the decimals of scores."""
    return 2 if order.second is not None else score_digits(order.scores.to_frame())
