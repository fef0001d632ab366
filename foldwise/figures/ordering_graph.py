"""Graph of MultiTest: arrows from cheaper to significantly better algorithms, with ranks below.

Its layout, nodes in a row and arcs above them, serves other graphs as well.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from foldwise.figures import cd_layout, text, theme, traces
from foldwise.figures.cd_layout import GroupBar
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
from foldwise.figures.spec import FigureSpec, cached_figure, figure_text
from foldwise.figures.theme import LEAST_POINTS, PX_PER_POINT, Style
from stats_core.comparison.kinds.published_summaries import PublishedDecisions
from stats_core.core.errors import SettingError
from stats_core.core.formatting import format_number, p_phrase, score_digits
from stats_core.ordering.order import Order
from stats_core.report import order_text
from stats_core.report.tables import order_tables

Edge = tuple[str, str]  # from, to

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


@dataclass(frozen=True, kw_only=True, eq=False)
class OrderingGraph(FigureSpec):
    """Graph with an arrow from each algorithm to the more expensive ones that beat it, and the resulting order.

    The customdata of an arrow is ``[cheaper, better]``, that of a node its name, and that of an
    underline the list of its members.

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
        Maximal groups of algorithms without a significant difference, drawn as underlines.
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
        Criterion of the prior order, on the screen and in print.
    data : DataFrame, optional
        The table of numbers.
    how_to_read : str
        How to read the figure.

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
    how_to_read: str = figure_text("ordering_graph.how_to_read")

    def __post_init__(self) -> None:
        """Convert names to strings and validate the state."""
        for name in ("prior", "order", "taken", "candidates"):
            object.__setattr__(self, name, tuple(map(str, getattr(self, name))))
        for name in ("chosen", "selected"):
            value = getattr(self, name)
            object.__setattr__(self, name, None if value is None else str(value))
        object.__setattr__(self, "groups", [list(map(str, group)) for group in self.groups])
        object.__setattr__(self, "edges", _checked_edges(self.prior, self.edges))
        self._check_state()

    def _check_state(self) -> None:
        """Raise SettingError for unknown names and for algorithms placed twice."""
        settings = [(name, getattr(self, name)) for name in ("chosen", "selected") if getattr(self, name) is not None]
        settings += [("taken", name) for name in self.taken]
        settings += [("candidates", name) for name in sorted(self.candidates)]
        for option, name in settings:
            if name not in self.prior:
                names = text.join_escaped(self.prior, 5)
                raise SettingError(figure_text("ordering_graph.unknown_name", option=option, name=name, names=names))
        repeated = [name for name in (*sorted(self.candidates), self.chosen) if name in self.taken]
        repeated += [name for name in self.taken if self.taken.count(name) > 1]
        if repeated:
            raise SettingError(figure_text("ordering_graph.taken_twice", name=repeated[0]))

    @property
    def _placed(self) -> tuple[str, ...]:
        """Algorithms that already have a rank, in order."""
        return self.taken if self.chosen is None else (*self.taken, self.chosen)

    @property
    def _final(self) -> bool:
        """Whether all algorithms are placed."""
        return self.chosen is None and len(self.taken) == len(self.prior)

    @cached_property
    def _focus(self) -> str | None:
        """Algorithm whose arrows are emphasized; None if all arrows are alike.

        By default that with the most arrows, the cheapest of several.
        """
        if self.selected is not None or len(self.prior) <= MOST_EDGES:
            return self.selected
        count = Counter(name for edge in self.edges for name in edge)
        return max(self.prior, key=lambda name: count[name]) if self.chosen is None else self.chosen

    def _is_faded(self, edge: Edge) -> bool:
        """Return whether an arrow is drawn in light grey."""
        if self.selected is not None:
            return self.selected not in edge
        return not self._final and not set(edge).isdisjoint(self.taken)

    def figure(self, style: Style) -> go.Figure:
        """Return the Plotly figure; in print of the final state."""
        return self._shown(style).draw(style)

    def _shown(self, style: Style) -> OrderingGraph:
        final = {"taken": self.order, "candidates": (), "chosen": None} if style.printed else {}
        return replace(self, selected=self.selected if style.selects else None, **final)

    def draw(self, style: Style) -> go.Figure:
        """Return the Plotly figure of the current state."""
        focus, shown = self._focus, self.edges
        if len(self.prior) > MOST_EDGES:
            shown = [edge for edge in shown if focus in edge]
        faded = [edge for edge in shown if self._is_faded(edge)]
        emphasised = [edge for edge in shown if not self._is_faded(edge)]
        # All arrows determine the height, so that it stays the same from step to step.
        layout = GraphLayout(self.prior, shown if self._final else self.edges, style)
        bars, y = self._make_room(layout)
        first = [*(name for edge in emphasised for name in edge), *self._placed[-1:], *([focus] if focus else [])]
        thinned = _without_crowded(layout, first, 1.0 if style.printed else min(cd_layout.NARROWEST / style.width, 1.0))
        fig = layout.new_figure()
        pale, wider = style.hairline if style.printed else _PALE[style.dark], 1.0 if self.selected is None else 1.4
        kinds = (("others", faded, pale, 1.0), ("better", emphasised, style.ink, wider))
        arcs = layout.draw_edges(fig, kinds, {edge: self._edge_hover(edge) for edge in shown})
        node_styles = {name: self._node_style(name, style) for name in self.prior}
        thinned.draw_nodes(fig, node_styles, {name: self._node_hover(name) for name in self.prior})
        if focus is not None and focus != self.chosen:
            widths = [layout.line * (2.2 if name == focus else 1) for name in self.prior]
            fig.update_traces(marker_line_width=widths, selector={"name": "nodes"})
        if self.places:
            self._write_ranks(fig, thinned, y)
        draw_underlines(fig, bars, style)
        labels = {edge: text.plain_text(label) for edge, label in (self.labels or {}).items()}
        _write_labels(fig, arcs, layout, {edge: labels[edge] for edge in emphasised if labels.get(edge)})
        if len(self.prior) > 1:
            layout.draw_ends(fig, self.ends)
        return fig

    def _make_room(self, layout: GraphLayout) -> tuple[list[GroupBar], float]:
        """Add space below the nodes; return the underlines and the y of the ranks."""
        style, y = layout.style, layout.foot
        if self.places:
            label_height = _rank_width(layout) if _ranks_are_upright(layout) else 1.2 * layout.size
            y -= style.px(3, 2) + label_height
        rank_y = y + (layout.foot - style.px(3, 2) - y) / 2 if self.places else y
        bars = layout.underlines(self.groups, y - style.px(8, 5)) if self._underlines_fit else []
        if bars:
            y = min(start[1] for bar in bars for start, _ in bar.solid) - style.px(4, 3)
        ends = 1.4 * style.tick_size if len(layout.names) > 1 else 0
        layout.foot, layout.below = y, ends + style.px(6, 4) - y
        return bars, rank_y

    @property
    def _underlines_fit(self) -> bool:
        """Whether the underlines need few enough rows to be legible."""
        ends = [(float(group[0]), float(group[-1])) for group in cd_layout.drawn_groups(self.prior, self.groups)]
        return max(pack_rows(ends, 2.0), default=0) < MOST_ROWS

    def _node_style(self, name: str, style: Style) -> NodeStyle:
        # With many algorithms the nodes are too small for a visible outline.
        if name == self.chosen or (len(self.prior) > MOST_EDGES and name == self._focus):
            return selected_node(style)
        if name in self.taken and not self._final:
            return NodeStyle(style.blank, style.leader, style.faint)
        return NodeStyle(style.tint if name in self.candidates else style.page, style.ink, style.ink)

    def _write_ranks(self, fig: go.Figure, layout: GraphLayout, y: float) -> None:
        """Write the rank below each placed algorithm."""
        at = {"y": y, "xanchor": "center", "yanchor": "middle", "textangle": -90 if _ranks_are_upright(layout) else 0}
        at["font"] = {"size": layout.size, "color": layout.style.ink}
        ranks = [
            {"text": f"{rank}.", "name": f"place of {text.plain_text(name)}", "x": layout.x[name], **at}
            for rank, name in enumerate(self._placed, 1)
            if layout.shown[name]
        ]
        add_annotations(fig, ranks)

    def _edge_hover(self, edge: Edge) -> str:
        title = f"<b>{text.escape(edge[0])} to {text.escape(edge[1])}</b>"
        return hover_text([title], (self.hover or {}).get(edge), traces.click_hint("pair"))

    def _node_hover(self, name: str) -> str:
        """Return the hover text of a node."""
        title = f"<b>{text.escape(name)}</b>"
        if name in self._placed:
            title += figure_text(
                "ordering_graph.hover_taken" if name == self.chosen else "ordering_graph.hover_rank",
                rank=self._placed.index(name) + 1,
            )
        elif name in self.candidates:
            title += figure_text("ordering_graph.hover_candidate")
        added = (self.node_hover or {}).get(name)
        lines = [title] if added is None else [title, *map(text.escape, added.split("\n"))]
        heads = (figure_text("ordering_graph.hover_better"), figure_text("ordering_graph.hover_better_than"))
        lines += list_neighbours(name, self.edges, *heads)
        return hover_text(lines, None, traces.click_hint("algorithm"))

    @property
    def alt(self) -> str:
        """The alternative text, at most 300 characters."""
        k = len(self.prior)
        by = f" by {text.truncate_text(text.plain_text(self.cost), 60)}" if self.cost else ""
        head = figure_text("ordering_graph.alt", k=k, by=by, n=len(self.edges), pairs=k * (k - 1) // 2)
        ranked = [f"{rank} {text.truncate_text(text.plain_text(name), 60)}" for rank, name in enumerate(self.order, 1)]
        lists = (text.join_escaped(ranked, most) for most in range(len(ranked), 0, -1))
        return next((f"{head}{part}." for part in lists if len(head + part) < 300), text.truncate_text(head))

    def caption(self, style: Style) -> str:
        """Return the caption."""
        cost = self.cost_in_print if style.printed and self.cost_in_print else self.cost
        focus, drawn = "", 0
        if self.edges and len(self.prior) > MOST_EDGES:
            focus = (self if style.selects else replace(self, selected=None, chosen=None))._focus
            drawn = sum(focus in edge for edge in self.edges)
        groups = cd_layout.drawn_groups(self.prior, self.groups)
        return figure_text(
            "ordering_graph.caption",
            cost=text.plain_text(cost),
            arrows=len(self.edges),
            drawn=drawn,
            focus=text.plain_text(focus),
            groups=groups,
            fits=groups and self._underlines_fit,
            skips=cd_layout.skips(groups),
            tested=self.tested,
        )


@cached_figure
def graph_of_order(order: Order, *, step: int | None = None, selected: str | None = None) -> OrderingGraph:
    """Return the graph of a cost-aware order at a step of its sort."""
    ordering, cost = order.ordering, order_text.describe_costs(order.rules)
    walking = step is not None and step < len(ordering.steps)
    current_step = ordering.steps[step] if walking else None
    hover, labels = _describe_arrows(order)
    return OrderingGraph(
        name=f"ordering_{order.settings.measure}",
        title=figure_text("ordering_graph.title"),
        tested=f"{order_tables.order_test_name(order)}, \N{GREEK SMALL LETTER ALPHA} = {order.settings.alpha:g}",
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
        data=order_tables.arrows_table(order),
    )


@cached_figure
def graph_of_ordered_decisions(analysis: PublishedDecisions) -> OrderingGraph | None:
    """Return the MultiTest graph of published decisions; None if these have no direction."""
    ordering, own = analysis.ordering, bool(analysis.settings.prior)
    if ordering is None:
        return None
    details = analysis.details()[["first", "second", "separated"]]
    return OrderingGraph(
        name="order_by_decisions",
        title=figure_text("ordering_graph.title_of_decisions"),
        how_to_read=figure_text("ordering_graph.how_to_read_of_decisions"),
        prior=ordering.prior,
        edges=ordering.edges,
        order=ordering.order,
        taken=ordering.order,
        groups=[group for group in analysis.groups if 1 < len(group) < len(ordering.prior)],
        cost="your order" if own else figure_text("ordering_graph.table_order"),
        cost_in_print="our order" if own else "",
        data=details.set_index(["first", "second"]),
    )


def _describe_arrows(order: Order) -> tuple[dict[tuple[str, str], str], dict[tuple[str, str], str]]:
    """Return the hover text and the short label of each arrow."""
    alpha, score_label, digits = order.settings.alpha, order_tables.score_name(order), _digits(order)
    hover, labels = {}, {}
    for cheaper, better in order.ordering.edges:
        p = p_phrase(order.pvalue(cheaper, better), alpha)
        scores = {"better": format_number(order.scores[better], digits), "score": score_label}
        scores["cheaper"] = format_number(order.scores[cheaper], digits)
        test = order_tables.order_test_name(order)
        hover[cheaper, better] = figure_text("ordering_graph.hover_arrow", test=test, p=p, **scores)
        labels[cheaper, better] = p
    return hover, labels


def _describe_nodes(order: Order) -> dict[str, str]:
    """Return score and cost of each algorithm as hover text."""
    score_label, digits = order_tables.score_name(order), _digits(order)
    texts = {name: f"{score_label} {format_number(value, digits)}" for name, value in order.scores.items()}
    if order.average_cost is not None:
        for name, value in order.average_cost.items():
            texts[name] += f"\n{order_tables.cost_name(order)} {value:.4g}"
    return texts


def _digits(order: Order) -> int:
    """Return the number of decimals of the scores."""
    return 2 if order.second is not None else score_digits(order.scores.to_frame())


def _checked_edges(names: Sequence[str], edges: Collection[Edge]) -> list[Edge]:
    """Return edges in node order; raise SettingError for invalid ones."""
    repeated = [name for name in names if names.count(name) > 1]
    if repeated or not names:
        problem = f"{repeated[0]!r} is repeated" if repeated else "It is empty"
        raise SettingError(figure_text("ordering_graph.bad_prior", problem=problem))
    position = {name: i for i, name in enumerate(names)}
    pairs = list(dict.fromkeys((str(a), str(b)) for a, b in edges))
    for a, b in pairs:
        if position.get(a, len(names)) >= position.get(b, -1):
            raise SettingError(figure_text("ordering_graph.bad_edge", a=a, b=b))
    return sorted(pairs, key=lambda edge: (position[edge[0]], position[edge[1]]))


def _rank_width(layout: GraphLayout) -> float:
    return text.text_width(f"{len(layout.names)}.", layout.size, layout.style.serif)


def _ranks_are_upright(layout: GraphLayout) -> bool:
    """Return whether ranks must be rotated to avoid touching."""
    return layout.upright or _rank_width(layout) + 3 > layout.width / max(len(layout.names), 1)


def _without_crowded(layout: GraphLayout, first: Sequence[str], squeeze: float) -> GraphLayout:
    """Return the layout with overlapping rotated names blanked, those in `first` last.

    `squeeze` is the width on the narrowest page as a share of the figure's full width.
    """
    if not layout.upright:
        return layout
    shown = dict.fromkeys(layout.names, "")
    for name in dict.fromkeys([*reversed(first), *layout.names]):
        occupied = [layout.x[other] for other, label in shown.items() if label]
        if all(squeeze * abs(layout.x[name] - x) >= 0.9 * layout.size for x in occupied):
            shown[name] = layout.shown[name]
    thinned = copy(layout)
    thinned.shown = shown
    return thinned


def _write_labels(fig: go.Figure, arcs: Sequence[Arc], layout: GraphLayout, labels: Mapping[Edge, str]) -> None:
    """Write labels on arrows where they fit, highest arrow first."""
    if len(arcs) > _MOST_LABELLED:
        return
    style, size = layout.style, layout.style.px(11, 9.33)
    plane = Plane(x=(0, layout.width), y=(0, layout.above), width=layout.width, height=layout.above)
    board = PlacementBoard(plane.width, plane.height, clearance=size / 2, inset=(0, layout.radius, 0, 0))
    board.draw({arc.edge: points_along(arc.points, 1.0) for arc in arcs}, clearance=1)
    notes = []
    for arc in sorted(arcs, key=lambda arc: -arc.points[:, 1].max()):
        if arc.edge not in labels:
            continue
        words = labels[arc.edge]
        spots = arc.points[np.round(_LABEL_SPOTS * (len(arc.points) - 1)).astype(int)]
        candidates = Candidates.of(spots, (0, 0), text_size(words, style, size), range(len(spots)))
        if (label := board.put(candidates, arc.edge)) is not None:
            a, b = map(text.plain_text, arc.edge)
            options = {"name": f"label {a} to {b}", "bgcolor": style.page, "font": {"size": size, "color": style.ink}}
            notes.append(annotation_at(words, label, plane, style, **options))
    add_annotations(fig, notes)


_REFERENCE_WIDTH = 700  # px for which the layout is computed; screen figures stretch
_POINTS = 33  # points of an arc
_HEADS_APART = 0.25  # in arrowhead sizes: closer arrowheads are merged
_MANY, _THINNER = 40, 0.7  # with more arrows than this all are thinner
_STEEP, _FLAT = (math.radians(14), math.radians(62))  # angles at which arcs meet a node, from the vertical


@dataclass(frozen=True, slots=True)
class Arc:
    """Path of one edge between nodes."""

    edge: Edge  # from, to
    points: np.ndarray  # the last is the tip of the arrowhead
    angle: float  # direction at the tip in degrees clockwise from up
    controls: np.ndarray  # the two inner control points of the cubic Bezier curve


class GraphLayout:
    """Positions of nodes in a row and sizes in px; draws the elements of a graph."""

    def __init__(self, names: Sequence[str], edges: Collection[Edge], style: Style, *, notes: int = 0) -> None:
        self.style = style
        self.names = names = [str(name) for name in names]
        k = len(names)
        self.width = width = float(style.width if style.printed else min(style.width, _REFERENCE_WIDTH))
        pad, radius, size = style.px(10, 5), style.px(20, 12), style.tick_size
        pitch = (width - 2 * pad) / max(k, 1)
        widest = _widest([text.plain_text(name) for name in names], size, style)
        self.inside = widest <= 2 * radius - 4 and 2.3 * radius <= pitch  # whether nodes contain their names
        self.upright = not self.inside and widest > pitch - 6 and pitch < 5.5 * size
        if not self.inside:
            radius = min(style.px(8, 5), 0.36 * pitch)
        if self.upright:
            size = min(size, max(0.95 * pitch, 8))
        room = 0.22 * width if self.upright else max(pitch - 6, 2 * radius)
        lines = 1 if self.inside or self.upright else 3
        shown = text.shorten(names, room, size, serif=style.serif, lines=lines)
        if style.printed and not all(text.is_whole(shown[name], name) for name in names):
            size = min(size, max(0.8 * size, LEAST_POINTS * PX_PER_POINT))
            shown = text.shorten(names, room, size, serif=style.serif, lines=lines)
        self.shown, self.size, self.radius = shown, size, radius
        widest = _widest(list(shown.values()), size, style)
        name_height = text.row_height(shown.values(), size, 1.2 * size)
        name_room = 0 if self.inside else 4 + (widest if self.upright else name_height)
        start = pad + (max(radius, widest / 2) if not self.upright else radius)
        step = (width - 2 * start) / max(k - 1, 1)
        self.x = {name: start + i * step if k > 1 else width / 2 for i, name in enumerate(names)}
        span = max((abs(names.index(a) - names.index(b)) for a, b in edges), default=0)
        self.above = radius + (arc_height(span, style) if span else 0) + pad
        self.below = radius + name_room + pad + notes * 1.5 * style.tick_size
        self.foot = -radius - name_room  # y below the nodes and their names
        self.head = style.px(9, 5.5) * (1 if k <= 20 else 0.7)
        self.line = style.px(1.4, 0.7) * (1 if len(edges) <= _MANY else _THINNER)

    def new_figure(self) -> go.Figure:
        """Return an empty figure with space for names and arcs.

        On the screen the room for the outermost nodes is a margin, so it remains in a narrow window.
        """
        hidden = {"visible": False, "fixedrange": True}
        edge = 0 if self.style.printed else self.radius + self.line
        return theme.new_figure(
            self.style,
            self.above + self.below,
            margin={"l": edge, "r": edge, "t": 0, "b": 0},
            xaxis={"range": [edge, self.width - edge], **hidden},
            yaxis={"range": [-self.below, self.above], **hidden},
        )

    def draw_edges(
        self, fig: go.Figure, kinds: Iterable[tuple[str, Sequence[Edge], str, float]], hover_texts: Mapping[Edge, str]
    ) -> list[Arc]:
        """Draw arcs with arrowheads and hover targets; return the arcs.

        Each kind of edges has a name, its edges, a colour, and a width relative to the usual one.
        The customdata of a target is ``[from, to]``.
        """
        kinds = list(kinds)
        arcs = route_edges(self, [edge for _, edges, _, _ in kinds for edge in edges])
        remaining = iter(arcs)
        for name, edges, colour, wider in kinds:
            self._draw_arcs(fig, list(itertools.islice(remaining, len(edges))), name, colour, wider * self.line)
        targets = [(point, arc.edge) for arc in arcs for point in arc.points[3:-3:3].round(2).tolist()]
        edges = [edge for _, edge in targets]
        options = {"customdata": list(map(list, edges)), "meta": "pair"}
        traces.add_targets(
            fig, [point for point, _ in targets], "edges", [hover_texts[edge] for edge in edges], **options
        )
        return arcs

    def _draw_arcs(self, fig: go.Figure, arcs: Sequence[Arc], name: str, colour: str, width: float) -> None:
        if not arcs:
            return
        shafts = [_shaft(arc, 0.6 * self.head).round(2).tolist() for arc in arcs]
        traces.add_paths(fig, shafts, name, colour, width)
        tips = np.array([arc.points[-1] for arc in arcs])
        marker = {"symbol": "arrow", "angle": [arc.angle for arc in arcs], "size": self.head, "color": colour}
        fig.add_scatter(
            x=tips[:, 0],
            y=tips[:, 1],
            mode="markers",
            name=f"{name}: arrowheads",
            customdata=[list(arc.edge) for arc in arcs],
            marker={**marker, "opacity": 1, "line": {"width": 0}},
            hoverinfo="skip",
            cliponaxis=False,
        )

    def draw_nodes(self, fig: go.Figure, node_styles: Mapping[str, NodeStyle], hover_texts: Mapping[str, str]) -> None:
        """Draw the nodes with their names inside or below."""
        names = self.names
        traces.add_points(
            fig,
            [self.x[name] for name in names],
            [0.0] * len(names),
            "nodes",
            2 * self.radius,
            "circle",
            [node_styles[name].fill for name in names],
            edge=(self.line, [node_styles[name].line for name in names]),
            hover_text=[hover_texts[name] for name in names],
            customdata=list(names),
            meta="algorithm",
        )
        at = {"y": 0, "yanchor": "middle"} if self.inside else {"y": -self.radius - 4, "yanchor": "top"}
        at |= {"xanchor": "center", "textangle": -90 if self.upright else 0}
        inks = {name: node_styles[name].ink if self.inside else self.style.ink for name in names}
        labels = [
            {
                "text": text.shortened_markup(self.shown[name]),
                "x": self.x[name],
                "font": {"size": self.size, "color": inks[name]},
                **at,
            }
            for name in names
            if self.shown[name]
        ]
        add_annotations(fig, labels)

    def draw_ends(self, fig: go.Figure, ends: tuple[str, str]) -> None:
        """Write the meaning of the left and the right end below the first and the last node."""
        first, y = self.x[self.names[0]], self.foot - 0.3 * self.style.tick_size
        for side, (label, anchor) in enumerate(zip(ends, ("left", "right"), strict=True)):
            x, shift = (self.width - first, self.radius) if side else (first, -self.radius)
            at = {"anchor": f"{anchor}, top", "shift": (shift, None), "name": f"end {side}"}
            traces.add_text(fig, text.escape(label), x, y, self.style.tick_size, self.style.faint, **at)

    def underlines(self, groups: Iterable[Sequence[str]], top: float) -> list[GroupBar]:
        """Return an underline for each group of two or more algorithms."""
        indices = cd_layout.drawn_groups(self.names, groups)
        if not indices:
            return []
        x = [self.x[name] for name in self.names]
        half = min(cd_layout.COVERED * (x[1] - x[0]) / 2, x[0] - self.style.px(3, 2))
        return cd_layout.underlines(self.names, indices, x, half, top, -self.style.px(9, 6), self.style)[0]


def _widest(names: Sequence[str], size: float, style: Style) -> float:
    return max((text.text_width(name, size, style.serif) for name in names), default=0.0)


def arc_height(span: int, style: Style) -> float:
    """Return the height in px of an arc that spans `span` nodes."""
    return style.px(18 + 26 * math.sqrt(span), 11 + 15 * math.sqrt(span))


def route_edges(layout: GraphLayout, edges: Iterable[Edge]) -> list[Arc]:
    """Return an arc for each edge, fanned out where several meet at a node."""
    edges = list(edges)
    index_of = {name: i for i, name in enumerate(layout.names)}
    edges_by_side: dict[tuple[str, bool], list[tuple[int, Edge]]] = {}
    for a, b in edges:
        span = abs(index_of[a] - index_of[b])
        for end, other in ((a, b), (b, a)):
            edges_by_side.setdefault((end, index_of[other] > index_of[end]), []).append((-span, (a, b)))
    end_points: dict[tuple[str, Edge], tuple[float, float]] = {}
    bundles: list[list[Edge]] = []
    for (name, to_the_right), group in edges_by_side.items():
        fan = _fan(len(group))
        angles = {edge: angle for (_, edge), angle in zip(sorted(group), fan, strict=True)}
        incoming = [edge for edge in angles if edge[1] == name]
        if incoming and _cover_each_other(fan, layout):
            angles |= dict.fromkeys(incoming, np.mean([angles[edge] for edge in incoming]))
            bundles.append(incoming)
        for edge, angle in angles.items():
            side = math.sin(angle) * (1 if to_the_right else -1)
            end_points[name, edge] = (layout.x[name] + layout.radius * side, layout.radius * math.cos(angle))
    arcs = {}
    for a, b in edges:
        rise = arc_height(abs(index_of[a] - index_of[b]), layout.style)
        ends = end_points[a, (a, b)], end_points[b, (a, b)]
        arcs[a, b] = _arc((a, b), *ends, rise + layout.radius, layout.radius)
    for incoming in bundles:
        shared = float(np.mean([arcs[edge].angle % 360 for edge in incoming]))
        arcs |= {edge: replace(arcs[edge], angle=shared) for edge in incoming}
    return [arcs[edge] for edge in edges]


def _fan(n: int) -> np.ndarray:
    """Return the angles at which n arcs meet one side of a node, innermost first."""
    return np.array([math.radians(38)]) if n == 1 else np.linspace(_STEEP, _FLAT, n)


def _cover_each_other(fan: np.ndarray, layout: GraphLayout) -> bool:
    """Return whether arrowheads at these angles overlap by more than half."""
    distances = layout.radius * np.diff(np.sin(fan))
    return len(fan) > 1 and bool(distances.min() < _HEADS_APART * layout.head)


def _arc(edge: Edge, start: tuple[float, float], end: tuple[float, float], top: float, radius: float) -> Arc:
    """Return a cubic Bezier arc whose highest point is at `top`."""
    p0, p3 = np.array(start), np.array(end)
    lift = (top - (p0[1] + p3[1]) / 8) / 0.75  # the curve reaches 3/4 of its control points
    reach = math.copysign(min(0.4 * radius, 0.2 * abs(p3[0] - p0[0])), p3[0] - p0[0])
    p1, p2 = np.array([p0[0] + reach, lift]), np.array([p3[0] - reach, lift])
    t = np.linspace(0, 1, _POINTS)[:, None]
    points = (1 - t) ** 3 * p0 + 3 * t * (1 - t) ** 2 * p1 + 3 * t**2 * (1 - t) * p2 + t**3 * p3
    dx, dy = p3 - p2
    return Arc(edge, points, math.degrees(math.atan2(dx, dy)), np.array([p1, p2]))


@dataclass(frozen=True, slots=True)
class NodeStyle:
    """Fill, outline and text colour of a node."""

    fill: str
    line: str
    ink: str


def _shaft(arc: Arc, distance: float) -> np.ndarray:
    """Return the points of an arc shortened by its arrowhead."""
    tip, angle = arc.points[-1], math.radians(arc.angle)
    outside = np.linalg.norm(tip - arc.points, axis=1) > distance
    return np.vstack([arc.points[outside], tip - distance * np.array([math.sin(angle), math.cos(angle)])])


def draw_underlines(fig: go.Figure, bars: Sequence[GroupBar], style: Style) -> None:
    """Draw the underlines of groups, with hover targets."""
    dotted = [segment for bar in bars for segment in bar.dotted]
    traces.add_paths(fig, dotted, "passed over", style.ink, style.px(1, 0.6), dash="dot")
    solid = [segment for bar in bars for segment in bar.solid]
    traces.add_paths(fig, solid, "groups", style.ink, style.px(3, 1.8))
    if dots := [dot for bar in bars for dot in bar.dots]:
        traces.add_points(fig, *map(list, zip(*dots, strict=True)), "members", style.px(7, 4.6), colour=style.ink)
    _group_targets(fig, bars)


def _group_targets(fig: go.Figure, bars: Sequence[GroupBar]) -> None:
    """Draw an invisible hover target at the middle of each segment of an underline."""
    targets = []
    for number, bar in enumerate(bars, 1):
        names = text.join_escaped((text.escape(member) for member in bar.members), 6)
        hover = figure_text("ordering_graph.hover_group", number=number, names=names, hint=traces.click_hint("group"))
        targets += [(((x0 + x1) / 2, y), hover, list(bar.members)) for (x0, y), (x1, _) in bar.solid]
    points, hover_texts, members = zip(*targets, strict=True) if targets else ((), (), ())
    traces.add_targets(fig, points, "group targets", hover_texts, customdata=members, meta="group")


def hover_text(lines: Sequence[str], added: object, hint: str) -> str:
    """Return a hover text from markup lines, plain lines and a click hint."""
    plain = [] if added is None else str(added).split("\n")
    return "<br>".join([*lines, *map(text.escape, plain), hint])


def list_neighbours(name: str, edges: Iterable[Edge], above: str, below: str) -> list[str]:
    """Return lines that list the algorithms connected to a node, by direction."""
    edges = list(edges)
    better = [text.escape(b) for a, b in edges if a == name]
    worse = [text.escape(a) for a, b in edges if b == name]
    lines = {above: better, below: worse}
    return [f"{label} {text.join_escaped(names, 6)}" for label, names in lines.items() if names]


def selected_node(style: Style) -> NodeStyle:
    """Return the style of the selected node."""
    palette = theme.PALETTE_DARK if style.dark else theme.PALETTE
    return NodeStyle(palette[0] if style.colour else style.ink, style.ink, "#FFFFFF")
