"""Who wins at which loss: pairs of algorithms over a sweep of thresholds, and their risks."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd
import plotly.graph_objects as go

from foldwise.figures import text, theme
from foldwise.figures.series_styles import looks
from foldwise.figures.theme import Style
from foldwise.figures.threshold_axes import (
    SweepData,
    draw_axes,
    draw_current,
    loss_words,
    sweep_axes,
)
from foldwise.figures.threshold_cells import are_win_counts, draw_cells, draw_tallies
from foldwise.figures.threshold_curves import draw_risks
from stats_core.core.errors import SettingError

__all__ = ["alt_loss_winners", "caption_loss_winners", "loss_words", "loss_winners"]


def loss_winners(
    winners: pd.DataFrame,
    risks: pd.DataFrame,
    *,
    style: Style,
    tallies: pd.DataFrame | None = None,
    hover: pd.DataFrame | None = None,
    theta: float | None = None,
    colours: Mapping[str, str] | None = None,
    symbols_of: Mapping[str, str] | None = None,
) -> go.Figure:
    """Draw who wins at every threshold theta, and below it the mean risk of every algorithm.

    Parameters
    ----------
    winners : DataFrame
        One column per theta, ascending. Either one row per pair, a cell being the name of the
        winner or ``""`` if no difference is shown; or one row per algorithm, a cell being the
        number of algorithms it wins over. Numbers are told by their dtype.
    risks : DataFrame
        Mean total risk, theta by algorithm, the algorithms in the order of the data. What is
        not finite is a gap.
    style : Style
        Surface and width.
    tallies : DataFrame, optional
        Per row of `winners` the columns ``text``, printed at the right, and ``hover``.
    hover : DataFrame, optional
        Per cell of `winners` what hover says below theta and lambda, in plain text, a
        line break between lines.
    theta : float, optional
        The threshold at hand; its column is framed.
    colours, symbols_of : mapping, optional
        Colour and marker per algorithm, as on all pages.

    Returns
    -------
    Figure
        Cells and risk lines carry their theta as ``customdata``.

    Raises
    ------
    SettingError
        If `winners` has no cell, or `risks` stands at other thetas.
    """
    _check(winners, risks)
    sweep = SweepData.of(winners, risks, tallies, style)
    names = [str(name) for name in risks.columns]
    if not sweep.counts:
        known = {str(name) for row in winners.to_numpy() for name in row if isinstance(name, str)}
        names += sorted(known - set(names) - {""})
    drawn = looks(names, style, colours, symbols_of)
    frame = sweep_axes(sweep, style)
    fig = theme.new_figure(style, frame.height, margin=frame.margin, bargap=0)
    draw_axes(fig, sweep, frame, style)
    draw_cells(fig, sweep, frame, drawn, hover, style)
    draw_tallies(fig, sweep, frame, style)
    draw_risks(fig, sweep, frame, drawn, style)
    draw_current(fig, sweep, theta, style)
    return fig


def _check(winners: pd.DataFrame, risks: pd.DataFrame) -> None:
    if not winners.size:
        raise SettingError(
            "A sweep needs at least one row and one threshold. `winners` has "
            f"{winners.shape[0]} rows and {winners.shape[1]} columns. Pass the table of a sweep."
        )
    if [float(t) for t in winners.columns] != [float(t) for t in risks.index]:
        raise SettingError(
            "The columns of `winners` and the index of `risks` must be the same thresholds. "
            f"They are {len(winners.columns)} and {len(risks.index)} that differ. "
            "Take both from the same sweep."
        )


def alt_loss_winners(winners: pd.DataFrame) -> str:
    """Return the alternative text of the sweep, at most 300 characters.

    Examples
    --------
    >>> table = pd.DataFrame([["knn", "", "mdt"]], ["knn / mdt"], [0.0, 0.5, 1.0])
    >>> alt_loss_winners(table)
    'Threshold sweep of 1 pair at 3 thresholds. knn wins at 1 of 3 thresholds, mdt at 1.'
    """
    rows, count = winners.shape
    if are_win_counts(winners):
        totals = winners.sum(axis=1).sort_values(ascending=False, kind="stable")
        said = [f"{_short(name)} {int(total)}" for name, total in totals.items()]
        head = f"Threshold sweep of {rows} algorithms at {count} thresholds. Wins in all: "
        return text.fit_alt_text(head, said, ", ", ".", head.strip())
    said = []
    for label, row in winners.iterrows():
        wins = row[row.notna() & (row != "")].value_counts(sort=False)
        each = [f"{_short(name)} at {number}" for name, number in wins.items()]
        if each:
            first, *rest = each
            who, _, number = first.rpartition(" at ")
            each = [f"{who} wins at {number} of {count} thresholds", *rest]
        else:
            each = ["no difference shown at any threshold"]
        said.append((f"{_short(label)}: " if rows > 1 else "") + ", ".join(each))
    head = f"Threshold sweep of {rows} pair{'s' * (rows > 1)} at {count} thresholds. "
    return text.fit_alt_text(head, said, "; ", ".", head.strip())


def _short(name: object) -> str:
    return text.truncate_text(text.plain_text(name), 60)


def caption_loss_winners(*, counts: bool = False, rule: str = "risk") -> str:
    """Return what the marks mean, for the caption.

    Parameters
    ----------
    counts : bool
        Whether there is a row per algorithm with its number of wins, not a row per pair.
    rule : {"risk", "thesis"}
        Whether the winner's risk has to be significantly lower, or just lower.
    """
    lower = "a significantly lower" if rule == "risk" else "the lower"
    if counts:
        cells = "Each number counts the algorithms that the row wins over at that threshold"
        most = " The most wins of a column are bold."
    else:
        cells, most = "A symbol names the winner of the pair at that threshold", ""
    return (
        f"{cells}: the multivariate test rejects and the winner has {lower} risk; a dot means "
        f"that no difference is shown.{most} Below, the mean risk theta fp + "
        "(1 \N{MINUS SIGN} theta) fn, which weights a false positive lambda = theta / "
        "(1 \N{MINUS SIGN} theta) times as much as a false negative. Neighbouring thresholds share their cases, so "
        "counts over thresholds describe and are no independent evidence."
    )
