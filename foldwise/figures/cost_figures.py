"""The figure of algorithms in the plane of cost and result."""

from foldwise.figures.axis_parts import enable_zoom
from foldwise.figures.cost_plane import alt_cost_plane, cost_plane
from foldwise.figures.order_figures import cost_name
from foldwise.figures.spec import BuiltSpec, FigureSpec, cached_figure
from stats_core.comparison.conclusion_scope import may_cite
from stats_core.comparison.result import Comparison
from stats_core.ordering.order import Order
from stats_core.robustness.cost_tradeoff import BEATEN, BEHIND, UNDOMINATED
from stats_core.robustness.cost_tradeoff import cost_plane as find

MARKS = {UNDOMINATED: "circle", BEHIND: "circle-open", BEATEN: "x-thin-open"}
HOW = (
    "Each mark is an algorithm: to the right it costs more, up its value is larger. The dotted line joins "
    "the filled marks, which no other beats in cost and result at once; choose among these by what you "
    "can pay. A hollow mark lies behind a cheaper one, but no test separates the two: it may be as good."
)


@cached_figure
def plane_drawing(comparison: Comparison, order: Order) -> FigureSpec | None:
    """Return the figure of algorithms in the plane of cost and result.

    None if the order has no cost or another scope, if several measures are analysed together, or if
    results are missing.
    """
    costs = order.average_cost
    if costs is None or comparison.together or comparison.scores.isna().to_numpy().any():
        return None
    if not may_cite(order, comparison, naming=["population", "measures"]):
        return None  # costs and results would be of different data sets
    plane = find(comparison, costs, order.rules.cost_label)
    about = {"cost": cost_name(order), "value": plane.value}
    return BuiltSpec(
        name=f"cost_plane_{comparison.settings.measure}",
        title=f"{comparison.settings.measure} against {order.rules.cost_label}",
        how_to_read=HOW,
        alt=alt_cost_plane(plane.table, **about),
        data=plane.table,
        build=enable_zoom(
            lambda style: cost_plane(
                plane.table,
                **about,
                higher_is_better=plane.higher_is_better,
                marks=MARKS,
                style=style,
            )
        ),
        caption=lambda _: (
            f"{plane.text} Filled: undominated. Hollow: behind a cheaper one, not separated from it. "
            "Cross: a cheaper one is better by the test of the pair."
        ),
    )
