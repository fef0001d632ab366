"""The ordering graph of MultiTest: arrows from cheaper to better algorithms, with ranks below."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from foldwise.figures import graph_traces, text, theme, traces
from foldwise.figures.cd_layout import NARROWEST, GroupBar, drawn_groups, skips
from foldwise.figures.graph_traces import Arc, Edge, GraphLayout, NodeStyle
from foldwise.figures.label_placement import (
    Candidates,
    PlacementBoard,
    Plane,
    add_annotations,
    annotation_at,
    pack_rows,
    points_along,
    text_size,
)
from foldwise.figures.spec import FigureSpec, cached_figure
from foldwise.figures.theme import Style
from stats_core.comparison.kinds.published_summaries import PublishedDecisions
from stats_core.core.errors import SettingError
from stats_core.core.formatting import format_number, p_phrase, score_digits
from stats_core.ordering.order import Order
from stats_core.report.tables.order_tables import arrows_table, cost_name, order_test_name, score_name

MOST_LABELS = 8  # largest number of arrows labelled with p-values
#: With more algorithms only the arrows of one of them are drawn.
MOST_EDGES = 20
#: Underlines that need more rows are left out.
MOST_ROWS = 16
#: Candidate positions of a label along its arc, as shares of its length; the top first.
_LABEL_SPOTS = np.array((0.5, 0.45, 0.55, 0.4, 0.6, 0.35, 0.65, 0.3, 0.7))
#: With more arrows labels are left out: few would fit, and a single one would mislead.
_MOST_LABELLED = 40
#: Colours of arrows that are not emphasised, on a light and on a dark page.
_PALE = {False: "#CDD2D9", True: "#434B59"}


@dataclass(frozen=True, slots=True, kw_only=True)
class _State:
    """State of the sorting procedure at one step; every name is one of `prior`."""

    prior: tuple[str, ...]
    taken: tuple[str, ...]
    candidates: frozenset[str]
    chosen: str | None
    selected: str | None
    usual: str  # the default focus

    @property
    def placed(self) -> tuple[str, ...]:
        """The algorithms that have a rank, in order."""
        return self.taken if self.chosen is None else (*self.taken, self.chosen)

    @property
    def final(self) -> bool:
        """Whether all algorithms have been taken, so that none is emphasised or greyed out."""
        return self.chosen is None and len(self.taken) == len(self.prior)

    @property
    def focus(self) -> str | None:
        """The algorithm whose arrows are shown; None if all arrows are drawn alike."""
        if self.selected is not None or len(self.prior) <= MOST_EDGES:
            return self.selected
        return self.chosen if self.chosen is not None else self.usual

    def stands_back(self, edge: Edge) -> bool:
        """Return whether an arrow is drawn in light grey."""
        if self.selected is not None:
            return self.selected not in edge
        return not self.final and not set(edge).isdisjoint(self.taken)


HOW_GRAPH = (
    "The algorithms are arranged by cost, cheapest left. An arrow leads from a cheaper algorithm to a "
    "more expensive one that is significantly better. At each step, the cheapest algorithm without an "
    "arrow to a remaining one is taken. The filled circle is taken now, from those in light blue. "
    "Grey circles were taken before. Where there is no arrow, the cost decides."
)
HOW_DECISIONS = (
    "The algorithms are arranged in the prior order, cheapest left. An arrow leads from an algorithm to "
    "a later one that is better by the given decisions. Numbers are ranks in the cost-aware order. "
    "A long arrow shows a more expensive algorithm that is worth its cost."
)


@dataclass(frozen=True, kw_only=True, eq=False)
class OrderingGraph(FigureSpec):
    """Which more expensive algorithms beat cheaper ones, and the resulting order.

    Arrows carry ``[cheaper, better]`` as customdata, nodes their name, underlines the list of their
    members.

    Attributes
    ----------
    prior : sequence of str
        Algorithms from cheapest to most expensive, drawn from left to right.
    edges : collection of (cheaper, better)
        Pairs whose more expensive algorithm is significantly better.
    order : sequence of str
        The resulting order.
    taken : sequence of str
        Algorithms that have a rank, in order. With all of them and nothing chosen, the graph is
        drawn in its final state: no node and no arrow is greyed out.
    candidates : collection of str
        Remaining algorithms without an arrow to another remaining one.
    chosen : str, optional
        The candidate taken in this step; it has the next rank.
    places : bool
        Whether ranks are written below the nodes.
    groups : sequence of collections of str
        Maximal groups of algorithms that no test separates, as underlines.
    selected : str, optional
        The algorithm whose arrows are emphasised. With more than 20 algorithms only its arrows are
        drawn; without one those of `chosen`, else those of the one with most arrows.
    hover : mapping of (cheaper, better) to str, optional
        Additional hover text of an arrow, plain, with line breaks between lines.
    node_hover : mapping of str to str, optional
        Additional hover text of a node, likewise.
    labels : mapping of (cheaper, better) to str, optional
        Short texts on the arrows, such as the name of the test. Those that would touch another
        label or another arrow are left out, and all among more than 40 arrows.
    ends : tuple of str
        Meaning of the left and the right end of the row of nodes.
    cost, cost_in_print : str
        What the prior order is by.

    Raises
    ------
    SettingError
        A name is missing or repeated in `prior`, an arrow does not lead from a cheaper to a more
        expensive algorithm, or the chosen algorithm or a candidate has been taken before.

    References
    ----------
    Ulas, Yildiz, Alpaydin 2012, Cost-conscious comparison of supervised learning algorithms
    over multiple data sets. Pattern Recognition 45, section 3.1, Fig. 1 and 2.
    """

    prior: Sequence[str]
    edges: Collection[Edge]
    order: Sequence[str] = ()
    taken: Sequence[str] = ()
    candidates: Collection[str] = ()
    chosen: str | None = None
    places: bool = True
    groups: Sequence[Collection[str]] = ()
    selected: str | None = None
    hover: Mapping[Edge, str] | None = None
    node_hover: Mapping[str, str] | None = None
    labels: Mapping[Edge, str] | None = None
    ends: tuple[str, str] = ("cheapest", "most expensive")
    cost: str = ""
    cost_in_print: str = ""
    data: pd.DataFrame = field(default_factory=pd.DataFrame)
    how_to_read: str = HOW_GRAPH

    def figure(self, style: Style) -> go.Figure:
        """Return the Plotly figure as shown; print has the final state."""
        selected = self.selected if style.selects else None
        final = {"taken": self.order, "candidates": (), "chosen": None} if style.printed else {}
        return replace(self, selected=selected, **final).draw(style)

    def draw(self, style: Style) -> go.Figure:
        """Return the Plotly figure in the given state."""
        names, pairs = check_graph(self.prior, self.edges)
        state = _checked_state(names, pairs, self.taken, self.candidates, self.chosen, self.selected)
        shown = pairs
        if len(names) > MOST_EDGES:
            shown = [edge for edge in pairs if state.focus in edge]
        grey = [edge for edge in shown if state.stands_back(edge)]
        emphasised = [edge for edge in shown if not state.stands_back(edge)]
        # All arrows determine the height, so that it stays the same from step to step.
        layout = graph_traces.lay_out(names, shown if state.final else pairs, style)
        numbers = {}
        if self.places:
            numbers = {name: f"{rank}." for rank, name in enumerate(state.placed, 1)}
        layout, bars, y = make_room(layout, self.groups, self.places, style)
        priority = [*(n for e in emphasised for n in e), *state.placed[-1:]]
        squeeze = 1.0 if style.printed else min(NARROWEST / style.width, 1.0)
        thinned = without_crowded(layout, [*priority, state.focus] if state.focus else priority, squeeze)
        fig = graph_traces.empty_graph_figure(style, layout)
        arcs = graph_traces.route_edges(layout, [*grey, *emphasised], style)
        wider = 1 if state.selected is None else 1.4
        pale = style.hairline if style.printed else _PALE[style.dark]
        graph_traces.draw_arcs(fig, arcs[: len(grey)], layout, name="others", colour=pale)
        graph_traces.draw_arcs(fig, arcs[len(grey) :], layout, name="better", colour=style.ink, wider=wider)
        graph_traces.draw_targets(fig, arcs, {edge: _said(edge, self.hover) for edge in shown})
        node_styles = {name: _look(name, state, style) for name in names}
        node_texts = {name: _standing(name, state, pairs, self.node_hover) for name in names}
        graph_traces.draw_nodes(fig, thinned, node_styles, node_texts, style)
        _mark_focus(fig, state, layout)
        _write_places(fig, numbers, thinned, y, style)
        graph_traces.draw_underlines(fig, bars, style)
        labels = {(str(a), str(b)): text.plain_text(it) for (a, b), it in (self.labels or {}).items()}
        labels = {edge: labels[edge] for edge in emphasised if labels.get(edge)}
        _write_labels(fig, arcs, layout, labels, style)
        if len(names) > 1:
            graph_traces.draw_ends(fig, layout, self.ends, style)
        return fig

    @property
    def alt(self) -> str:
        """The alternative text, at most 300 characters."""
        names, pairs = check_graph(self.prior, self.edges)
        by = f" by {text.truncate_text(text.plain_text(self.cost), 60)}" if self.cost else ""
        count = len(names) * (len(names) - 1) // 2
        plural = "" if len(names) == 1 else "s"
        head = f"Ordering graph of {len(names)} algorithm{plural}, cheapest{by} first. "
        head += f"In {len(pairs)} of {count} pairs the more expensive algorithm is better. Cost-aware order: "
        ranked = [f"{rank} {text.truncate_text(text.plain_text(name), 60)}" for rank, name in enumerate(self.order, 1)]
        lists = (text.join_escaped(ranked, most) for most in range(len(ranked), 0, -1))
        return next((f"{head}{part}." for part in lists if len(head + part) < 300), text.truncate_text(head))

    def caption(self, style: Style) -> str:
        """Return the caption: ranks, arrows and underlines that are drawn."""
        names, pairs = check_graph(self.prior, self.edges)
        cost = self.cost_in_print if style.printed and self.cost_in_print else self.cost
        sentences = f"Algorithms by {text.plain_text(cost)}, cheapest left."
        if not pairs:
            sentences += (
                " No algorithm is ranked before a cheaper one, so there is no arrow. Numbers are ranks in the "
                "cost-aware order: the cheapest is taken first."
            )
        else:
            sentences += (
                " An arrow leads from a cheaper to a more expensive algorithm that is significantly "
                "better. Numbers are ranks in the cost-aware order: the cheapest algorithm without an "
                "arrow to a remaining one is taken next."
            )
        if pairs and len(names) > MOST_EDGES:
            chosen = (self.selected or self.chosen) if style.selects else None
            focus = _most_arrows(names, pairs) if chosen is None else str(chosen)
            drawn = sum(focus in edge for edge in pairs)
            sentences += (
                f" Of {len(pairs):,} arrows only the {drawn} at {text.plain_text(focus)}, which is marked, are drawn."
            )
        return sentences + _on_underlines(names, self.groups)


def ordering_graph(prior: Sequence[str], edges: Collection[Edge], *, style: Style, **options: Any) -> go.Figure:
    """Draw the graph of an order by cost; options are the attributes of `OrderingGraph`."""
    return OrderingGraph(prior=prior, edges=edges, **options).draw(style)


@cached_figure
def graph_of_order(order: Order, *, step: int | None = None, selected: str | None = None) -> OrderingGraph:
    """Return the graph of algorithms that are better than cheaper ones, at a step of the sort."""
    ordering, cost = order.ordering, order.rules.cost_label
    walking = step is not None and step < len(ordering.steps)
    current_step = ordering.steps[step] if walking else None
    hover, labels = _describe_arrows(order)
    return OrderingGraph(
        name=f"ordering_{order.settings.measure}",
        title="Order" if order.rules.prior else f"Cost-aware order by {cost}",
        prior=ordering.prior,
        edges=ordering.edges,
        order=ordering.order,
        taken=ordering.order[:step] if walking else ordering.order,
        candidates=current_step.candidates if current_step else (),
        chosen=current_step.chosen if current_step else None,
        groups=[group for group in order.groups if 1 < len(group) < len(ordering.prior)],
        selected=selected,
        hover=hover,
        node_hover=_describe_nodes(order),
        labels=labels if len(ordering.edges) <= MOST_LABELS else None,
        cost=cost,
        data=arrows_table(order),
    )


@cached_figure
def graph_of_ordered_decisions(analysis: PublishedDecisions) -> OrderingGraph | None:
    """Return the graph of MultiTest on decisions; None if they have no direction."""
    ordering, own = analysis.ordering, bool(analysis.settings.prior)
    if ordering is None:
        return None
    details = analysis.details()[["first", "second", "separated"]]
    return OrderingGraph(
        name="order_by_decisions",
        title="Order by the decisions given",
        how_to_read=HOW_DECISIONS,
        prior=ordering.prior,
        edges=ordering.edges,
        order=ordering.order,
        taken=ordering.order,
        groups=[group for group in analysis.groups if 1 < len(group) < len(ordering.prior)],
        cost="your order" if own else "the order of the table",
        cost_in_print="our order" if own else "",
        data=details.set_index(["first", "second"]),
    )


def _describe_arrows(order: Order) -> tuple[dict[tuple[str, str], str], dict[tuple[str, str], str]]:
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


def _describe_nodes(order: Order) -> dict[str, str]:
    """Return the hover text of each algorithm: score and cost."""
    score_label, digits = score_name(order), _digits(order)
    texts = {name: f"{score_label} {format_number(value, digits)}" for name, value in order.scores.items()}
    if order.average_cost is not None:
        for name, value in order.average_cost.items():
            texts[name] += f"\n{cost_name(order)} {value:.4g}"
    return texts


def _digits(order: Order) -> int:
    """Return the number of decimals of scores."""
    return 2 if order.second is not None else score_digits(order.scores.to_frame())


def check_graph(prior: Sequence[str], edges: Collection[Edge]) -> tuple[list[str], list[Edge]]:
    """Return names and edges as text, the edges in the order of the nodes."""
    names = [str(name) for name in prior]
    repeated = [name for name in names if names.count(name) > 1]
    if repeated or not names:
        problem = f"{repeated[0]!r} stands there twice" if repeated else "It is empty"
        raise SettingError(
            f"`prior` must name every algorithm once. {problem}. Pass the algorithms from cheapest to costliest."
        )
    position = {name: i for i, name in enumerate(names)}
    pairs = list(dict.fromkeys((str(a), str(b)) for a, b in edges))
    for a, b in pairs:
        if position.get(a, len(names)) >= position.get(b, -1):
            raise SettingError(
                "An edge must lead from a cheaper to a costlier algorithm of `prior`. "
                f"({a!r}, {b!r}) arrived. Pass (cheaper, better) pairs only."
            )
    return names, sorted(pairs, key=lambda edge: (position[edge[0]], position[edge[1]]))


def _most_arrows(names: Sequence[str], edges: Sequence[Edge]) -> str:
    """Return the algorithm with the most arrows, the cheapest of several."""
    count = Counter(name for edge in edges for name in edge)
    return max(names, key=lambda name: count[name])


def _checked_state(
    names: list[str],
    edges: Sequence[Edge],
    taken: Sequence[str],
    candidates: Collection[str],
    chosen: str | None,
    selected: str | None,
) -> _State:
    state = _State(
        prior=tuple(names),
        taken=tuple(str(name) for name in taken),
        candidates=frozenset(str(name) for name in candidates),
        chosen=None if chosen is None else str(chosen),
        selected=None if selected is None else str(selected),
        usual=_most_arrows(names, edges),
    )
    options = (("chosen", state.chosen), ("selected", state.selected))
    settings = [(option, name) for option, name in options if name is not None]
    settings += [("taken", name) for name in state.taken]
    settings += [("candidates", name) for name in sorted(state.candidates)]
    for option, name in settings:
        if name not in names:
            raise SettingError(
                f"`{option}` must hold algorithms of `prior`. {name!r} arrived. Pass one of "
                f"{text.join_escaped(names, 5)}."
            )
    repeated = [name for name in (*sorted(state.candidates), state.chosen) if name in state.taken]
    repeated += [name for name in state.taken if state.taken.count(name) > 1]
    if repeated:
        raise SettingError(
            f"An algorithm must be taken once. {repeated[0]!r} has a place already. Pass in `taken` "
            "each algorithm of an earlier step once, and the others as candidates."
        )
    return state


def make_room(
    layout: GraphLayout, groups: Sequence[Collection[str]], places: bool, style: Style
) -> tuple[GraphLayout, list[GroupBar], float]:
    """Return the layout with room below the nodes, the underlines, and the y of the ranks."""
    y = layout.foot
    if places:
        label_height = _widest_place(layout, style) if rank_labels_upright(layout, style) else 1.2 * layout.size
        y -= style.px(3, 2) + label_height
    rank_y = y + (layout.foot - style.px(3, 2) - y) / 2 if places else y
    members = [[str(name) for name in group] for group in groups]
    fits = underlines_fit(layout.names, members)
    bars = graph_traces.underlines(layout, members, style, y - style.px(8, 5)) if fits else []
    if bars:
        y = min(start[1] for bar in bars for start, _ in bar.solid) - style.px(4, 3)
    ends = 1.4 * style.tick_size if len(layout.names) > 1 else 0
    return replace(layout, foot=y, below=ends + style.px(6, 4) - y), bars, rank_y


def underlines_fit(names: Sequence[str], groups: Sequence[Sequence[str]]) -> bool:
    """Return whether underlines need few enough rows to be told apart."""
    ends = [(float(g[0]), float(g[-1])) for g in drawn_groups(list(names), groups)]
    return max(pack_rows(ends, 2.0), default=0) < MOST_ROWS


def _widest_place(layout: GraphLayout, style: Style) -> float:
    return text.text_width(f"{len(layout.names)}.", layout.size, style.serif)


def rank_labels_upright(layout: GraphLayout, style: Style) -> bool:
    """Return whether ranks are rotated because they would touch their neighbours."""
    step = layout.width / max(len(layout.names), 1)
    return layout.upright or _widest_place(layout, style) + 3 > step


def without_crowded(layout: GraphLayout, first: Sequence[str], squeeze: float = 1.0) -> GraphLayout:
    """Blank rotated names that would overlap; those of `first` are blanked last.

    `squeeze` is the width on the narrowest page as a share of the figure's full width.
    """
    if not layout.upright:
        return layout
    occupied: list[float] = []
    shown = dict.fromkeys(layout.names, "")
    for name in dict.fromkeys([*reversed(first), *layout.names]):
        if all(squeeze * abs(layout.x[name] - x) >= 0.9 * layout.size for x in occupied):
            occupied.append(layout.x[name])
            shown[name] = layout.shown[name]
    return replace(layout, shown=shown)


def _look(name: str, state: _State, style: Style) -> NodeStyle:
    # With many algorithms the nodes are too small for a visible outline.
    if name == state.chosen or (len(state.prior) > MOST_EDGES and name == state.focus):
        fill = theme.PALETTE_DARK[0] if style.dark else theme.PALETTE[0]
        return NodeStyle(fill if style.colour else style.ink, style.ink, "#FFFFFF")
    if name in state.taken and not state.final:
        return NodeStyle(style.blank, style.leader, style.faint)
    return NodeStyle(style.tint if name in state.candidates else style.page, style.ink, style.ink)


def _mark_focus(fig: go.Figure, state: _State, layout: GraphLayout) -> None:
    """Draw a stronger outline around the node whose arrows are shown."""
    if state.focus is None or state.focus == state.chosen:
        return
    widths = [layout.line * (2.2 if name == state.focus else 1) for name in layout.names]
    fig.update_traces(marker_line_width=widths, selector={"name": "nodes"})


def _write_places(fig: go.Figure, numbers: Mapping[str, str], layout: GraphLayout, y: float, style: Style) -> None:
    """Write the rank below every algorithm that has one."""
    angle = -90 if rank_labels_upright(layout, style) else 0
    notes = [
        {
            "text": number,
            "name": f"place of {text.plain_text(name)}",
            "x": layout.x[name],
            "y": y,
            "xanchor": "center",
            "yanchor": "middle",
            "textangle": angle,
            "font": {"size": layout.size, "color": style.ink},
        }
        for name, number in numbers.items()
        if layout.shown[name]
    ]
    add_annotations(fig, notes)


def _write_labels(
    fig: go.Figure, arcs: Sequence[Arc], layout: GraphLayout, labels: Mapping[Edge, str], style: Style
) -> None:
    """Write labels on their arrows where there is room, near the top; the highest arrow first."""
    if len(arcs) > _MOST_LABELLED:
        return
    size = style.px(11, 9.33)
    plane = Plane(x=(0, layout.width), y=(0, layout.above), width=layout.width, height=layout.above)
    board = PlacementBoard(plane.width, plane.height, gap=size / 2, inset=(0, layout.radius, 0, 0))
    points = {arc.edge: arc.points for arc in arcs}
    board.draw({edge: points_along(path, 1.0) for edge, path in points.items()}, gap=1)
    notes = []
    for edge in sorted(points, key=lambda edge: -points[edge][:, 1].max()):
        if edge not in labels:
            continue
        spots = points[edge][np.round(_LABEL_SPOTS * (len(points[edge]) - 1)).astype(int)]
        box = text_size(labels[edge], style, size)
        label = board.put(Candidates.of(spots, (0, 0), box, range(len(spots))), edge)
        if label is not None:
            name = f"label {text.plain_text(edge[0])} to {text.plain_text(edge[1])}"
            font = {"size": size, "color": style.ink}
            options = {"name": name, "bgcolor": style.page, "font": font}
            notes.append(annotation_at(labels[edge], label, plane, style, **options))
    add_annotations(fig, notes)


def _said(edge: Edge, hover: Mapping[Edge, str] | None) -> str:
    cheaper, better = edge
    lines = [f"<b>{text.escape(cheaper)} to {text.escape(better)}</b>"]
    if hover is not None and edge in hover:
        lines += [text.escape(line) for line in hover[edge].split("\n")]
    return "<br>".join([*lines, traces.click_hint("pair")])


def _standing(name: str, state: _State, edges: Sequence[Edge], added: Mapping[str, str] | None) -> str:
    """Return the hover text of a node: its rank and its arrows."""
    lines = [f"<b>{text.escape(name)}</b>"]
    if name in state.placed:
        suffix = ", taken in this step" if name == state.chosen else ""
        lines[0] += f" rank {state.placed.index(name) + 1} in the cost-aware order{suffix}"
    elif name in state.candidates:
        lines[0] += " nothing left is better"
    if added is not None and name in added:
        lines += [text.escape(line) for line in added[name].split("\n")]
    above = [text.escape(b) for a, b in edges if a == name]
    below = [text.escape(a) for a, b in edges if b == name]
    lines += [f"more expensive and better: {text.join_escaped(above, 6)}"] if above else []
    lines += [f"better than the cheaper {text.join_escaped(below, 6)}"] if below else []
    return "<br>".join([*lines, traces.click_hint("algorithm")])


def _on_underlines(names: Sequence[str], groups: Sequence[Collection[str]]) -> str:
    """Return the sentence on underlines with a leading blank, or "" without underlines."""
    members = [[str(name) for name in group] for group in groups]
    drawn = drawn_groups(list(names), members)
    if not drawn:
        return ""
    if not underlines_fit(names, members):
        return " The groups without a significant difference are too many to be underlined."
    sentence = " Algorithms underlined together do not differ significantly"
    if skips(drawn):
        return f"{sentence} (dotted: skips algorithms outside the group)."
    return f"{sentence}."
