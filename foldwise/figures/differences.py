"""Differences of two algorithms per data set with their intervals, sorted."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from foldwise.figures import text, theme, traces
from foldwise.figures.axis_parts import (
    add_slider,
    band_corners,
    draw_region,
    draw_zero,
    names_axis,
    no_matter,
    side_labels,
    slider_step,
    value_axis,
    write_sides,
)
from foldwise.figures.label_placement import add_annotations
from foldwise.figures.theme import Style

#: With more data sets only dots are drawn, without names and intervals.
MOST_NAMED = 60


@dataclass(frozen=True, slots=True)
class _DifferencePair:
    first: str
    second: str
    measure: str
    higher_is_better: bool
    places: int

    def ends(self) -> tuple[str, str]:
        """Return the algorithms that are better at the left and at the right end of the axis."""
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
    """Draw the difference `first` minus `second` on every data set, the best for `first` on top.

    Parameters
    ----------
    table : DataFrame
        One row per data set (the index; of pairs two levels, first and second) with the columns
        `difference`, `low` and `high`; the last two are NaN or infinite for unbounded intervals. An
        optional column `wins` holds strings such as ``"24/3/11"``: folds won, tied and lost by
        `first`. An optional column `differs` marks rows with a significant difference.
    first, second : str
        The two algorithms.
    measure : str
        Name of the measure, for the axis.
    higher_is_better : bool
        Direction of the measure; it decides which algorithm is better on which side.
    style : Style
        Surface and width.
    region : float, optional
        Half-width of the equivalence region, drawn as a labelled light band around zero.
    answers : DataFrame, row x width, optional
        Answers for the rows of `table` at regions of different widths, ascending, including `region`.
        On the screen they are printed at the right, and a slider selects the width.
    click : str
        Effect of a click on a mark, the last line of its hover text.

    Returns
    -------
    Figure
        A dot per data set, hollow without a bounded interval. The interval is heavier if the row
        differs significantly, or without column `differs` if it excludes zero. Marks carry the
        name of their data set.
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
    return rows.sort_values("difference", ascending=not higher_is_better, kind="stable", na_position="last")


def row_label(name: object) -> str:
    """Return the name of a row; for a pair, first minus second."""
    return " \N{MINUS SIGN} ".join(map(str, name)) if isinstance(name, tuple) else str(name)


def _names(rows: pd.DataFrame, style: Style) -> dict[str, str]:
    """Return the name to print for each row, on two lines if necessary; a pair has one per line."""
    room, size, serif = 0.3 * style.width, style.tick_size, style.serif
    labels = [row_label(name) for name in rows.index]
    if rows.index.nlevels == 1:
        return text.shorten(labels, room, size, serif=serif, lines=2)
    if all(text.text_width(name, size, serif) <= room for name in labels):
        return {name: text.plain_text(name) for name in labels}
    algorithms = list(dict.fromkeys(str(name) for pair in rows.index for name in pair))
    minus = " \N{MINUS SIGN}"
    short = text.shorten(algorithms, room - text.text_width(minus, size, serif), size, serif=serif)
    return {row_label(pair): f"{minus}\n".join(short[str(name)] for name in pair) for pair in rows.index}


def _margins(rows: pd.DataFrame, named: bool, style: Style) -> tuple[dict[str, float], float]:
    """Return the margins in px and the distance between rows."""
    font_size = style.size
    pitch = 1.5 * font_size if named else min(6.0, style.px(420, 300) / len(rows))
    left = right = style.px(12, 10)
    if named:
        shown = _names(rows, style).values()
        widths = (text.text_width(label, style.tick_size, style.serif) for label in shown)
        pitch = text.row_height(shown, style.tick_size, pitch)
        left = max(widths, default=0.0) + style.px(16, 10)
        if "wins" in rows:
            wins = [str(label_wins) for label_wins in rows["wins"]] + ["W/T/L"]
            right = max(text.text_width(label_wins, font_size, style.serif) for label_wins in wins) + style.px(20, 14)
    bottom = style.px(4, 3) + 1.3 * style.tick_size + 1.6 * font_size
    return {"l": left, "r": right, "t": 3.1 * font_size, "b": bottom}, pitch


def _title(pair: _DifferencePair, margin: dict[str, float], style: Style) -> str:
    """Return the axis title, on as many lines as the available width requires."""
    title = f"{pair.measure}: {pair.first} \N{MINUS SIGN} {pair.second}"
    centre = (style.width + margin["l"] - margin["r"]) / 2
    room = 2 * min(centre, style.width - centre) - style.px(8, 4)
    return text.shorten([title], room, style.size, serif=style.serif, lines=3)[title]


def _bounded(rows: pd.DataFrame) -> pd.Series:
    """Return which rows have an interval with two finite ends."""
    return np.isfinite(rows[["low", "high"]].astype(float)).all(axis=1)


def _intervals(fig: go.Figure, rows: pd.DataFrame, style: Style) -> None:
    low, high = rows["low"].to_numpy(dtype=float), rows["high"].to_numpy(dtype=float)
    positions = np.arange(len(rows))
    heavy = rows["differs"].to_numpy() if "differs" in rows else (low > 0) | (high < 0)
    for is_heavy, colour, width in ((False, style.faint, style.px(1.2, 0.7)), (True, style.ink, style.px(2.4, 1.4))):
        chosen = _bounded(rows).to_numpy() & (heavy == is_heavy)
        x = [value for a, b in zip(low[chosen], high[chosen], strict=True) for value in (a, b, None)]
        y = [value for position in positions[chosen] for value in (int(position), int(position), None)]
        if x:
            traces.add_line(fig, x, y, "heavy" if is_heavy else "light", colour, width)


def _dots(fig: go.Figure, rows: pd.DataFrame, pair: _DifferencePair, named: bool, click: str, style: Style) -> None:
    filled = _bounded(rows).to_numpy() | (not named)
    traces.add_points(
        fig,
        rows["difference"].to_list(),
        list(range(len(rows))),
        "difference",
        style.px(7, 4.6) if named else style.px(4, 2.6),
        ["circle" if is_tested else "circle-open" for is_tested in filled],
        style.ink,
        edge=(style.px(1.2, 0.7), style.ink),
        said=[_hover(row_label(name), row, pair, click) for name, row in rows.iterrows()],
        customdata=[row_label(name) for name in rows.index],
        meta="data set" if click else None,
    )


def _hover(name: str, row: pd.Series, pair: _DifferencePair, click: str) -> str:
    value = float(row["difference"])
    interval = text.format_interval(float(row["low"]), float(row["high"]), pair.places)
    better = pair.ends()[1] if value > 0 else pair.ends()[0]
    lines = [
        f"<b>{text.escape(name)}</b>",
        f"{text.escape(pair.first)} \N{MINUS SIGN} {text.escape(pair.second)}: "
        f"{text.format_signed(value, pair.places)} {interval}".rstrip(),
        "no difference" if value == 0 else f"{text.escape(better)} better",
    ]
    if "wins" in row and isinstance(row["wins"], str):
        lines.append(f"folds W/T/L {text.escape(row['wins'])}")
    return "<br>".join([*lines, *([click] if click else [])])


def _axes(
    fig: go.Figure, rows: pd.DataFrame, pair: _DifferencePair, named: bool, margin: dict[str, float], style: Style
) -> None:
    extremes = rows["difference"].to_numpy(dtype=float)
    if named:  # one-sided intervals are not drawn
        extremes = np.append(extremes, rows.loc[_bounded(rows), ["low", "high"]].to_numpy(dtype=float))
    extremes = np.append(extremes[np.isfinite(extremes)], 0.0)
    low, high = extremes.min(), extremes.max()
    pad = 0.06 * (high - low) or 1.0
    plot = style.width - margin["l"] - margin["r"]
    fig.update_xaxes(
        title={"text": text.shortened_markup(_title(pair, margin, style)), "standoff": 4},
        **value_axis(low - pad, high + pad, max(plot / (6 * style.tick_size), 2)),
    )
    shortened = _names(rows, style) if named else {}
    fig.update_yaxes(
        ticklabelstandoff=4,
        **names_axis(
            list(range(len(rows))) if named else [],
            [text.shortened_markup(shortened[row_label(name)]) for name in rows.index] if named else [],
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
    """Write the side labels, the label of zero, and the column of wins."""
    room = (style.width - margin["l"] - margin["r"]) / 2 - 5 * style.size
    ends, font_size = pair.ends(), style.size
    short = text.shorten(list(ends), max(room, 30), font_size, serif=style.serif)
    side_texts = side_labels(short[ends[0]], short[ends[1]])
    write_sides(fig, side_texts, "middle", (2.3 * font_size, 0.85 * font_size), style, region)
    if not named or "wins" not in rows:
        return
    wins = {"xref": "paper", "x": 1, "xanchor": "right", "xshift": margin["r"] - style.px(8, 6)}
    top = {"yref": "paper", "y": 1, "yanchor": "middle", "font": {"size": font_size}}
    new_annotations = [{**top, **wins, "text": "W/T/L", "yshift": 0.85 * font_size}]
    for row, value in enumerate(rows["wins"]):
        new_annotations.append({**top, **wins, "text": text.escape(value), "yref": "y", "y": row})
    add_annotations(fig, new_annotations)


def caption_differences(
    table: pd.DataFrame, row: str, *, at: str = "difference of the means", intervals: str = "unadjusted intervals"
) -> str:
    """Return the caption sentences on dots and bars.

    Examples
    --------
    >>> caption_differences(pd.DataFrame({"difference": [0.1, -0.2]}), "pair")
    'One dot per pair: difference of the means, sorted.'
    """
    sentence = f"One dot per {row}: {at}, sorted."
    known = _bounded(table) if "low" in table else pd.Series(dtype=bool)
    if len(table) > MOST_NAMED or not known.any():
        return sentence
    heavy = "the difference is significant" if "differs" in table else "they exclude zero"
    sentence += f" Bars: {intervals}, thicker where {heavy}."
    return sentence if known.all() else f"{sentence} Hollow dots have no bounded interval."


def alt_differences(
    table: pd.DataFrame, *, first: str, second: str, measure: str, higher_is_better: bool, noun: str = "data set"
) -> str:
    """Return the alternative text of the differences of two algorithms, at most 300 characters."""
    values = table["difference"].dropna().astype(float)
    advantage = values if higher_is_better else -values
    a, b = text.plain_text(first), text.plain_text(second)
    sentences = (
        f"Differences in {measure} between {a} and {b} on {len(values)} {noun}s. "
        f"{a} better on {int((advantage > 0).sum())}, {b} on {int((advantage < 0).sum())}, "
        f"the same result on {int((advantage == 0).sum())}."
    )
    return text.truncate_text(f"{sentences}{_clear_of_zero(table)}")


def alt_pairs(table: pd.DataFrame, *, effect: str, first: str = "", second: str = "") -> str:
    """Return the alternative text of the differences of pairs, at most 300 characters.

    Examples
    --------
    >>> table = pd.DataFrame({"difference": [-0.1, 0.2]}, index=["knn", "rf"])
    >>> alt_pairs(table, effect="difference in mean error", first="svm")
    'Difference in mean error of 2 pairs: svm − knn −0.10, svm − rf 0.20.'
    """
    values = table["difference"].dropna().astype(float)
    decimals = text.decimals_for(values.tolist())
    sides = ((first,) if first else (), (second,) if second else ())
    parts = [
        f"{text.plain_text(row_label((*sides[0], *(name if isinstance(name, tuple) else (name,)), *sides[1])))} "
        f"{text.format_minus(value, decimals)}"
        for name, value in values.items()
    ]
    head = f"{effect[0].upper()}{effect[1:]} of {len(values)} pairs: "
    ending = f".{_clear_of_zero(table)}"
    return text.fit_alt_text(head, parts, ", ", ending, f"{head[:-2]}{ending}", " and ")


def _clear_of_zero(table: pd.DataFrame) -> str:
    """Return the sentence on how many intervals exclude zero; "" without intervals."""
    if not {"low", "high"} <= set(table.columns):
        return ""
    ends = table[["low", "high"]].dropna().astype(float)
    n_excluding = int(((ends["low"] > 0) | (ends["high"] < 0)).sum())
    return f" {n_excluding} of {len(ends)} intervals exclude zero." if len(ends) else ""


_SHOWN = "Region shown: \N{PLUS-MINUS SIGN}"


def answers_width(answers: pd.DataFrame | None, style: Style) -> float:
    """Return the width in px of the column of answers at the right; 0 without one."""
    if answers is None or style.printed:
        return 0.0
    labels = [*pd.unique(answers.to_numpy().ravel()), *map(_head, answers.columns)]
    return max(text.text_width(label, style.size, style.serif) for label in labels) + style.px(20, 14)


def add_region_slider(fig: go.Figure, answers: pd.DataFrame, chosen: float, margin: float, style: Style) -> None:
    """Write the answer of every row at its right, and add a slider for the region."""
    zero = len(fig.layout.annotations) - 1
    font_size, right = style.size, {"xref": "paper", "x": 1, "xanchor": "right"}
    common = {**right, "xshift": margin - style.px(8, 6), "yanchor": "middle", "font": {"size": font_size}}
    head = {**common, "text": _head(chosen), "yref": "paper", "y": 1, "yshift": 0.85 * font_size}
    rows = [{**common, "text": answer, "yref": "y", "y": row} for row, answer in enumerate(answers[chosen])]
    add_annotations(fig, [head, *rows])
    steps = []
    for width, column in answers.items():
        words = {f"annotations[{zero}].text": no_matter(width)}
        words[f"annotations[{zero + 1}].text"] = _head(width)
        words |= {f"annotations[{zero + 2 + row}].text": answer for row, answer in enumerate(column)}
        steps.append(slider_step(width, width == chosen, [{"x": [band_corners(width)]}, words, [0]]))
    add_slider(fig, steps, list(answers.columns).index(chosen), _SHOWN, style)


def _head(width: float) -> str:
    return f"\N{PLUS-MINUS SIGN}{width:g}"
