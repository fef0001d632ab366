"""Two algorithms, data set by data set: the difference and its interval, sorted."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from foldwise.figures import text, theme, traces
from foldwise.figures.axis_parts import (
    draw_region,
    draw_zero,
    names_axis,
    side_labels,
    value_axis,
    write_sides,
)
from foldwise.figures.label_placement import add_annotations
from foldwise.figures.region_slider import add_region_slider, answers_width
from foldwise.figures.theme import Style

#: With more data sets there are dots only: no names, no intervals.
MOST_NAMED = 60


@dataclass(frozen=True, slots=True)
class _DifferencePair:
    first: str
    second: str
    measure: str
    higher_is_better: bool
    places: int

    def ends(self) -> tuple[str, str]:
        """Return who is better at the left end of the axis, and who at the right."""
        return (self.second, self.first) if self.higher_is_better else (self.first, self.second)


def differences(
    table: pd.DataFrame,
    *,
    first: str,
    second: str,
    measure: str,
    higher_is_better: bool,
    style: Style,
    region: float | None = None,
    answers: pd.DataFrame | None = None,
    click: str = "",
) -> go.Figure:
    """Draw the difference `first` minus `second` on every data set, best for `first` on top.

    Parameters
    ----------
    table : DataFrame
        One row per data set (the index; of pairs two levels, first and second) with the columns
        `difference`, `low` and `high`; the last two are NaN or infinite where nothing bounds them. `wins`, if there, holds strings such as
        ``"24/3/11"``: folds won, tied and lost by `first`. `differs`, if there, tells which rows
        are separated.
    first, second : str
        The two algorithms.
    measure : str
        What was measured, for the axis.
    higher_is_better : bool
        Its direction; it decides who is better on which side.
    style : Style
        Surface and width.
    region : float, optional
        Differences up to this do not matter: a light band around zero, named above it.
    answers : DataFrame, row x width, optional
        What is known of the rows of `table` against regions of other widths, ascending, with `region`
        among them. On the screen they stand at the right, and a slider moves between them.
    click : str
        What a click on a mark does, the last line of its hover.

    Returns
    -------
    Figure
        A dot per data set, hollow where no interval is bounded. The interval of a row that
        is separated, or without such a column excludes zero, is heavier. Marks carry the name of
        their data set.
    """
    rows = _ordered(table, higher_is_better)
    named = len(rows) <= MOST_NAMED
    values = rows["difference"].to_numpy(dtype=float)
    pair = _DifferencePair(first, second, measure, higher_is_better, text.decimals_for(values))
    margin, pitch = _margins(rows, named, style)
    margin["r"] += answers_width(answers, style)
    title = _title(pair, margin, style)
    margin["b"] += text.LINE * style.size * title.count("\n")
    plot = max(pitch * len(rows), style.px(60, 44))
    fig = theme.new_figure(style, margin["t"] + plot + margin["b"], margin=margin)
    draw_region(fig, region, -0.5, len(rows) - 0.5, style)
    draw_zero(fig, -0.5, len(rows) - 0.5, style)
    if named:
        _intervals(fig, rows, style)
    _dots(fig, rows, pair, named, click, style)
    _axes(fig, rows, pair, named, margin, style)
    _words(fig, rows, pair, named, margin, style, region)
    if answers is not None and region and not style.printed:
        add_region_slider(fig, answers.reindex(rows.index), region, margin["r"], style)
    return fig


def _ordered(table: pd.DataFrame, higher_is_better: bool) -> pd.DataFrame:
    rows = table.copy()
    for column in ("low", "high"):
        if column not in rows:
            rows[column] = np.nan
    return rows.sort_values(
        "difference", ascending=not higher_is_better, kind="stable", na_position="last"
    )


def row_label(name: object) -> str:
    """Return the name of a row; a pair is its first minus its second."""
    return " \N{MINUS SIGN} ".join(map(str, name)) if isinstance(name, tuple) else str(name)


def _names(rows: pd.DataFrame, style: Style) -> dict[str, str]:
    """Return what to print for each row, where need be on two lines: of a pair one for each."""
    room, size, serif = 0.3 * style.width, style.tick_size, style.serif
    whole = [row_label(name) for name in rows.index]
    if rows.index.nlevels == 1:
        return text.shorten(whole, room, size, serif=serif, lines=2)
    if all(text.text_width(name, size, serif) <= room for name in whole):
        return {name: text.plain_text(name) for name in whole}
    each = list(dict.fromkeys(str(name) for pair in rows.index for name in pair))
    minus = " \N{MINUS SIGN}"
    short = text.shorten(each, room - text.text_width(minus, size, serif), size, serif=serif)
    return {
        row_label(pair): f"{minus}\n".join(short[str(name)] for name in pair) for pair in rows.index
    }


def _margins(rows: pd.DataFrame, named: bool, style: Style) -> tuple[dict[str, float], float]:
    """Return the margins in px and the distance between rows."""
    em = style.size
    pitch = 1.5 * em if named else min(6.0, style.px(420, 300) / len(rows))
    left = right = style.px(12, 10)
    if named:
        shown = _names(rows, style).values()
        widths = (text.text_width(s, style.tick_size, style.serif) for s in shown)
        pitch = text.row_height(shown, style.tick_size, pitch)
        left = max(widths, default=0.0) + style.px(16, 10)
        if "wins" in rows:
            wins = [str(w) for w in rows["wins"]] + ["W/T/L"]
            right = max(text.text_width(w, em, style.serif) for w in wins) + style.px(20, 14)
    bottom = style.px(4, 3) + 1.3 * style.tick_size + 1.6 * em
    return {"l": left, "r": right, "t": 3.1 * em, "b": bottom}, pitch


def _title(pair: _DifferencePair, margin: dict[str, float], style: Style) -> str:
    """Return what the axis shows, on as many lines as the room around its middle takes."""
    said = f"{pair.measure}: {pair.first} \N{MINUS SIGN} {pair.second}"
    middle = (style.width + margin["l"] - margin["r"]) / 2
    room = 2 * min(middle, style.width - middle) - style.px(8, 4)
    return text.shorten([said], room, style.size, serif=style.serif, lines=3)[said]


def _bounded(rows: pd.DataFrame) -> pd.Series:
    """Tell which rows have an interval with two ends."""
    return np.isfinite(rows[["low", "high"]].astype(float)).all(axis=1)


def _intervals(fig: go.Figure, rows: pd.DataFrame, style: Style) -> None:
    low, high = rows["low"].to_numpy(dtype=float), rows["high"].to_numpy(dtype=float)
    place = np.arange(len(rows))
    heavy = rows["differs"].to_numpy() if "differs" in rows else (low > 0) | (high < 0)
    for clear, colour, width in (
        (False, style.faint, style.px(1.2, 0.7)),
        (True, style.ink, style.px(2.4, 1.4)),
    ):
        chosen = _bounded(rows).to_numpy() & (heavy == clear)
        x = [v for a, b in zip(low[chosen], high[chosen], strict=True) for v in (a, b, None)]
        y = [v for p in place[chosen] for v in (int(p), int(p), None)]
        if x:
            traces.add_line(fig, x, y, "heavy" if clear else "light", colour, width)


def _dots(
    fig: go.Figure, rows: pd.DataFrame, pair: _DifferencePair, named: bool, click: str, style: Style
) -> None:
    tested = _bounded(rows).to_numpy() | (not named)
    traces.add_points(
        fig,
        rows["difference"].to_list(),
        list(range(len(rows))),
        "difference",
        style.px(7, 4.6) if named else style.px(4, 2.6),
        ["circle" if t else "circle-open" for t in tested],
        style.ink,
        edge=(style.px(1.2, 0.7), style.ink),
        said=[_hover(row_label(name), row, pair, click) for name, row in rows.iterrows()],
        customdata=[row_label(name) for name in rows.index],
        meta="data set" if click else None,
    )


def _hover(name: str, row: pd.Series, pair: _DifferencePair, click: str) -> str:
    value = float(row["difference"])
    inside = text.format_interval(float(row["low"]), float(row["high"]), pair.places)
    better = pair.ends()[1] if value > 0 else pair.ends()[0]
    lines = [
        f"<b>{text.escape(name)}</b>",
        f"{text.escape(pair.first)} \N{MINUS SIGN} {text.escape(pair.second)}: "
        f"{text.format_signed(value, pair.places)} {inside}".rstrip(),
        "no difference" if value == 0 else f"{text.escape(better)} better",
    ]
    if "wins" in row and isinstance(row["wins"], str):
        lines.append(f"folds W/T/L {text.escape(row['wins'])}")
    return "<br>".join([*lines, *([click] if click else [])])


def _axes(
    fig: go.Figure,
    rows: pd.DataFrame,
    pair: _DifferencePair,
    named: bool,
    margin: dict[str, float],
    style: Style,
) -> None:
    reach = rows["difference"].to_numpy(dtype=float)
    if named:  # an interval with one end is not drawn
        reach = np.append(reach, rows.loc[_bounded(rows), ["low", "high"]].to_numpy(dtype=float))
    reach = np.append(reach[np.isfinite(reach)], 0.0)
    low, high = reach.min(), reach.max()
    pad = 0.06 * (high - low) or 1.0
    plot = style.width - margin["l"] - margin["r"]
    fig.update_xaxes(
        title={"text": text.shortened_markup(_title(pair, margin, style)), "standoff": 4},
        **value_axis(low - pad, high + pad, max(plot / (6 * style.tick_size), 2)),
    )
    short = _names(rows, style) if named else {}
    fig.update_yaxes(
        ticklabelstandoff=4,
        **names_axis(
            list(range(len(rows))) if named else [],
            [text.shortened_markup(short[row_label(n)]) for n in rows.index] if named else [],
            [len(rows) - 0.5, -0.5],
        ),
    )


def _words(
    fig: go.Figure,
    rows: pd.DataFrame,
    pair: _DifferencePair,
    named: bool,
    margin: dict[str, float],
    style: Style,
    region: float | None,
) -> None:
    """Write who is better on which side, what zero means, and the column of wins."""
    room = (style.width - margin["l"] - margin["r"]) / 2 - 5 * style.size
    ends, em = pair.ends(), style.size
    short = text.shorten(list(ends), max(room, 30), em, serif=style.serif)
    words = side_labels(short[ends[0]], short[ends[1]])
    write_sides(fig, words, "middle", (2.3 * em, 0.85 * em), style, region)
    if not named or "wins" not in rows:
        return
    wins = {"xref": "paper", "x": 1, "xanchor": "right", "xshift": margin["r"] - style.px(8, 6)}
    top = {"yref": "paper", "y": 1, "yanchor": "middle", "font": {"size": em}}
    notes = [{**top, **wins, "text": "W/T/L", "yshift": 0.85 * em}]
    for place, value in enumerate(rows["wins"]):
        notes.append({**top, **wins, "text": text.escape(value), "yref": "y", "y": place})
    add_annotations(fig, notes)


def caption_differences(
    table: pd.DataFrame,
    row: str,
    *,
    at: str = "difference of the means",
    intervals: str = "unadjusted intervals",
) -> str:
    """Return what dots and bars mean, for the caption.

    Examples
    --------
    >>> caption_differences(pd.DataFrame({"difference": [0.1, -0.2]}), "pair")
    'One dot per pair: difference of the means, sorted.'
    """
    said = f"One dot per {row}: {at}, sorted."
    known = _bounded(table) if "low" in table else pd.Series(dtype=bool)
    if len(table) > MOST_NAMED or not known.any():
        return said
    heavy = "the difference is significant" if "differs" in table else "they exclude zero"
    said += f" Bars: {intervals}, thicker where {heavy}."
    return said if known.all() else f"{said} Hollow dots have no bounded interval."


def alt_differences(
    table: pd.DataFrame,
    *,
    first: str,
    second: str,
    measure: str,
    higher_is_better: bool,
    noun: str = "data set",
) -> str:
    """Return the alternative text of the differences of two algorithms, at most 300 characters."""
    values = table["difference"].dropna().astype(float)
    advantage = values if higher_is_better else -values
    a, b = text.plain_text(first), text.plain_text(second)
    words = (
        f"Differences in {measure} between {a} and {b} on {len(values)} {noun}s. "
        f"{a} better on {int((advantage > 0).sum())}, {b} on {int((advantage < 0).sum())}, "
        f"the same result on {int((advantage == 0).sum())}."
    )
    return text.truncate_text(f"{words}{_clear_of_zero(table)}")


def alt_pairs(table: pd.DataFrame, *, effect: str, first: str = "", second: str = "") -> str:
    """Return the alternative text of the differences of pairs, at most 300 characters.

    Examples
    --------
    >>> table = pd.DataFrame({"difference": [-0.1, 0.2]}, index=["knn", "rf"])
    >>> alt_pairs(table, effect="difference in mean error", first="svm")
    'Difference in mean error of 2 pairs: svm − knn −0.10, svm − rf 0.20.'
    """
    values = table["difference"].dropna().astype(float)
    places = text.decimals_for(values.tolist())
    sides = ((first,) if first else (), (second,) if second else ())
    said = [
        f"{text.plain_text(row_label((*sides[0], *(n if isinstance(n, tuple) else (n,)), *sides[1])))} "
        f"{text.format_minus(value, places)}"
        for n, value in values.items()
    ]
    head = f"{effect[0].upper()}{effect[1:]} of {len(values)} pairs: "
    end = f".{_clear_of_zero(table)}"
    return text.fit_alt_text(head, said, ", ", end, f"{head[:-2]}{end}", " and ")


def _clear_of_zero(table: pd.DataFrame) -> str:
    """Say how many intervals exclude zero; "" without intervals."""
    if not {"low", "high"} <= set(table.columns):
        return ""
    ends = table[["low", "high"]].dropna().astype(float)
    clear = int(((ends["low"] > 0) | (ends["high"] < 0)).sum())
    return f" {clear} of {len(ends)} intervals exclude zero." if len(ends) else ""
