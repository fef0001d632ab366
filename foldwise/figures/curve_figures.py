"""Figures of ROC, precision-recall and cost curves, areas, and threshold sweeps."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from foldwise.figures.axis_parts import enable_zoom
from foldwise.figures.cost_curves import alt_cost_curves, caption_cost_curves, cost_curves
from foldwise.figures.loss_winners import alt_loss_winners, caption_loss_winners, loss_winners
from foldwise.figures.spec import BuiltSpec, Colours, FigureSpec, cached_figure, colors_of
from foldwise.figures.theme import MARKERS, Style
from stats_core.comparison.cards.method_card import method_card
from stats_core.core.formatting import format_number, p_phrase
from stats_core.curves.curve_comparison import DataCurves
from stats_core.curves.curve_shapes import cost_envelope
from stats_core.curves.threshold_sweep import Sweep


def wins_by_algorithm(found: Sweep) -> pd.DataFrame:
    """Return the number of algorithms each one beats, algorithm x threshold."""
    table = pd.DataFrame(0, index=list(found.names), columns=found.winners.columns)
    for name in found.names:
        table.loc[name] = (found.winners == name).sum().to_numpy()
    return table


def describe_threshold_wins(found: Sweep) -> pd.DataFrame:
    """Return text and hover text on the thresholds won, one row per pair."""
    tally = found.tally().set_index(["first", "second"])
    rows = []
    for a, b in found.pairs:
        ahead = (a, b) if tally.at[(a, b), "wins"] >= tally.at[(b, a), "wins"] else (b, a)
        row = tally.loc[ahead]
        p = p_phrase(row["p"], found.alpha)
        rows.append(
            {
                "text": f"{ahead[0]} {row['wins']} : {row['losses']}, {p}",
                "hover": f"{ahead[0]} wins at {row['wins']} thresholds, loses at {row['losses']}, "
                f"ties at {row['ties']}\nright-tailed sign test {p}",
            }
        )
    return pd.DataFrame(rows, index=found.winners.index)


def cell_words(found: Sweep) -> pd.DataFrame:
    """Return the hover text of each cell: winner and risks, or why nobody wins."""
    table = found.reasons.copy()
    for (a, b), label in zip(found.pairs, found.winners.index, strict=True):
        for theta in found.winners.columns:
            winner = found.winners.at[label, theta]
            if not winner:
                continue
            risks = found.risks.loc[theta]
            p = p_phrase(found.pvalues.at[label, theta], found.alpha)
            table.at[label, theta] = (
                f"{winner} wins, {p}\nrisk per case {a} {format_number(risks[a], 4)}, {b} {format_number(risks[b], 4)}"
            )
    return table


MOST_PAIRS = 10  # largest number of pairs in a sweep; more are counted by algorithm
PAPERS = {"cost": method_card("cost_envelope").papers}

HOW_SWEEP = (
    "Each column is a threshold theta; below it stands the cost ratio that weights the risk. A mark says who wins: the "
    "errors differ by the multivariate test, and the winner's total risk is lower, significantly so "
    "unless the thesis' rule was chosen. A dot says that no difference is shown. Look where the "
    "winner changes. Neighbouring columns share their cases, so a long run of marks is not many pieces of evidence."
)
HOW_COST = (
    "Across: how much of the possible cost lies with positives, from class shares and losses "
    "together; up: the expected cost, 1 being always wrong. Each curve is the best an algorithm can "
    "do when its threshold suits the cost. Look which curve is lowest where your costs lie. Curves "
    "are averages over {unit}s without a test: the sweep above tests."
)


@cached_figure
def sweep_drawing(
    data: DataCurves, found: Sweep, *, theta: float = 0.5, algorithms: Sequence[str] = (), colours: Colours = None
) -> FigureSpec:
    """Return the figure of winners at each threshold, by pair or by algorithm."""
    pairs = len(found.pairs) <= MOST_PAIRS
    winners = found.winners if pairs else wins_by_algorithm(found)
    texts = {"tallies": describe_threshold_wins(found), "hover": cell_words(found)} if pairs else {}
    names = list(algorithms or data.names)

    def build(style: Style) -> go.Figure:
        return loss_winners(
            winners,
            found.risks,
            style=style,
            theta=min(found.thetas, key=lambda t: abs(t - theta)),
            colours=colors_of(colours, names, (), style),
            symbols_of=_symbols(names),
            **texts,
        )

    return BuiltSpec(
        name=f"sweep_{data.dataset}_{'_'.join(found.measures)}",
        title=f"Who wins at which loss, by {', '.join(found.measures)}",
        how_to_read=HOW_SWEEP,
        alt=alt_loss_winners(winners),
        data=found.to_frame(),
        build=enable_zoom(build, "x"),
        caption=lambda _: caption_loss_winners(counts=not pairs, rule=found.rule),
        papers=method_card("sweep").papers,
    )


@cached_figure
def cost_drawing(
    data: DataCurves,
    points: Mapping[str, pd.DataFrame],
    counts: Mapping[str, np.ndarray],
    *,
    at: float,
    algorithms: Sequence[str] = (),
    colours: Colours = None,
) -> FigureSpec:
    """Return the figure of cost curves: expected cost over skew of classes and losses."""
    envelopes = {name: cost_envelope(table["x"], table["y"]) for name, table in points.items()}
    lines = {}
    for name in points:
        tp, fp, tn, fn = counts[name].sum(axis=0).astype(float)
        lines[name] = pd.DataFrame({"fpr": [fp / (fp + tn)], "fnr": [fn / (fn + tp)]})
    names = list(algorithms or data.names)

    def build(style: Style) -> go.Figure:
        return cost_curves(
            envelopes,
            style=style,
            lines=lines,
            at=at,
            colours=colors_of(colours, names, (), style),
            symbols_of=_symbols(names),
        )

    return BuiltSpec(
        name=f"cost_{data.dataset}",
        title="Cost curves",
        how_to_read=HOW_COST.format(unit=data.unit),
        alt=alt_cost_curves(envelopes),
        data=pd.concat(envelopes, names=["algorithm", "point"]),
        build=enable_zoom(build),
        caption=lambda _: caption_cost_curves(lines=True, folds=len(data.folds), unit=data.unit),
        papers=PAPERS["cost"],
    )


def cost_share(data: DataCurves, theta: float) -> float:
    """Return the share of the possible cost caused by positives at theta."""
    share = data.positive_share
    return share * (1 - theta) / (share * (1 - theta) + (1 - share) * theta)


def _symbols(names: Sequence[str]) -> dict[str, str]:
    return {name: MARKERS[i % len(MARKERS)] for i, name in enumerate(names)}
