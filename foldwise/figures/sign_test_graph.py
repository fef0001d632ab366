"""Graph of the sign test: an arrow from worse to better algorithm of each significant pair."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from foldwise.figures import ordering_graph, text, traces, wins_table
from foldwise.figures.spec import MOST_NAMES, FigureSpec, aligned, alt_head, cached_figure, figure_text
from foldwise.figures.theme import Style
from stats_core.comparison.kinds.published_summaries import PublishedDecisions
from stats_core.comparison.kinds.wins import OnWins
from stats_core.inference.multiplicity.win_counts import Wins

#: With more algorithms only the arrows of one of them are drawn.
MOST_EDGES = 20


@dataclass(frozen=True, kw_only=True, eq=False)
class SignTestGraph(FigureSpec):
    """Algorithms in a row, best left, with arrows from worse to significantly better ones.

    Arcs carry
    ``[worse, better]``, nodes their name.

    Attributes
    ----------
    order : sequence of str
        Algorithms from best to worst, by average rank or by total of wins.
    better : DataFrame, algorithm x algorithm
        Whether the row is significantly better than the column.
    focus : str, optional
        The algorithm whose arrows are emphasised. With more than 20 algorithms only its arrows are
        drawn, or those of the first algorithm if none is selected.
    hover : DataFrame, optional
        Additional hover text of the arrow for each cell of `better`, plain, with line breaks
        between lines.
    ends : tuple of str
        Meaning of the left and the right end of the row of nodes.
    opens : bool
        Whether a second click on an arrow opens the page of the pair.
    ordered_by, measure, over : str
        Order, measure and data as text.
    total : int
        Number of algorithms compared, of which `order` may hold the best only.
    data : DataFrame, optional
        The table of numbers.
    how_to_read : str
        How to read the figure.
    """

    order: Sequence[str]
    better: pd.DataFrame
    focus: str | None = None
    hover: pd.DataFrame | None = None
    ends: tuple[str, str] = ("best", "worst")
    opens: bool = True
    ordered_by: str = "average rank"
    measure: str = ""
    over: str = ""
    total: int = 0
    data: pd.DataFrame = field(default_factory=pd.DataFrame)
    how_to_read: str = figure_text("sign_test_graph.how_to_read")

    @property
    def _names(self) -> list[str]:
        """Names from best to worst."""
        return [str(name) for name in self.order]

    @property
    def _center(self) -> str | None:
        """Algorithm whose arrows are emphasized, or the only ones drawn if there are too many."""
        if self.focus is not None:
            return str(self.focus)
        return self._names[0] if len(self.order) > MOST_EDGES else None

    def draw(self, style: Style) -> go.Figure:
        """Return the Plotly figure."""
        names, center = self._names, self._center
        edges = _edges(names, self.better)
        if center is not None and center not in names:
            raise ValueError(f"unknown `focus`: {self.focus!r}")
        emphasised = [edge for edge in edges if center is None or center in edge]
        faded = [] if len(names) > MOST_EDGES else [edge for edge in edges if edge not in set(emphasised)]
        layout = ordering_graph.GraphLayout(names, edges if faded or center is None else emphasised, style, notes=1)
        fig = layout.new_figure()
        colour = style.ink if center is not None or style.printed else style.second
        kinds = (("others", faded, style.hairline, 1.0), ("differ", emphasised, colour, 1.0))
        layout.draw_edges(fig, kinds, {edge: self._edge_hover(edge) for edge in [*faded, *emphasised]})
        connected = {name for edge in emphasised for name in edge}
        node_styles = {name: _node_style(name, center, connected, style) for name in names}
        layout.draw_nodes(fig, node_styles, {name: _node_hover(name, edges) for name in names})
        layout.draw_ends(fig, self.ends)
        return fig

    def _edge_hover(self, edge: ordering_graph.Edge) -> str:
        worse, better = edge
        title = f"<b>{text.escape(better)} better than {text.escape(worse)}</b>"
        added = None if self.hover is None else self.hover.rename(index=str, columns=str).loc[better, worse]
        return ordering_graph.hover_text([title], added, traces.click_hint("pair", opens=self.opens))

    @property
    def alt(self) -> str:
        """The alternative text, at most 300 characters."""
        return self._alt("Sign-test graph", "alt")

    def _alt(self, kind: str, key: str) -> str:
        edges, k = _edges(self._names, self.better), len(self.order)
        phrases = [f"{text.plain_text(b)} better than {text.plain_text(a)}" for a, b in edges]
        listed = text.join_escaped(phrases, 4) if phrases else "none"
        head = alt_head(kind, k, self.measure, self.over)
        values = {"head": head, "n": len(edges), "of": k * (k - 1) // 2, "listed": listed}
        return text.truncate_text(figure_text(f"sign_test_graph.{key}", **values))

    def caption(self, style: Style) -> str:
        """Return the caption."""
        names, edges = self._names, _edges(self._names, self.better)
        return figure_text(
            "sign_test_graph.caption",
            ordered_by=self.ordered_by,
            k=len(names),
            total=self.total,
            n=len(edges),
            center=text.plain_text(self._center) if len(names) > MOST_EDGES else "",
            drawn=sum(self._center in edge for edge in edges),
            tested=self.tested,
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class DecisionGraph(SignTestGraph):
    """Graph of published decisions, with arrows from worse to better algorithms."""

    how_to_read: str = figure_text("sign_test_graph.how_to_read_of_decisions")

    def caption(self, style: Style) -> str:
        """Return the caption."""
        return figure_text("sign_test_graph.caption_of_decisions")

    @property
    def alt(self) -> str:
        """The alternative text, at most 300 characters."""
        return self._alt("Decision graph", "alt_of_decisions")


@cached_figure
def sign_graph_of_wins(
    comparison: Wins | OnWins, order: Sequence[str], *, selected: str | None = None, ordered_by: str = "average rank"
) -> SignTestGraph:
    """Return the graph of the sign test, with the algorithms in the given order."""
    order = list(order)[:MOST_NAMES]
    counted = isinstance(comparison, Wins)
    return SignTestGraph(
        name=f"sign_graph_{wins_table.wins_label(comparison)}",
        title="Sign-test graph",
        tested=wins_table.tested_wins(comparison),
        order=order,
        better=comparison.beats.loc[order, order],
        focus=selected,
        opens=counted or not comparison.shape.published,
        ordered_by=ordered_by if counted else "wins \N{MINUS SIGN} losses",
        total=len(comparison.beats),
        data=comparison.to_frame() if counted else comparison.details(),
    )


@cached_figure
def graph_of_decisions(analysis: PublishedDecisions) -> DecisionGraph:
    """Return the graph of published decisions."""
    order = analysis.order[:MOST_NAMES]
    return DecisionGraph(
        name="decisions",
        title="Published decisions",
        order=order,
        better=analysis.beats.loc[order, order],
        data=analysis.decided.astype(int),
    )


def _edges(names: list[str], better: pd.DataFrame) -> list[ordering_graph.Edge]:
    """Return (worse, better) for each significant pair."""
    table = aligned(better, names).astype(bool)
    np.fill_diagonal(table, False)
    if (table & table.T).any():
        i, j = np.argwhere(table & table.T)[0]
        raise ValueError(f"contradictory pair: {names[i]!r}, {names[j]!r}")
    return [(names[j], names[i]) for i, j in np.argwhere(table)]


def _node_hover(name: str, edges: list[ordering_graph.Edge]) -> str:
    """Return the hover text of a node: the algorithms it is better and worse than."""
    lines = ordering_graph.list_neighbours(name, edges, "worse than", "better than")[::-1]
    lines = [f"<b>{text.escape(name)}</b>", *(lines or [figure_text("sign_test_graph.alone")])]
    return "<br>".join([*lines, traces.click_hint("algorithm")])


def _node_style(name: str, selected: str | None, touched: set[str], style: Style) -> ordering_graph.NodeStyle:
    """Return the style of a node: selected, unconnected or normal."""
    if name == selected:
        return ordering_graph.selected_node(style)
    if selected is not None and name not in touched:
        return ordering_graph.NodeStyle(style.blank, style.leader, style.faint)
    return ordering_graph.NodeStyle(style.page, style.ink, style.ink)
