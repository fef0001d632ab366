"""Thresholds and losses: who wins at which cost of errors, on one data set and on all."""

from functools import partial

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from figures.cost_curves import alt_cost_curves, caption_cost_curves, cost_curves
from figures.theme import MARKERS, Style
from figures.threshold_sweep import alt_threshold_sweep, caption_threshold_sweep, threshold_sweep
from stats_core.errors import FoldwiseError
from stats_core.losses import cost_envelope
from stats_core.on_curves import DataCurves
from stats_core.sweep import DESCRIPTIVE, Sweep
from stats_core.wording import count, number, p_phrase, p_text
from ui import cached, curve_views, fold_views, inputs, show, state
from ui.measure_views import RULES

TOGETHER = {
    "tp, fp, tn, fn": ("tp", "fp", "tn", "fn"),
    "precision, recall": ("precision", "recall"),
}
MOST_PAIRS = 10
HOW_SWEEP = (
    "Each column is a threshold, with the loss it stands for below it. A mark says who wins: the "
    "errors differ by the multivariate test, and the winner's total risk is lower. A dot says that "
    "no difference is shown. Look where the winner changes. Neighbouring columns share their "
    "cases, so a long run of marks is not many pieces of evidence."
)
HOW_COST = (
    "Across: how much of the possible cost lies with positives, from class shares and losses "
    "together; up: the expected cost, 1 being always wrong. Each curve is the best an algorithm can "
    "do when its threshold suits the cost. Look which curve is lowest where your costs lie. Curves "
    "are averages over folds without a test: the sweep above tests."
)


def losses(context: state.Context, data: DataCurves, fraction: float | None) -> None:
    """Draw the sweep over thresholds, the risks and the cost curves."""
    names = tuple(n for n in data.names if n not in context.settings.without_algorithms)
    if len(names) < 2:
        st.caption("Who wins needs two algorithms. Leave fewer out.")
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        theta = inputs.theta(context.read)
        together = TOGETHER[inputs.option("Errors tested", "sweep", TOGETHER)]
        rule = RULES[inputs.option("A win is", "rule", RULES, width=270)]
        scale = curve_views.scale(data)
    wanted = (together, rule, context.settings.alpha, fraction, scale)
    try:
        found = cached.sweep_on(f"{context.read_key}/{data.dataset}/{names}", names, *wanted, data)
    except FoldwiseError as error:
        show.refusal("The thresholds cannot be compared.", str(error))
        return
    sweep_figure(context, data, found, theta)
    tally_table(found, data.dataset)
    cost_figure(context, data, names, theta, scale)
    _over_data_sets(context, names, wanted)


def sweep_figure(context: state.Context, data: DataCurves, found: Sweep, theta: float) -> None:
    """Draw F12; a click on a column sets theta."""
    hues, symbols = _looks(context)
    pairs = len(found.pairs) <= MOST_PAIRS
    winners = found.winners if pairs else _wins_by_algorithm(found)
    tallies = _tallies(found) if pairs else None
    hover = _hover(found) if pairs else None

    def build(style: Style) -> go.Figure:
        return threshold_sweep(
            winners,
            found.risks,
            style=style,
            tallies=tallies,
            hover=hover,
            theta=min(found.thetas, key=lambda t: abs(t - theta)),
            colours=hues,
            symbols_of=symbols,
        )

    name = f"sweep_{data.dataset}_{'_'.join(found.measures)}"
    points = show.figure(
        f"Who wins at which loss, by {', '.join(found.measures)}",
        build,
        name=name,
        how_to_read=HOW_SWEEP,
        alt=alt_threshold_sweep(winners),
        data=found.to_frame(),
        caption=lambda _: caption_threshold_sweep(counts=not pairs),
        select=True,
    )
    st.caption(show.escape(f"{found.method}. Click a column to set theta."))
    _take_theta(points, name)


def _looks(context: state.Context) -> tuple[dict[str, str], dict[str, str]]:
    names = context.read.algorithms
    symbols = {name: MARKERS[i % len(MARKERS)] for i, name in enumerate(names)}
    return fold_views.palette(names, context.highlight), symbols


def _wins_by_algorithm(found: Sweep) -> pd.DataFrame:
    """Return over how many others each algorithm wins at each threshold."""
    table = pd.DataFrame(0, index=list(found.names), columns=found.winners.columns)
    for name in found.names:
        table.loc[name] = (found.winners == name).sum().to_numpy()
    return table


def _tallies(found: Sweep) -> pd.DataFrame:
    """Say for every pair who wins at more thresholds, with the p of the sign test."""
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


def _hover(found: Sweep) -> pd.DataFrame:
    """Say for every cell who wins with which risks, or why nobody does."""
    table = found.reasons.copy()
    for (a, b), label in zip(found.pairs, found.winners.index, strict=True):
        for theta in found.winners.columns:
            winner = found.winners.at[label, theta]
            if not winner:
                continue
            risks = found.risks.loc[theta]
            p = p_phrase(found.pvalues.at[label, theta], found.alpha)
            table.at[label, theta] = (
                f"{winner} wins, {p}\nrisk per case {a} {number(risks[a], 4)}, "
                f"{b} {number(risks[b], 4)}"
            )
    return table


def _take_theta(points: list[dict], name: str) -> None:
    """A click on a column sets theta for all pages, once per click."""
    picked = [p["customdata"] for p in points if isinstance(p.get("customdata"), int | float)]
    value = float(picked[0]) if picked else None
    key = f"_click_{name}"
    if value == st.session_state.get(key):
        return
    st.session_state[key] = value
    if value is not None:
        st.session_state[state.NEXT_THETA] = value
        st.rerun()


def tally_table(found: Sweep, dataset: str) -> None:
    """Show wins over thresholds, pair by pair."""
    tally = found.tally()
    table = tally.assign(verdict=np.where(tally["beats"], "wins more often", ""))
    table = table.drop(columns="beats").set_index(["first", "second"])
    show.table(
        table,
        title=f"Thresholds won, of {len(found.thetas)}",
        name="tally",
        formats={"p": partial(p_text, alpha=found.alpha)},
        caption=f"Thresholds at which the first wins on {dataset}; right-tailed sign test.",
    )
    st.caption(show.escape(DESCRIPTIVE))


def cost_figure(
    context: state.Context, data: DataCurves, names: tuple[str, ...], theta: float, scale: str
) -> None:
    """Draw the expected cost of every algorithm at every skew of classes and losses."""
    key = f"{context.read_key}/{data.dataset}"
    points = cached.curve_averages(
        key, "roc", "threshold average", "one standard error", None, data
    )
    envelopes = {n: cost_envelope(points[n]["x"], points[n]["y"]) for n in names}
    counts = dict(zip(data.names, data.counts([theta], scale)[0], strict=True))
    lines = {}
    for name in names:
        tp, fp, tn, fn = counts[name].sum(axis=0).astype(float)
        lines[name] = pd.DataFrame({"fpr": [fp / (fp + tn)], "fnr": [fn / (fn + tp)]})
    share = data.positive_share
    at = share * (1 - theta) / (share * (1 - theta) + (1 - share) * theta)
    hues, symbols = _looks(context)

    def build(style: Style) -> go.Figure:
        return cost_curves(
            envelopes, style=style, lines=lines, at=at, colours=hues, symbols_of=symbols
        )

    with st.container(horizontal=True):
        left, right = st.container(width=600), st.container(width=362)
    with left:
        show.figure(
            "Cost curves",
            build,
            name=f"cost_{data.dataset}",
            how_to_read=HOW_COST,
            alt=alt_cost_curves(envelopes),
            data=pd.concat(envelopes, names=["algorithm", "point"]),
            caption=lambda _: caption_cost_curves(lines=True),
            width=600,
        )
    with right:
        st.caption(
            f"The vertical line is your theta: at theta {theta:.2f} and with {share:.0%} positives, "
            f"{at:.0%} of the possible cost lies with positives. Thin lines are what each "
            "algorithm costs if it keeps this threshold whatever the costs."
        )


def _over_data_sets(context: state.Context, names: tuple[str, ...], wanted: tuple) -> None:
    """Count on how many data sets each algorithm wins the sweep, when asked."""
    sets = [n for n in context.read.datasets if n not in context.settings.without_datasets]
    if len(sets) < 2:
        return
    if not st.toggle(f"Sweep all {count(len(sets), 'data set')}", key="sweep_all"):
        return
    won, skipped = cached.sweep_all(
        f"{context.read_key}/{names}/{sets}", names, tuple(sets), wanted, context.read
    )
    for name, why in skipped.items():
        st.caption(show.escape(f"{name} is left out: {why}"))
    if won is None:
        return
    st.markdown(f"**{show.escape(won.text)}**")
    table = won.to_frame().set_index(["first", "second"])
    table["differs"] = np.where(table["differs"], "differs", "not separated")
    show.table(
        table,
        title=f"Data sets won, of {won.n}",
        name="sweep_wins",
        formats={"p adjusted": partial(p_text, alpha=won.alpha)},
        caption="Data sets on which the first wins the sweep over thresholds; two-tailed sign "
        "test, Bonferroni over pairs.",
    )
