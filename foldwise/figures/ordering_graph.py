"""Graph of MultiTest: arrows from cheaper to significantly better algorithms, with ranks below.

Its layout, nodes in a row and arcs above them, serves other graphs as well.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from foldwise.figures import cd_layout, text, theme, traces
from foldwise.figures.cd_layout import GroupBar
from foldwise.figures.label_placement import add_annotations, pack_rows
from foldwise.figures.spec import Colours, FigureSpec, cached_figure, figure_text
from foldwise.figures.theme import LEAST_POINTS, PX_PER_POINT, Style
from stats_core.comparison.kinds.published_summaries import PublishedDecisions
from stats_core.core.errors import SettingError
from stats_core.core.formatting import format_number, p_phrase, p_text, score_digits
from stats_core.ordering.order import Order
from stats_core.report import order_text
from stats_core.report.tables import order_tables

Edge = tuple[str, str]  # from, to

Labels = Mapping[Edge, str] | None

#: With more algorithms or more arrows only the arrows of one algorithm are drawn, in the form of a
#: list.
MOST_EDGES, MOST_ARROWS = 20, 40
#: Underlines that need more rows are left out.
MOST_ROWS = 16
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
        Algorithms that have a rank, in order. If it contains all of them and none is chosen, the
        graph is drawn in its final state: no node and no arrow is greyed out.
    candidates : collection of str
        Remaining algorithms without an arrow to another remaining one.
    chosen : str, optional
        The candidate taken in this step; it has the next rank.
    places : bool
        Whether ranks are written below the nodes.
    groups : sequence of collections of str
        Maximal groups of algorithms without a significant difference, drawn as underlines unless
        the graph is a list or they need more than 16 rows.
    selected : str, optional
        The algorithm whose arrows are emphasised. Without room for all arrows and their labels,
        only its arrows are drawn, as a list. If None, the list shows the arrows of `chosen`, else
        those of the algorithm with the most arrows.
    hover : mapping of (cheaper, better) to str, optional
        Additional hover text of an arrow, plain, with line breaks between lines.
    node_hover : mapping of str to str, optional
        Additional hover text of a node, likewise.
    labels : mapping of (cheaper, better) to str, optional
        Short texts on the arrows, such as p-values.
    ends : tuple of str
        Meaning of the left and the right end of the row of nodes.
    cost, cost_in_print : str
        Criterion of the prior order, on the screen and in print.
    by_cost : bool
        Whether this criterion is a cost, not an order that was given.
    data : DataFrame, optional
        The table of numbers.
    how_to_read : str
        How to read the figure.

    Raises
    ------
    SettingError
        `prior` is empty, a name is missing or repeated in it, an arrow does not lead from a cheaper
        to a more expensive algorithm, or an algorithm that has been taken is taken again, chosen or
        a candidate.

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
    labels: Labels = None
    ends: tuple[str, str] = ("cheapest", "most expensive")
    cost: str = ""
    cost_in_print: str = ""
    by_cost: bool = True
    data: pd.DataFrame = field(default_factory=pd.DataFrame)
    how_to_read: str = figure_text("ordering_graph.how_to_read", by_cost=True)

    def __post_init__(self) -> None:
        """Convert names to strings and validate the state."""
        for name in ("prior", "order", "taken", "candidates"):
            names = tuple(str(each) for each in getattr(self, name))
            object.__setattr__(self, name, names)
        for name in ("chosen", "selected"):
            value = getattr(self, name)
            object.__setattr__(self, name, None if value is None else str(value))
        groups = [[str(member) for member in group] for group in self.groups]
        object.__setattr__(self, "groups", groups)
        object.__setattr__(self, "edges", _checked_edges(self.prior, self.edges))
        self._check_state()

    def _check_state(self) -> None:
        """Raise SettingError for unknown names and for algorithms placed twice."""
        settings = [("chosen", self.chosen), ("selected", self.selected)]
        settings = [(option, name) for option, name in settings if name is not None]
        settings += [("taken", name) for name in self.taken]
        settings += [("candidates", name) for name in sorted(self.candidates)]
        for option, name in settings:
            if name not in self.prior:
                names = text.join_escaped(self.prior, 5)
                unknown = figure_text(
                    "ordering_graph.unknown_name", option=option, name=name, names=names
                )
                raise SettingError(unknown)
        repeated = [name for name in (*sorted(self.candidates), self.chosen) if name in self.taken]
        repeated += [name for name in self.taken if self.taken.count(name) > 1]
        if repeated:
            raise SettingError(figure_text("ordering_graph.taken_twice", name=repeated[0]))

    @property
    def _placed(self) -> tuple[str, ...]:
        """Algorithms that already have a rank, in order."""
        placed = tuple(self.taken)
        return placed if self.chosen is None else (*placed, self.chosen)

    @property
    def _final(self) -> bool:
        """Whether all algorithms are placed and none is just being chosen."""
        return self.chosen is None and len(self.taken) == len(self.prior)

    def _layout(self, style: Style, edges: Collection[Edge]) -> GraphLayout:
        """Return the layout in a row or, without room for all arrows, as a list with the arrows of one algorithm."""
        labels = {edge: text.plain_text(label) for edge, label in (self.labels or {}).items()}
        return graph_layout(self.prior, edges, style, self.selected or self.chosen, labels=labels)

    def _is_faded(self, edge: Edge) -> bool:
        """Return whether an arrow is drawn in light grey."""
        if self.selected is not None:
            return self.selected not in edge
        return not self._final and not set(edge).isdisjoint(self.taken)

    def as_shown(self, style: Style) -> OrderingGraph:
        """Return the figure to draw: in its final state in print, and without a selection unless the style shows it."""
        shown = self if style.selects else replace(self, selected=None)
        if not style.printed:
            return shown
        return replace(shown, taken=self.order, candidates=(), chosen=None)

    def draw(self, style: Style) -> go.Figure:
        """Return the Plotly figure in the given state."""
        layout = self._layout(style, self.edges)  # all arrows, so that steps have the same height
        focus = layout.focus if isinstance(layout, ListLayout) else self.selected
        shown = layout.drawn(self.edges)
        faded = [edge for edge in shown if self._is_faded(edge)]
        emphasised = [edge for edge in shown if not self._is_faded(edge)]
        bars: list[GroupBar] = []
        rank_y = 0.0
        if not layout.is_list:
            bars, rank_y = self._make_room(layout)
        fig = layout.new_figure()
        if len(self.prior) > 1:
            # before all other texts, which Plotly copies at each text added singly
            layout.draw_ends(fig, self.ends)
        pale = style.hairline if style.printed else _PALE[style.dark]
        wider = 1.0 if self.selected is None else 1.4
        kinds = (("others", faded, pale, 1.0), ("better", emphasised, style.ink, wider))
        layout.draw_edges(fig, kinds, {edge: self._edge_hover(edge) for edge in shown})
        node_styles = {name: self._node_style(name, focus, layout, style) for name in self.prior}
        layout.draw_nodes(fig, node_styles, {name: self._node_hover(name) for name in self.prior})
        if self.places:
            self._write_ranks(fig, layout, rank_y)
        draw_underlines(fig, bars, style)
        return fig

    def _make_room(self, layout: GraphLayout) -> tuple[list[GroupBar], float]:
        """Add space below the nodes; return the underlines and the y of the ranks."""
        style, y = layout.style, layout.foot
        if self.places:
            label_height = _rank_width(layout) if _ranks_are_upright(layout) else 1.2 * layout.size
            y -= style.px(3, 2) + label_height
        rank_y = y + (layout.foot - style.px(3, 2) - y) / 2 if self.places else y
        bars: list[GroupBar] = []
        if self._underlines_fit:
            bars = layout.underlines(self.groups, y - style.px(8, 5))
        if bars:
            y = min(start[1] for bar in bars for start, _ in bar.solid) - style.px(4, 3)
        ends = 1.4 * style.tick_size if len(layout.names) > 1 else 0
        layout.foot, layout.below = y, ends + style.px(6, 4) - y
        return bars, rank_y

    @property
    def _underlines_fit(self) -> bool:
        """Whether the underlines need few enough rows to be legible."""
        groups = cd_layout.drawn_groups(self.prior, self.groups)
        ends = [(float(group[0]), float(group[-1])) for group in groups]
        return max(pack_rows(ends, 2.0), default=0) < MOST_ROWS

    def _node_style(
        self, name: str, focus: str | None, layout: GraphLayout, style: Style
    ) -> NodeStyle:
        if name == self.chosen or (layout.is_list and name == focus):
            return selected_node(style, layout, (self.colours or {}).get(name))
        plain = node_style(name, self.colours, layout, style)
        plain = replace(plain, width=2.2) if name == focus else plain
        if name in self.taken and not self._final:
            return replace(plain, fill=style.blank, line=style.leader, ink=style.faint)
        return replace(plain, fill=style.tint if name in self.candidates else style.page)

    def _write_ranks(self, fig: go.Figure, layout: GraphLayout, y: float) -> None:
        """Write the rank next to every algorithm that has one."""
        upright = not layout.is_list and _ranks_are_upright(layout)
        font = {"size": layout.size, "color": layout.style.ink}
        ranks = [
            {
                "text": f"{rank}.",
                "name": f"place of {text.plain_text(name)}",
                "font": font,
                **layout.rank_place(name, y, upright),
            }
            for rank, name in enumerate(self._placed, 1)
        ]
        add_annotations(fig, ranks)

    def _edge_hover(self, edge: Edge) -> str:
        cheaper, better = edge
        title = f"<b>{text.escape(cheaper)} to {text.escape(better)}</b>"
        return hover_text([title], (self.hover or {}).get(edge), traces.click_hint("pair"))

    def _node_hover(self, name: str) -> str:
        """Return the hover text of a node."""
        title = f"<b>{text.escape(name)}</b>"
        if name in self._placed:
            key = "hover_taken" if name == self.chosen else "hover_rank"
            rank = self._placed.index(name) + 1
            title += figure_text(f"ordering_graph.{key}", rank=rank)
        elif name in self.candidates:
            title += figure_text("ordering_graph.hover_candidate")
        added = (self.node_hover or {}).get(name)
        lines = [title]
        if added is not None:
            lines += [text.escape(line) for line in added.split("\n")]
        better = figure_text("ordering_graph.hover_better")
        better_than = figure_text("ordering_graph.hover_better_than")
        lines += list_neighbours(name, self.edges, better, better_than)
        return hover_text(lines, None, traces.click_hint("algorithm"))

    @property
    def alt(self) -> str:
        """The alternative text, at most 300 characters."""
        k = len(self.prior)
        head = figure_text(
            "ordering_graph.alt",
            k=k,
            by=text.short_name(self.cost, 60),
            by_cost=self.by_cost,
            n=len(self.edges),
            pairs=k * (k - 1) // 2,
        )
        ranked = [f"{rank} {text.short_name(name, 60)}" for rank, name in enumerate(self.order, 1)]
        for most in range(len(ranked), 0, -1):
            listed = text.join_escaped(ranked, most)
            if len(head + listed) < 300:
                return f"{head}{listed}."
        return text.truncate_text(head)

    def caption(self, style: Style) -> str:
        """Return the caption."""
        cost = self.cost_in_print if style.printed and self.cost_in_print else self.cost
        shown = self if style.selects else replace(self, selected=None, chosen=None)
        layout = shown._layout(style, self.edges)
        foci = layout.foci if isinstance(layout, ListLayout) and self.edges else []
        groups = cd_layout.drawn_groups(self.prior, self.groups)
        return self.describe(
            "ordering_graph.caption",
            cost=text.plain_text(cost),
            arrows=len(self.edges),
            rows=layout.is_list,
            drawn=len(layout.drawn(self.edges)),
            foci=[text.plain_text(focus) for focus in foci],
            labels=bool(self.labels),
            groups=groups,
            fits=groups and self._underlines_fit and not layout.is_list,
            skips=cd_layout.skips(groups),
        )


@cached_figure
def graph_of_order(
    order: Order, *, step: int | None = None, selected: str | None = None
) -> OrderingGraph:
    """Return the graph of a cost-aware order at `step` of its sort, or of the final order if None or too large."""
    ordering, cost = order.ordering, order_text.describe_costs(order.rules)
    by_cost = not order.rules.prior
    is_final = step is None or step >= len(ordering.steps)
    current_step = None if step is None or is_final else ordering.steps[step]
    hover, labels = _describe_arrows(order)
    return OrderingGraph(
        name=f"ordering_{order.settings.measure}",
        title=figure_text("ordering_graph.title"),
        tested=order_tables.order_test_line(order),
        prior=ordering.prior,
        edges=ordering.edges,
        order=ordering.order,
        taken=ordering.order if is_final else ordering.order[:step],
        candidates=current_step.candidates if current_step else (),
        chosen=current_step.chosen if current_step else None,
        groups=[group for group in order.groups if 1 < len(group) < len(ordering.prior)],
        selected=selected,
        hover=hover,
        node_hover=_describe_nodes(order),
        labels=labels,
        cost=cost,
        by_cost=by_cost,
        ends=_ends(by_cost=by_cost),
        how_to_read=figure_text("ordering_graph.how_to_read", by_cost=by_cost),
        data=order_tables.arrows_table(order),
    )


@cached_figure
def graph_of_ordered_decisions(analysis: PublishedDecisions) -> OrderingGraph | None:
    """Return the MultiTest graph of published decisions; None if these have no direction."""
    ordering, own = analysis.ordering, bool(analysis.settings.prior)
    if ordering is None:
        return None
    details = analysis.pairs.decisions[["first", "second", "separated"]]
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
        by_cost=False,
        ends=_ends(by_cost=False),
        data=details.set_index(["first", "second"]),
    )


def _ends(*, by_cost: bool) -> tuple[str, str]:
    """Return the meaning of both ends of a row in an order by cost, or in an order that was given."""
    return ("cheapest", "most expensive") if by_cost else ("first", "last")


def _describe_arrows(order: Order) -> tuple[dict[tuple[str, str], str], dict[tuple[str, str], str]]:
    """Return the hover text and the short label of each arrow."""
    alpha, digits = order.settings.alpha, _digits(order)
    hover, labels = {}, {}
    for cheaper, better in order.ordering.edges:
        pvalue = order.pvalue(cheaper, better)
        hover[cheaper, better] = figure_text(
            "ordering_graph.hover_arrow",
            test=order_tables.order_test_name(order),
            p=p_phrase(pvalue, alpha),
            score=order_tables.score_name(order),
            better=format_number(order.scores[better], digits),
            cheaper=format_number(order.scores[cheaper], digits),
        )
        labels[cheaper, better] = p_text(pvalue, alpha)
    return hover, labels


def _describe_nodes(order: Order) -> dict[str, str]:
    """Return score and, if known, average cost of each algorithm as hover text."""
    score_label, digits = order_tables.score_name(order), _digits(order)
    texts = {
        name: f"{score_label} {format_number(value, digits)}"
        for name, value in order.scores.items()
    }
    if order.average_cost is not None:
        for name, value in order.average_cost.items():
            texts[name] += f"\n{order_tables.cost_title(order)} {value:.4g}"
    return texts


def _digits(order: Order) -> int:
    """Return the number of decimals of the scores."""
    return 2 if order.second is not None else score_digits(order.scores.to_frame())


def _checked_edges(names: Sequence[str], edges: Collection[Edge]) -> list[Edge]:
    """Return distinct edges in node order; raise SettingError for invalid edges, or for repeated or no names."""
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
    """Return whether ranks are rotated, because names are rotated or because ranks would touch."""
    pitch = layout.width / max(len(layout.names), 1)
    return layout.upright or _rank_width(layout) + 3 > pitch


_REFERENCE_WIDTH = 700  # px for which the layout is computed; screen figures stretch
_CORNER_ANGLES = np.linspace(0, math.pi / 2, 6).tolist()


def _rounded(radius: float) -> Iterator[tuple[float, float]]:
    """Yield the distances of the points of a rounded corner from both of its edges."""
    for angle in _CORNER_ANGLES:
        yield radius * (1 - math.cos(angle)), radius * (1 - math.sin(angle))


@dataclass(frozen=True, slots=True)
class Arrow:
    """The path of one edge between nodes."""

    edge: Edge  # from, to
    points: list[tuple[float, float]]  # the last is the tip of the arrowhead
    angle: float  # direction at the tip in degrees clockwise from up
    label: tuple[float, float]  # centre of its label, in the list form the left end


class GraphLayout:
    """Nodes placed from left to right, with each arrow on a track of its own above them; draws the elements of a graph.

    Arrows leave a node on one side and reach it on the other. On its track an arrow crosses others
    only next to nodes, so that its label fits between two nodes.
    """

    is_list = False

    def __init__(
        self,
        names: Sequence[str],
        edges: Collection[Edge],
        style: Style,
        *,
        notes: int = 0,
        labels: Labels = None,
    ) -> None:
        """Place the nodes and the tracks of the arrows; `notes` is the number of lines of text below the nodes."""
        self.style, self.labels = style, labels or {}
        self.names = [str(name) for name in names]
        self.width = float(style.width if style.printed else min(style.width, _REFERENCE_WIDTH))
        self._fit_names(notes)
        self._set_marks()
        self.tracks = _tracks(self.names, edges)
        self.above = self.radius + self._pad
        if self.tracks:
            highest = self._first + max(self.tracks.values()) * self._pitch
            self.above += highest + self.label_size / 2

    @property
    def _pad(self) -> float:
        """Space at the edges of the figure."""
        return self.style.px(10, 5)

    def _fit_names(self, notes: int) -> None:
        """Set the sizes of nodes and names, printed names, and the positions of nodes."""
        style, names, pad = self.style, self.names, self._pad
        k, width, size, radius = len(names), self.width, style.tick_size, style.px(20, 12)
        pitch = (width - 2 * pad) / max(k, 1)
        full_names = [text.plain_text(name) for name in names]
        widest = text.widest(full_names, size, style.serif)
        # whether nodes contain their names
        self.inside = widest <= 2 * radius - 4 and 2.3 * radius <= pitch
        self.upright = not self.inside and widest > pitch - 6 and pitch < 5.5 * size
        if not self.inside:
            radius = min(style.px(8, 5), 0.36 * pitch)
        if self.upright:
            size = min(size, max(0.95 * pitch, 8))
        self.radius = radius
        room = 0.36 * width if self.upright else max(pitch - 6, 2 * radius)
        self.shown, self.size = self._shorten(room, size)
        widest = text.widest(self.shown.values(), self.size, style.serif)
        name_room = 0.0
        if not self.inside:
            height = text.row_height(self.shown.values(), self.size, 1.2 * self.size)
            name_room = 4 + (widest if self.upright else height)
        start = pad + (radius if self.upright else max(radius, widest / 2))
        step = (width - 2 * start) / max(k - 1, 1)
        first = start if k > 1 else width / 2
        self.at = {name: (first + i * step, 0.0) for i, name in enumerate(names)}
        self.stem = 0.35 * radius  # distance of vertical lines from the middle of their node
        self.label_room = step - 2 * self.stem  # room for a label between two nodes
        self.below = radius + name_room + pad + notes * 1.5 * style.tick_size
        self.foot = -radius - name_room  # y below the nodes and their names

    def _shorten(self, room: float, size: float) -> tuple[dict[str, str], float]:
        """Return the printed names and their size, smaller in print if names would be shortened."""
        style, names = self.style, self.names
        lines = 1 if self.inside or self.upright else 3
        shown = text.shorten(names, room, size, serif=style.serif, lines=lines)
        if style.printed and not all(text.is_whole(shown[name], name) for name in names):
            size = min(size, max(0.8 * size, LEAST_POINTS * PX_PER_POINT))
            shown = text.shorten(names, room, size, serif=style.serif, lines=lines)
        return shown, size

    def _set_marks(self) -> None:
        """Set the sizes of arrowheads, lines and labels."""
        self.head = self.style.px(9, 5.5)
        self.line = self.style.px(1.4, 0.7)
        self.label_size = self.style.px(11, 8)

    @property
    def _pitch(self) -> float:
        """Distance between tracks."""
        return 1.25 * self.label_size if self.labels else self.style.px(8, 5)

    @property
    def _first(self) -> float:
        """Height of the lowest track above the nodes."""
        return self.head + self.style.px(8, 5)

    @property
    def has_room(self) -> bool:
        """Whether every arrow has room for its label, and arrows are few enough to be distinguished."""
        width = text.widest(self.labels.values(), self.label_size, self.style.serif)
        few_arrows = len(self.names) <= MOST_EDGES and len(self.tracks) <= MOST_ARROWS
        return few_arrows and width + 3 <= self.label_room

    def new_figure(self) -> go.Figure:
        """Return an empty figure with room for names and arrows.

        On the screen the room for the outermost nodes is a margin, so it remains in a narrow
        window.
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

    def route(self, edge: Edge) -> Arrow:
        """Return the path of an arrow: up from its first node, along its track, and down to the second."""
        (start, _), (end, _) = self.at[edge[0]], self.at[edge[1]]
        side = math.copysign(1.0, end - start)
        start, end = start + side * self.stem, end - side * self.stem
        y = self.radius + self._first + self.tracks[edge] * self._pitch
        corner = self.style.px(7, 4)
        rise, fall = [], []
        for near, far in _rounded(corner):
            rise.append((start + side * near, y - far))
            fall.append((end - side * far, y - near))
        tip = math.sqrt(self.radius**2 - self.stem**2)
        points = [(start, 0.0), *rise, *fall, (end, tip)]
        first, last = sorted(self.names.index(name) for name in edge)
        before = (first + last - 1) // 2  # the label is between this node and the next
        neighbours = self.names[before : before + 2]
        middle = sum(self.at[name][0] for name in neighbours) / 2
        return Arrow(edge, points, 180.0, (middle, y))

    def drawn(self, edges: Iterable[Edge]) -> list[Edge]:
        """Return the edges that are drawn."""
        return list(edges)

    def draw_edges(
        self,
        fig: go.Figure,
        kinds: Iterable[tuple[str, Sequence[Edge], str, float]],
        hover_texts: Mapping[Edge, str],
    ) -> None:
        """Draw arrows with heads, hover targets and, unless they are "others", labels.

        Each kind of edges has a name, its edges, a colour, and a width relative to the usual one.
        The customdata of a target is ``[from, to]``.
        """
        every: list[Arrow] = []
        for name, edges, colour, wider in kinds:
            arrows = [self.route(edge) for edge in edges]
            every += arrows
            self._draw_arrows(fig, arrows, name, colour, wider * self.line)
            if name != "others":
                labelled = [arrow for arrow in arrows if self.labels.get(arrow.edge)]
                add_annotations(fig, [self._label(arrow) for arrow in labelled])
        targets = [(point, arrow.edge) for arrow in every for point in _targets(arrow.points)]
        traces.add_targets(
            fig,
            [point for point, _ in targets],
            "edges",
            [hover_texts[edge] for _, edge in targets],
            customdata=[list(edge) for _, edge in targets],
            meta="pair",
        )

    def _draw_arrows(
        self, fig: go.Figure, arrows: Sequence[Arrow], name: str, colour: str, width: float
    ) -> None:
        """Draw arrows, with `[from, to]` as customdata of their heads."""
        if not arrows:
            return
        traces.add_paths(fig, [self._shaft(arrow) for arrow in arrows], name, colour, width)
        tips = np.array([arrow.points[-1] for arrow in arrows])
        marker = {
            "symbol": "arrow",
            "angle": [arrow.angle for arrow in arrows],
            "size": self.head,
            "color": colour,
            "opacity": 1,
            "line": {"width": 0},
        }
        fig.add_scatter(
            x=tips[:, 0],
            y=tips[:, 1],
            mode="markers",
            name=f"{name}: arrowheads",
            customdata=[list(arrow.edge) for arrow in arrows],
            marker=marker,
            hoverinfo="skip",
            cliponaxis=False,
        )

    def _shaft(self, arrow: Arrow) -> list[tuple[float, float]]:
        """Return the points of the line of an arrow, which ends inside its head, so that the tip stays sharp."""
        x, y = arrow.points[-1]
        angle, length = math.radians(arrow.angle), 0.6 * self.head
        end = (x - length * math.sin(angle), y - length * math.cos(angle))
        points = [*arrow.points[:-1], end]
        return [(round(x, 2), round(y, 2)) for x, y in points]

    def _label(self, arrow: Arrow) -> dict[str, Any]:
        """Return the label of an arrow as an annotation."""
        x, y = arrow.label
        a, b = (text.plain_text(name) for name in arrow.edge)
        return {
            "text": text.escape(self.labels[arrow.edge]),
            "name": f"label {a} to {b}",
            "x": x,
            "y": y,
            "xanchor": "left" if self.is_list else "center",
            "yanchor": "middle",
            "bgcolor": self.style.page,
            "font": {"size": self.label_size, "color": self.style.ink},
        }

    def draw_nodes(
        self, fig: go.Figure, node_styles: Mapping[str, NodeStyle], hover_texts: Mapping[str, str]
    ) -> None:
        """Draw the nodes with their names, and the names as customdata."""
        names = self.names
        x, y = traces.coordinates([self.at[name] for name in names])
        widths = [node_styles[name].width * self.line for name in names]
        traces.add_points(
            fig,
            x,
            y,
            "nodes",
            2 * self.radius,
            "circle",
            [node_styles[name].fill for name in names],
            edge=(widths, [node_styles[name].line for name in names]),
            hover_text=[hover_texts[name] for name in names],
            customdata=list(names),
            meta="algorithm",
        )
        labels = [
            {
                "text": text.shortened_markup(self.shown[name]),
                "x": self.at[name][0],
                "y": self.at[name][1],
                "font": {"size": self.size, "color": node_styles[name].ink},
                **self._name_place,
            }
            for name in names
        ]
        add_annotations(fig, labels)

    @property
    def _name_place(self) -> dict[str, Any]:
        """The place of a name relative to its node."""
        at = {"yanchor": "middle"} if self.inside else {"y": -self.radius - 4, "yanchor": "top"}
        return {**at, "xanchor": "center", "textangle": -90 if self.upright else 0}

    def rank_place(self, name: str, y: float, upright: bool) -> dict[str, Any]:
        """Return the place of the rank of an algorithm, at `y` below its node."""
        turned = {"xanchor": "center", "textangle": -90 if upright else 0}
        return {"x": self.at[name][0], "y": y, "yanchor": "middle", **turned}

    def draw_ends(self, fig: go.Figure, ends: tuple[str, str]) -> None:
        """Write the meaning of both ends below the first and the last node."""
        first, y = self.at[self.names[0]][0], self.foot - 0.3 * self.style.tick_size
        size = self.style.tick_size
        is_centred = text.widest(ends, size, self.style.serif) <= 2 * first
        places = ((first, -self.radius, "left"), (self.width - first, self.radius, "right"))
        for side, (label, (x, shift, anchor)) in enumerate(zip(ends, places, strict=True)):
            traces.add_text(
                fig,
                text.escape(label),
                x,
                y,
                size,
                self.style.faint,
                anchor="center, top" if is_centred else f"{anchor}, top",
                shift=(0 if is_centred else shift, None),
                name=f"end {side}",
            )

    def underlines(self, groups: Iterable[Iterable[str]], top: float) -> list[GroupBar]:
        """Return an underline for each group of two or more algorithms; an empty list without groups."""
        indices = cd_layout.drawn_groups(self.names, groups)
        if not indices:
            return []
        x = [self.at[name][0] for name in self.names]
        half = min(cd_layout.COVERED * (x[1] - x[0]) / 2, x[0] - self.style.px(3, 2))
        pitch = -self.style.px(9, 6)
        bars, _ = cd_layout.underlines(self.names, indices, x, half, top, pitch, self.style)
        return bars


class ListLayout(GraphLayout):
    """One row per algorithm, with the arrows of one algorithm to the right of the nodes, and their labels.

    Print without a given algorithm has as many columns of nodes as fit, each with further arrows of
    another algorithm.
    """

    is_list = True

    def __init__(
        self,
        names: Sequence[str],
        edges: Collection[Edge],
        style: Style,
        focus: str | None,
        *,
        labels: Labels = None,
    ) -> None:
        """Place one node per row; the arrows of `focus` are drawn, by default those of the algorithms with the most."""
        self.style, self.labels = style, labels or {}
        self.names = [str(name) for name in names]
        self.width = float(style.width if style.printed else min(style.width, _REFERENCE_WIDTH))
        self.size = size = style.tick_size
        self.pitch = (1.22 if style.printed else 1.45) * size
        self.radius, self.inside = min(style.px(6, 3.6), 0.36 * self.pitch), False
        self._set_marks()
        self.label_size = size
        self.shown = text.shorten(self.names, 0.55 * self.width, size, serif=style.serif)
        self.rank = text.text_width(f"{len(names)}.", size, style.serif)
        name_width = text.widest(self.shown.values(), size, style.serif)
        self.left = name_width + self.rank + style.px(26, 20)
        self.head_room = 1.5 * size
        self.at = {name: (0.0, -(row + 0.5) * self.pitch) for row, name in enumerate(self.names)}
        self.above, self.below = self.head_room, len(self.names) * self.pitch + self.head_room
        self.stem = self.radius + self.head + style.px(14, 8)
        label_width = text.widest(self.labels.values(), size, style.serif)
        self.column = self.stem + label_width + 2 * self.radius + style.px(20, 12)
        most = 1
        if style.printed and not focus:
            most = max(int((self.width - self.left) / self.column), 1)
        self.foci: list[str] = []
        self.columns: dict[Edge, int] = {}  # of the arrows that are drawn
        self._choose_foci(edges, focus, most)
        self.focus = self.foci[0] if self.foci else None

    def _choose_foci(self, edges: Collection[Edge], focus: str | None, most: int) -> None:
        """Choose at most `most` algorithms: `focus`, or those with the most further arrows."""
        if focus:
            self._add_focus(focus, edges)
        while len(self.foci) < most and len(self.columns) < len(edges):
            further = [edge for edge in edges if edge not in self.columns]
            count = Counter(name for edge in further for name in edge)
            self._add_focus(max(self.names, key=lambda name: count[name]), edges)

    def _add_focus(self, focus: str, edges: Collection[Edge]) -> None:
        """Add a column with the further arrows of an algorithm."""
        column = len(self.foci)
        self.foci.append(focus)
        further = [edge for edge in edges if focus in edge and edge not in self.columns]
        self.columns |= dict.fromkeys(further, column)

    def drawn(self, edges: Iterable[Edge]) -> list[Edge]:
        """Return the edges that are drawn."""
        return [edge for edge in edges if edge in self.columns]

    def new_figure(self) -> go.Figure:
        """Return an empty figure, with the names in a margin of fixed width."""
        hidden = {"visible": False, "fixedrange": True}
        plot, edge = self.width - self.left, self.radius + self.line
        return theme.new_figure(
            self.style,
            self.above + self.below,
            margin={"l": self.left - edge, "r": 0, "t": 0, "b": 0},
            xaxis={"range": [-edge, plot], **hidden},
            yaxis={"range": [-self.below, self.above], **hidden},
        )

    def route(self, edge: Edge) -> Arrow:
        """Return the path of an arrow from or to the focus, along a vertical line that its arrows share."""
        column = self.columns[edge]
        focus = self.foci[column]
        first, second = edge
        neighbour = second if first == focus else first
        own, other = self.at[focus][1], self.at[neighbour][1]
        side, corner = math.copysign(1.0, other - own), self.style.px(5, 3)
        own += 0.22 * side * self.pitch  # arrows from above and from below reach different points
        start = column * self.column
        stem = start + self.stem
        leaving, arriving = [], []
        for near, far in _rounded(corner):
            leaving.append((stem - far, own + side * near))
            arriving.append((stem - near, other - side * far))
        points = [(start, own), *leaving, *arriving, (start, other)]
        if second == focus:
            points.reverse()
        tip_y = points[-1][1]
        tip_x = start + math.sqrt(self.radius**2 - (tip_y - self.at[second][1]) ** 2)
        label = (stem + self.style.px(6, 4), other)
        return Arrow(edge, [*points[:-1], (tip_x, tip_y)], 270.0, label)

    def draw_nodes(
        self, fig: go.Figure, node_styles: Mapping[str, NodeStyle], hover_texts: Mapping[str, str]
    ) -> None:
        """Draw the nodes of all columns, in further columns those with arrows, and the names."""
        super().draw_nodes(fig, node_styles, hover_texts)
        for column, focus in enumerate(self.foci[1:], 1):
            edges = [edge for edge, at in self.columns.items() if at == column]
            ends = dict.fromkeys(name for edge in edges for name in edge)
            lines = [node_styles[name].line for name in ends]
            fills = [
                line if name == focus else self.style.page
                for name, line in zip(ends, lines, strict=True)
            ]
            widths = [node_styles[name].width * self.line for name in ends]
            x = [column * self.column] * len(ends)
            y = [self.at[name][1] for name in ends]
            outlines = (widths, lines)
            traces.add_points(fig, x, y, "nodes", 2 * self.radius, "circle", fills, outlines)

    @property
    def _name_place(self) -> dict[str, Any]:
        shift = self.radius + self.rank + self.style.px(14, 12)
        return {"xanchor": "right", "yanchor": "middle", "xshift": -shift}

    def rank_place(self, name: str, y: float, upright: bool) -> dict[str, Any]:
        """Return the place of the rank of an algorithm, between its name and its node."""
        x, y = self.at[name]
        return {
            "x": x,
            "y": y,
            "xanchor": "right",
            "yanchor": "middle",
            "xshift": -self.radius - self.style.px(6, 4),
        }

    def draw_ends(self, fig: go.Figure, ends: tuple[str, str]) -> None:
        """Write the meaning of both ends above the first and below the last node."""
        above, below = self.above - 0.2 * self.size, 0.2 * self.size - self.below
        places = ((above, "top"), (below, "bottom"))
        for side, (label, (y, edge)) in enumerate(zip(ends, places, strict=True)):
            traces.add_text(
                fig,
                text.escape(label),
                0,
                y,
                self.size,
                self.style.faint,
                anchor=f"left, {edge}",
                shift=(-self.radius, None),
                name=f"end {side}",
            )


def graph_layout(
    names: Sequence[str],
    edges: Collection[Edge],
    style: Style,
    focus: str | None = None,
    *,
    labels: Labels = None,
    notes: int = 0,
) -> GraphLayout:
    """Return the layout in a row or, without room for all arrows and their labels, as a list.

    A list shows the arrows of `focus`, or by default of the algorithms with the most arrows, one
    unless print has room.
    """
    row = GraphLayout(names, edges, style, notes=notes, labels=labels)
    if row.has_room or len(names) < 2:
        return row
    return ListLayout(names, edges, style, focus, labels=labels)


def _tracks(names: Sequence[str], edges: Iterable[Edge]) -> dict[Edge, int]:
    """Return the track of each edge, counted from below: shorter edges below longer ones that contain them."""
    index_of = {name: i for i, name in enumerate(names)}
    spans = {}
    for edge in edges:
        low, high = sorted(index_of[name] for name in edge)
        spans[edge] = (low, high)
    shortest_first = sorted(spans, key=lambda edge: (spans[edge][1] - spans[edge][0], spans[edge]))
    tracks: dict[Edge, int] = {}
    for edge in shortest_first:
        low, high = spans[edge]
        occupied, inner = set(), set()
        for other, track in tracks.items():
            other_low, other_high = spans[other]
            if other_low < high and low < other_high:
                occupied.add(track)
            if low <= other_low and other_high <= high:
                inner.add(track)
        lowest = max(inner, default=-1) + 1
        tracks[edge] = next(track for track in itertools.count(lowest) if track not in occupied)
    return tracks


def _targets(points: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """Return the points of an arrow that respond to hover and clicks, on its longest segment."""
    segments = itertools.pairwise(points)
    (x0, y0), (x1, y1) = max(segments, key=lambda ends: math.dist(*ends))
    dx, dy = x1 - x0, y1 - y0
    n = max(int(math.hypot(dx, dy) / 10), 1)
    targets = []
    for i in range(n + 1):
        x, y = x0 + dx * i / n, y0 + dy * i / n
        targets.append((round(x, 2), round(y, 2)))
    return targets


@dataclass(frozen=True, slots=True)
class NodeStyle:
    """Fill, outline and text colour of a node, and the width of its outline relative to arrows."""

    fill: str
    line: str
    ink: str
    width: float = 1.0


def draw_underlines(fig: go.Figure, bars: Sequence[GroupBar], style: Style) -> None:
    """Draw the underlines of groups, with hover targets."""
    dotted = [segment for bar in bars for segment in bar.dotted]
    traces.add_paths(fig, dotted, "passed over", style.ink, style.px(1, 0.6), dash="dot")
    solid = [segment for bar in bars for segment in bar.solid]
    traces.add_paths(fig, solid, "groups", style.ink, style.px(3, 1.8))
    x, y = traces.coordinates([dot for bar in bars for dot in bar.dots])
    if x:
        traces.add_points(fig, x, y, "members", style.px(7, 4.6), colour=style.ink)
    _group_targets(fig, bars)


def _group_targets(fig: go.Figure, bars: Sequence[GroupBar]) -> None:
    """Draw an invisible hover target at the middle of each solid segment of an underline."""
    points: list[tuple[float, float]] = []
    hover_texts: list[str] = []
    members: list[list[str]] = []
    for number, bar in enumerate(bars, 1):
        names = text.join_escaped((text.escape(member) for member in bar.members), 6)
        hint = traces.click_hint("group")
        hover = figure_text("ordering_graph.hover_group", number=number, names=names, hint=hint)
        for (x0, y), (x1, _) in bar.solid:
            points.append(((x0 + x1) / 2, y))
            hover_texts.append(hover)
            members.append(list(bar.members))
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


def node_style(name: str, colours: Colours, layout: GraphLayout, style: Style) -> NodeStyle:
    """Return the style of a node: outline and name in the colour of its algorithm, if it has one."""
    (own,) = traces.mark_colours([name], colours, style)
    return NodeStyle(style.page, own, own, 1.0 if own == style.ink else 1.6)


def selected_node(style: Style, layout: GraphLayout, own: str | None = None) -> NodeStyle:
    """Return the style of the node that is selected or placed now, whose name may be inside."""
    palette = theme.PALETTE_DARK if style.dark else theme.PALETTE
    colour = palette[0] if own is None or own == theme.GREY else own
    fill = colour if style.colour else style.ink
    inside = style.page if style.dark or not style.colour else "#FFFFFF"
    return NodeStyle(fill, style.ink, inside if layout.inside else fill)
