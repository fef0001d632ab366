"""Graph of the sign test: an arrow from worse to better algorithm of each significant pair."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from foldwise.figures import ordering_graph, text, traces, wins_table
from foldwise.figures.spec import (
    MOST_NAMES,
    FigureSpec,
    aligned,
    alt_head,
    cached_figure,
    figure_text,
)
from foldwise.figures.theme import Style
from stats_core.comparison.kinds.published_summaries import PublishedDecisions
from stats_core.comparison.kinds.wins import OnWins
from stats_core.core.formatting import p_text
from stats_core.report import effect_text

if TYPE_CHECKING:
    from stats_core.inference.multiplicity.win_counts import Wins


@dataclass(frozen=True, kw_only=True, eq=False)
class SignTestGraph(FigureSpec):
    """Algorithms in a row, best left, with arrows from worse to significantly better ones.

    The customdata of an arrow is ``[worse, better]``, that of a node its name.

    Attributes
    ----------
    order : sequence of str
        Algorithms from best to worst, by average rank or by total of wins.
    better : DataFrame, algorithm x algorithm
        Whether the row is significantly better than the column.
    focus : str, optional
        The algorithm whose arrows are emphasised. Without room for all arrows and their labels,
        only its arrows are drawn, in the form of a list; if None, those of the algorithm with the
        most arrows.
    hover : DataFrame, optional
        Additional hover text of the arrow for each cell of `better`, plain, with line breaks
        between lines.
    pvalues : DataFrame, optional
        p-values, algorithm x algorithm, printed on the arrows.
    pvalue_name : str
        Name of these p-values: "adjusted p", "unadjusted p" or "p".
    ends : tuple of str
        Meaning of the left and the right end of the row of nodes.
    opens : bool
        Whether a second click on an arrow opens the page of the pair.
    ordered_by, measure, over : str
        Order, measure and data as text.
    total : int
        Number of algorithms compared; `order` may hold only the best of them.
    data : DataFrame, optional
        The table of numbers.
    how_to_read : str
        How to read the figure.
    """

    order: Sequence[str]
    better: pd.DataFrame
    focus: str | None = None
    hover: pd.DataFrame | None = None
    pvalues: pd.DataFrame | None = None
    pvalue_name: str = "adjusted p"
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

    def _layout(self, style: Style) -> ordering_graph.GraphLayout:
        """Return the layout in a row or, without room for all arrows, as a list with the arrows of one algorithm.

        Raises ValueError for an unknown `focus`.
        """
        names, labels = self._names, None
        edges = _edges(names, self.better)
        if self.focus is not None and str(self.focus) not in names:
            raise ValueError(f"unknown `focus`: {self.focus!r}")
        if self.pvalues is not None:
            table = aligned(self.pvalues, names)
            labels = {(a, b): p_text(table[names.index(a), names.index(b)]) for a, b in edges}
        focus = None if self.focus is None else str(self.focus)
        return ordering_graph.graph_layout(names, edges, style, focus, labels=labels, notes=1)

    def draw(self, style: Style) -> go.Figure:
        """Return the Plotly figure."""
        names, layout = self._names, self._layout(style)
        edges = _edges(names, self.better)
        center = layout.focus if isinstance(layout, ordering_graph.ListLayout) else self.focus
        if center is None or layout.is_list:
            emphasised = layout.drawn(edges)
        else:
            emphasised = layout.drawn([edge for edge in edges if center in edge])
        faded = [] if layout.is_list else [edge for edge in edges if edge not in set(emphasised)]
        fig = layout.new_figure()
        colour = style.ink if center is not None or style.printed else style.second
        kinds = (("others", faded, style.hairline, 1.0), ("differ", emphasised, colour, 1.0))
        hover_texts = {edge: self._edge_hover(edge) for edge in [*faded, *emphasised]}
        layout.draw_edges(fig, kinds, hover_texts)
        connected = {name for edge in emphasised for name in edge}
        node_styles = {
            name: self._node_style(name, center, connected, layout, style) for name in names
        }
        layout.draw_nodes(fig, node_styles, {name: _node_hover(name, edges) for name in names})
        layout.draw_ends(fig, self.ends)
        return fig

    def _node_style(
        self,
        name: str,
        center: str | None,
        connected: set[str],
        layout: ordering_graph.GraphLayout,
        style: Style,
    ) -> ordering_graph.NodeStyle:
        """Return the style of a node: selected, unconnected, or other."""
        if name == center:
            return ordering_graph.selected_node(style, layout, (self.colours or {}).get(name))
        plain = ordering_graph.node_style(name, self.colours, layout, style)
        if center is None or name in connected:
            return plain
        return replace(plain, fill=style.blank, line=style.leader, ink=style.faint)

    def _edge_hover(self, edge: ordering_graph.Edge) -> str:
        worse, better = edge
        title = f"<b>{text.escape(better)} better than {text.escape(worse)}</b>"
        added = None
        if self.hover is not None:
            added = self.hover.rename(index=str, columns=str).loc[better, worse]
        hint = traces.click_hint("pair", opens=self.opens)
        return ordering_graph.hover_text([title], added, hint)

    @property
    def alt(self) -> str:
        """The alternative text, at most 300 characters."""
        return self._alt("Sign-test graph", "alt")

    def _alt(self, kind: str, key: str) -> str:
        edges, k = _edges(self._names, self.better), len(self.order)
        phrases = [f"{text.plain_text(b)} better than {text.plain_text(a)}" for a, b in edges]
        listed = text.join_escaped(phrases, 4) if phrases else "none"
        head = alt_head(kind, k, self.measure, self.over)
        described = figure_text(
            f"sign_test_graph.{key}", head=head, n=len(edges), of=k * (k - 1) // 2, listed=listed
        )
        return text.truncate_text(described)

    def caption(self, style: Style) -> str:
        """Return the caption: order, arrows and omitted arrows."""
        names, edges, layout = self._names, _edges(self._names, self.better), self._layout(style)
        foci = layout.foci if isinstance(layout, ordering_graph.ListLayout) else []
        return self.describe(
            "sign_test_graph.caption",
            decided=isinstance(self, DecisionGraph),
            k=len(names),
            n=len(edges),
            rows=layout.is_list,
            labels="" if self.pvalues is None else self.pvalue_name,
            foci=list(map(text.plain_text, foci)),
            drawn=len(layout.drawn(edges)),
        ).strip()


@dataclass(frozen=True, kw_only=True, eq=False)
class DecisionGraph(SignTestGraph):
    """Graph of published decisions, with arrows from worse to better algorithms."""

    how_to_read: str = figure_text("sign_test_graph.how_to_read_of_decisions")

    @property
    def alt(self) -> str:
        """The alternative text, at most 300 characters."""
        return self._alt("Decision graph", "alt_of_decisions")


@cached_figure
def sign_graph_of_wins(
    comparison: Wins | OnWins,
    order: Sequence[str],
    *,
    selected: str | None = None,
    ordered_by: str = "average rank",
) -> SignTestGraph:
    """Return the graph of the sign test of the first `MOST_NAMES` algorithms, in the given order."""
    order = list(order)[:MOST_NAMES]
    if isinstance(comparison, OnWins):
        pvalues, data = comparison.adjusted, comparison.pairs.frame
        opens = not comparison.shape.published
        ordered_by = "wins \N{MINUS SIGN} losses"
    else:
        pvalues, data, opens = comparison.pvalues, comparison.to_frame(), True
    return SignTestGraph(
        name=f"sign_graph_{wins_table.wins_label(comparison)}",
        title="Sign-test graph",
        tested=wins_table.tested_wins(comparison),
        order=order,
        better=comparison.beats.loc[order, order],
        focus=selected,
        pvalues=pvalues,
        pvalue_name=_pvalue_name(comparison),
        opens=opens,
        ordered_by=ordered_by,
        total=len(comparison.beats),
        data=data,
    )


def _pvalue_name(comparison: Wins | OnWins) -> str:
    """Return the name of the p-values on the arrows."""
    if isinstance(comparison, OnWins):
        return effect_text.pvalue_name(comparison)
    return "unadjusted p" if comparison.correction == "none" else "adjusted p"


@cached_figure
def graph_of_decisions(analysis: PublishedDecisions) -> DecisionGraph:
    """Return the graph of published decisions on the first `MOST_NAMES` algorithms."""
    order = analysis.order[:MOST_NAMES]
    return DecisionGraph(
        name="decisions",
        title="Published decisions",
        order=order,
        better=analysis.beats.loc[order, order],
        data=analysis.decided.astype(int),
    )


def _edges(names: list[str], better: pd.DataFrame) -> list[ordering_graph.Edge]:
    """Return (worse, better) for each significant pair; raise ValueError if each of two beats the other."""
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
