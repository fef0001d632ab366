"""ROC, precision-recall and sensitivity-specificity curves, with an inset of the best corner."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import cycle
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from foldwise.figures import text, theme
from foldwise.figures.label_placement import Box, even_path
from foldwise.figures.roc_traces import (
    AXES,
    PRINTED_DASHES,
    TITLES,
    CurveLegend,
    CurveStyle,
    Kind,
    draw_average,
    draw_band,
    draw_folds,
    draw_inset,
    draw_marks,
    draw_symbols,
    edge_labels,
    find_inset,
    key_rows,
    write_names,
)
from foldwise.figures.spec import Colours, FigureSpec, cached_figure, fold_names
from foldwise.figures.theme import DASHES, MARKERS, Style
from foldwise.figures.traces import thin_curves
from stats_core.comparison.cards.method_card import method_card
from stats_core.curves.curve_comparison import AVERAGES, DataCurves, mean_areas
from stats_core.curves.curve_shapes import usable
from stats_core.curves.thresholds import iso_cost_slope

#: With more algorithms fold curves are drawn only for requested or emphasised ones.
MOST_WITH_FOLDS = 3
#: Denser than the browser's own dots, which look like dashes on thin lines.
DOTTED = "1.5px,2.5px"
#: Slope, intercept and label of a cost line.
Line = tuple[float, float, str]
_HOW = (
    "Each thin line is one {unit}, the thick one their average with its band; the marks are where "
    "each {unit} works at theta. Look for a curve that is nowhere below another, and where curves "
    "cross: there the better algorithm depends on what errors cost. Bands hold at each point "
    "alone, and bands that overlap can still differ, because {unit}s are paired."
)
_HOW_ONE = (
    "Each line is one trained model on its one set of cases. Look for a curve that is nowhere below "
    "another, and where curves cross: there the better model depends on what errors cost. Which "
    "differences are more than chance the test above says, not the picture."
)
_CURVES = {"roc": "ROC", "pr": "Precision-recall", "sensitivity": "Sensitivity-specificity"}
_AREAS = {"roc": "AUC", "pr": "AUC-PR", "sensitivity": "AUC"}


@dataclass(frozen=True, kw_only=True, eq=False)
class RocCurves(FigureSpec):
    """How each algorithm trades one kind of error for the other over all thresholds.

    If the two largest areas exceed 0.95, an inset enlarges the best corner. All fold curves of an
    algorithm are one trace, whose points carry ``[fold label, threshold]``; fold marks carry the
    label, averages and means a list with the algorithm. The plot is square, in a figure of 600 x
    520 px or 3.25 x 3.1 inches.

    Attributes
    ----------
    folds : mapping of algorithm to mapping of fold label to DataFrame
        The curve of every fold, columns x, y and threshold: fpr and tpr, recall and precision,
        or specificity and sensitivity. A missing y interrupts the curve.
    averages : mapping of algorithm to DataFrame
        Columns x, y, low and high, ascending in x. Algorithms may be absent or their table
        empty; missing low or high leave the band out there.
    kind : {"roc", "pr", "sensitivity"}
        Meaning of x and y; ValueError for others.
    marks : mapping of algorithm to DataFrame
        Operating points at one threshold: one row per fold (the index its label), columns x and
        y. A larger mark is drawn at their mean.
    average, band : str
        How the average was taken and what the band shows; an empty `band` is not mentioned.
    baseline : float, optional
        Share of positive instances, the precision of random guessing; only for "pr".
    lines : sequence of (slope, intercept, label)
        Lines of equal cost, clipped to the square; "pr" has none.
    colours : mapping, optional
        Colour per algorithm, by default by position in `algorithms`. Print without colour ignores
        it.
    algorithms : sequence of str
        All algorithms, by default those drawn.
    show_folds : bool, optional
        Whether to draw the curves and marks of single folds; by default on the screen only.
    detailed : collection of str, optional
        Algorithms whose single folds are drawn; by default all, of more than three the lit ones.
    unit : str
        Source of one curve per algorithm: "fold" or "run".
    n_folds : int
        Number of folds.
    areas : mapping of algorithm to float
        The mean area under the curves.
    selected : collection of str
        Folds that keep full opacity while the others fade. Unknown labels are ignored.
    lit : collection of str
        Algorithms that keep full opacity while the others fade; all if empty.
    """

    zoom: ClassVar[str] = "xy"
    folds: Mapping[str, Mapping[str, pd.DataFrame]] = field(default_factory=dict)
    averages: Mapping[str, pd.DataFrame]
    kind: Kind
    marks: Mapping[str, pd.DataFrame] | None = None
    average: str = "vertical average"
    band: str = "one standard error"
    baseline: float | None = None
    lines: Sequence[Line] = ()
    colours: Colours = None
    algorithms: Sequence[str] = ()
    show_folds: bool | None = None
    detailed: Collection[str] | None = None
    unit: str = "fold"
    n_folds: int = 2
    areas: Mapping[str, float] = field(default_factory=dict)
    selected: Collection[str] = ()
    lit: Collection[str] = ()

    def __post_init__(self) -> None:
        if self.kind not in AXES:
            raise ValueError(f"`kind` must be roc, pr or sensitivity; got {self.kind!r}")

    def draw(self, style: Style) -> go.Figure:
        """Return the Plotly figure."""
        kind, lit = self.kind, self.lit
        names = list(dict.fromkeys([*self.folds, *self.averages, *(self.marks or {})]))
        colours = self.colours or theme.colours(self.algorithms or names, dark=style.dark)
        pens = _pens(names, colours, lit, style)
        known = {name: _known(table) for name, table in self.averages.items() if len(table)}
        known = {name: known[name] for name in names if name in known and len(known[name])}
        marks = {name: table.dropna() for name, table in (self.marks or {}).items()}
        detailed = _detailed(names, lit, style, self.show_folds, self.detailed)
        curves = {name: self.folds[name] for name in detailed if self.folds.get(name)}
        lines = [] if kind == "pr" else _clipped(self.lines)

        with_band = _banded(known, names, lit, style)
        average, band = self.average if known else "", self.band if with_band else ""
        fig, frame = _frame(kind, average, band, lines, style)
        for name in with_band:
            draw_band(fig, known[name], pens[name], style)
        reference = _reference(fig, kind, self.baseline, style)
        _cost_lines(fig, lines, style)
        for name, table in curves.items():
            draw_folds(fig, table, pens[name], AXES[kind], self.selected, style, unit=self.unit)
        for name, table in known.items():
            draw_average(fig, table, pens[name], AXES[kind], self.average, self.band, style)
        for position, (name, table) in enumerate(known.items()):
            if len(names) > len(DASHES):
                path = even_path(table[["x", "y"]].to_numpy(dtype=float), 121)
                draw_symbols(fig, path[10 + 5 * (position % 8) : 112 : 40], pens[name], style)
        for name, table in marks.items():
            if len(table):
                options = {"folds": name in detailed, "unit": self.unit}
                draw_marks(fig, table, pens[name], AXES[kind], self.selected, style, **options)

        occupied = []
        if kind == "pr" and self.baseline is not None:
            occupied.append(frame.box_of_baseline(self.baseline))
        points = [table[["x", "y"]].to_numpy() for table in marks.values()]
        legend = CurveLegend(pens=pens, side=frame.side, style=style, backed=bool(curves))
        straight = [reference, *(np.array(line.ends) for line in lines)]
        key_size = key_rows(list(known), legend).extent if known else (0.0, 0.0)
        inset = find_inset(known, kind == "roc", frame.side, points, occupied, key_size, style)
        if inset is not None:
            draw_inset(fig, inset, known, pens, style)
            occupied.append(inset.taken)
            straight.append(inset.frame)
        write_names(fig, known, list(curves), legend, straight, points, curves, occupied)
        edge_labels(fig, [(line.ends, line.label) for line in lines], frame.side, style)
        return fig

    def caption(self, style: Style) -> str:
        """Return the sentences below the figure."""
        kind, unit = self.kind, self.unit
        curve_name = "ROC" if kind == "roc" else _CURVES[kind].lower()
        inset = any(trace.name == "inset" for trace in self.figure(style).data)
        tail = "Dotted: guessing." + " Inset: the framed corner." * inset
        if self.n_folds == 1:
            return f"The {curve_name} curve of each on its one set of cases: no average, no band. {tail}"
        curves = f"{curve_name} curves of {self.n_folds} {unit}s"
        sentences = f"Thick curves: {text.plain_text(self.average)} of the {curves}"
        detailed = [] if style.printed else list(self.detailed or ())
        if detailed:
            names = text.join_escaped(map(text.plain_text, detailed), 3)
            sentences += f"; thin ones: the single {unit}s of {names}"
        sentences = f"{sentences}." if self.average else f"Thin curves: the {curves}."
        has_bands = len(self.averages) <= MOST_WITH_FOLDS or not style.printed
        if self.band and has_bands:
            sentences += f" Band: {text.plain_text(self.band)}."
        return f"{sentences} {tail}"

    @property
    def data(self) -> pd.DataFrame:
        """The average curves."""
        return pd.concat(self.averages, names=["algorithm", "point"])

    @property
    def how_to_read(self) -> str:
        """What lines and marks mean."""
        return _HOW_ONE if self.n_folds == 1 else _HOW.format(unit=self.unit)

    @property
    def alt(self) -> str:
        """Alternative text, at most 300 characters.

        Examples
        --------
        >>> knn = pd.DataFrame({"x": [0, 0.4, 1], "y": [0, 0.9, 1]})
        >>> mdt = pd.DataFrame({"x": [0, 0.1, 1], "y": [0, 0.7, 1]})
        >>> averages, areas = {"knn": knn, "mdt": mdt}, {"knn": 0.76, "mdt": 0.8}
        >>> RocCurves(kind="roc", averages=averages, areas=areas).alt.split(". ")[1]
        'Mean AUC knn 0.76, mdt 0.80; curves cross at fpr 0.35.'
        """
        kind = self.kind
        names = list(dict.fromkeys([*self.averages, *self.areas]))
        head = f"{_CURVES[kind]} curves of {len(names)} algorithm{'s' * (len(names) != 1)}."
        parts = [
            f"{text.truncate_text(text.plain_text(name), 48)} {value:.2f}"
            for name, value in self.areas.items()
            if np.isfinite(value)
        ]
        crossing = _crossing_words(self.averages, AXES[kind][0])
        sentence = f" {crossing[0].upper()}{crossing[1:]}." if crossing else ""
        ending = f"{'; ' + crossing if crossing else ''}."
        start = f"{head} {'Mean ' if self.n_folds > 1 else ''}{_AREAS[kind]} "
        return text.fit_alt_text(start, parts, ", ", ending, f"{head}{sentence}", " and ")


def roc(
    folds: Mapping[str, Mapping[str, pd.DataFrame]],
    averages: Mapping[str, pd.DataFrame],
    *,
    style: Style,
    **options: Any,
) -> go.Figure:
    """Draw ROC or related curves; `options` are the fields of `RocCurves`."""
    return RocCurves(folds=folds, averages=averages, **options).draw(style)


_TITLES = {"roc": "ROC curves", "pr": "Precision-recall curves", "sensitivity": "Sensitivity curves"}


@cached_figure
def roc_drawing(
    data: DataCurves,
    averages: Mapping[str, pd.DataFrame],
    *,
    areas: Mapping[str, pd.DataFrame],
    kind: Kind = "roc",
    average: str = AVERAGES[0],
    band: str = "",
    paths: Mapping[str, Mapping[str, pd.DataFrame]] | None = None,
    marks: Mapping[str, pd.DataFrame] | None = None,
    lines: Sequence[Line] = (),
    colours: Colours = None,
    selected: Collection[str] = (),
    lit: Collection[str] = (),
) -> RocCurves:
    """Return the figure of the curves of one data set."""
    single, paths = len(data.folds) == 1, paths or {}
    column = "auc_pr" if kind == "pr" else "auc"
    return RocCurves(
        name=f"{kind}_{data.dataset}",
        title=_TITLES[kind],
        papers=method_card("pr_curve" if kind == "pr" else "roc_curve").papers,
        folds=paths,
        averages=averages,
        kind=kind,
        marks=marks,
        average="" if single else average,
        band="" if single or average == AVERAGES[2] else band,
        baseline=data.positive_share if kind == "pr" else None,
        lines=lines,
        colours=colours,
        algorithms=data.names,
        detailed=[name for name in averages if paths.get(name)],
        unit=data.unit,
        n_folds=len(data.folds),
        areas=mean_areas(areas)[column].loc[list(averages)].to_dict(),
        selected=selected,
        lit=[name for name in lit if name in averages],
    )


def fold_paths(data: DataCurves, kind: str) -> dict[str, dict[str, pd.DataFrame]]:
    """Return the curve of every fold, thinned to the points visible in a figure."""
    labels = fold_names(data.folds)
    paths = {}
    for name, curves in data.curves.items():
        indices = usable(curves)
        tables = [curves.pr(i) if kind == "pr" else curves.roc(i) for i in indices]
        tables = [table.set_axis(["x", "y", "threshold"], axis=1) for table in tables]
        if kind == "sensitivity":
            tables = [table.assign(x=1 - table["x"]) for table in tables]
        paths[name] = dict(zip([labels[i] for i in indices], thin_curves(tables), strict=True))
    return paths


def operating_points(data: DataCurves, counts: np.ndarray, kind: str) -> pd.DataFrame:
    """Return the operating point of each fold from the counts at the threshold."""
    tp, fp, tn, fn = counts.T.astype(float)
    with np.errstate(invalid="ignore"):
        tpr, fpr, precision = tp / (tp + fn), fp / (fp + tn), tp / (tp + fp)
    x, y = {"roc": (fpr, tpr), "pr": (tpr, precision), "sensitivity": (1 - fpr, tpr)}[kind]
    return pd.DataFrame({"x": x, "y": y}, index=fold_names(data.folds)).dropna()


def same_cost(data: DataCurves, marks: dict[str, pd.DataFrame], theta: float) -> tuple[float, float, str]:
    """Return slope, intercept and name of the iso-cost line through the best mean point."""
    slope = iso_cost_slope(theta, int(data.positives.sum()), int(data.negatives.sum()))
    intercept = max(float(table["y"].mean() - slope * table["x"].mean()) for table in marks.values() if len(table))
    return slope, intercept, "same cost"


def _crossing_words(averages: Mapping[str, pd.DataFrame], axis: str) -> str:
    """Return where two average curves first cross; "" for other numbers of curves."""
    tables = [table.dropna(subset=["x", "y"]) for table in averages.values()]
    if len(tables) != 2 or not all(len(table) for table in tables):
        return ""
    crossing = first_crossing(*tables)
    return "curves do not cross" if np.isnan(crossing) else f"curves cross at {axis} {crossing:.2g}"


def first_crossing(first: pd.DataFrame, second: pd.DataFrame) -> float:
    """Return the smallest x at which two curves cross, NaN if they do not.

    Examples
    --------
    >>> line = pd.DataFrame({"x": [0, 1], "y": [0.0, 1.0]})
    >>> bent = pd.DataFrame({"x": [0, 0.25, 1], "y": [0.5, 0.5, 0.5]})
    >>> first_crossing(line, bent)
    0.5
    """
    first, second = (table.sort_values("x", kind="stable") for table in (first, second))
    low = max(first["x"].iloc[0], second["x"].iloc[0])
    high = min(first["x"].iloc[-1], second["x"].iloc[-1])
    grid = np.union1d(first["x"], second["x"])
    grid = grid[(grid >= low) & (grid <= high)]
    gap = np.interp(grid, first["x"], first["y"]) - np.interp(grid, second["x"], second["y"])
    nonzero = np.flatnonzero(np.abs(gap) > 1e-9)
    for before, after in zip(nonzero[:-1], nonzero[1:], strict=True):
        if gap[before] * gap[after] > 0:
            continue
        if after > before + 1:
            return float(grid[before + 1] + grid[after - 1]) / 2
        share = gap[before] / (gap[before] - gap[after])
        return float(grid[before] + share * (grid[after] - grid[before]))
    return float("nan")


def _pens(names, hues, emphasised, style) -> dict[str, CurveStyle]:
    """Return the colour, dash and symbol of each algorithm."""
    inked = style.printed and not style.colour
    return {
        name: CurveStyle(
            name=name,
            colour=style.ink if inked else hues.get(name, theme.GREY),
            dash=PRINTED_DASHES[dash] if style.printed else dash,
            symbol=MARKERS[position % len(MARKERS)],
            faint=bool(emphasised) and name not in emphasised,
        )
        for position, (name, dash) in enumerate(zip(names, cycle(DASHES), strict=False))
    }


def _known(table: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of an average without missing x or y, ascending in x."""
    return table[["x", "y", "low", "high"]].dropna(subset=["x", "y"]).sort_values("x", kind="stable")


def _detailed(names, emphasised, style, show_folds, detailed) -> list[str]:
    """Return the algorithms whose single folds are drawn."""
    if show_folds is None:
        show_folds = not style.printed
    if not show_folds:
        return []
    if detailed is None and len(names) <= MOST_WITH_FOLDS:
        return names
    return [name for name in names if name in (emphasised if detailed is None else detailed)]


def _banded(averages, names, emphasised, style) -> list[str]:
    """Return the algorithms whose band is drawn; in print at most three, since more overlap."""
    known = [n for n, table in averages.items() if (table["high"] - table["low"]).notna().any()]
    if not style.printed or len(names) <= MOST_WITH_FOLDS:
        return known
    return [name for name in known if name in emphasised]


@dataclass(frozen=True, slots=True)
class _Clipped:
    """A cost line inside the unit square: its left and its right end, and its label."""

    ends: tuple[tuple[float, float], tuple[float, float]]
    label: str


def _clipped(lines: Sequence[Line]) -> list[_Clipped]:
    """Clip straight lines to the unit square."""
    parts = []
    for slope, intercept, label in lines:
        if not np.isfinite([slope, intercept]).all():
            continue
        left, right = 0.0, 1.0
        if slope != 0:
            crossings = sorted([-intercept / slope, (1 - intercept) / slope])
            left, right = max(left, crossings[0]), min(right, crossings[1])
        elif not 0 <= intercept <= 1:
            continue
        if right - left > 1e-9:
            ends = [(x, min(max(slope * x + intercept, 0.0), 1.0)) for x in (left, right)]
            parts.append(_Clipped((ends[0], ends[1]), label))
    return parts


@dataclass(frozen=True, slots=True)
class _RocFrame:
    """The plot area: side in px when fully laid out, and style."""

    side: float
    style: Style

    def box_of_baseline(self, share: float) -> Box:
        """Return the box in px occupied by the label of the baseline."""
        width = text.text_width(_baseline_words(share), self.style.tick_size, self.style.serif)
        low = share * self.side - (1.5 * self.style.tick_size if share > 0.9 else 0)
        return Box(0, low, width + 8, low + 1.5 * self.style.tick_size)


def _frame(kind, average, band, lines, style) -> tuple[go.Figure, _RocFrame]:
    """Return the empty square plot with its axes and the note on average and band above it."""
    width = style.width if style.printed else min(style.width, 600)
    height = min(300 / 312 * width, 420) if style.printed else 520
    at_right = [line.label for line in lines if line.ends[1][0] > 1 - 1e-9]
    label_widths = [text.text_width(text.plain_text(label), style.tick_size, style.serif) for label in at_right]
    margin = {
        "l": style.px(58, 38),
        "r": max(style.px(20, 12), *(label_width + style.px(10, 7) for label_width in label_widths), 0),
        "b": style.px(46, 34),
    }
    across = width - margin["l"] - margin["r"]
    note = _note(average, band, across, style)
    at_top = any(max(end[1] for end in line.ends) > 1 - 1e-9 for line in lines)
    rows = len(note) + at_top
    margin["t"] = style.px(8, 6) + 1.3 * style.tick_size * max(rows, 0.5)
    side = min(across, height - margin["t"] - margin["b"])
    fig = theme.new_figure(style, side + margin["t"] + margin["b"], margin=margin)
    axis = {"range": [0, 1], "dtick": 0.2, "tickformat": ".1f", "fixedrange": True}
    x_title, y_title = TITLES[kind]
    fig.update_xaxes(title={"text": x_title, "standoff": 4}, constrain="domain", **axis)
    fig.update_yaxes(title={"text": y_title, "standoff": 4}, constrain="domain", scaleanchor="x", scaleratio=1, **axis)
    if note:
        fig.add_annotation(
            text="<br>".join(text.escape(row) for row in note),
            xref="x domain",
            yref="y domain",
            x=0,
            y=1,
            xanchor="left",
            yanchor="bottom",
            align="left",
            yshift=style.px(5, 4) + 1.3 * style.tick_size * at_top,
            font={"size": style.tick_size, "color": style.second},
        )
    return fig, _RocFrame(side, style)


def _note(average: str, band: str, room: float, style: Style) -> list[str]:
    """Return one or two lines that describe the average curves and the bands."""
    rows = [text.plain_text(average), f"band: {text.plain_text(band)}" if band else ""]
    rows = [row for row in rows if row]
    joined = ", ".join(rows)
    if rows and text.text_width(joined, style.tick_size, style.serif) <= room:
        return [joined]
    short = text.shorten(rows, room, style.tick_size, serif=style.serif)
    return list(short.values())


def _reference(fig, kind, baseline, style) -> np.ndarray:
    """Draw the line of random guessing and return its two ends."""
    ends = {"roc": [[0, 0], [1, 1]], "sensitivity": [[0, 1], [1, 0]]}.get(kind)
    if kind == "pr":
        if baseline is None:
            return np.empty((0, 2))
        ends = [[0, baseline], [1, baseline]]
    fig.add_scatter(
        x=[ends[0][0], ends[1][0]],
        y=[ends[0][1], ends[1][1]],
        mode="lines",
        name="guessing",
        line={"color": style.leader, "width": style.px(1.2, 0.7), "dash": DOTTED},
        hoverinfo="skip",
    )
    if kind == "pr":
        fig.add_annotation(
            text=_baseline_words(baseline),
            x=0,
            y=baseline,
            xanchor="left",
            yanchor="top" if baseline > 0.9 else "bottom",
            xshift=4,
            yshift=-2 if baseline > 0.9 else 2,
            font={"size": style.tick_size, "color": style.second},
        )
    return np.array(ends, dtype=float)


def _baseline_words(share: float) -> str:
    return f"share of positives {share:.2g}" if share < 0.1 else f"share of positives {share:.2f}"


def _cost_lines(fig, lines, style) -> None:
    for line in lines:
        fig.add_scatter(
            x=[end[0] for end in line.ends],
            y=[end[1] for end in line.ends],
            mode="lines",
            name="equal cost",
            line={"color": style.second, "width": style.px(0.8, 0.5), "dash": DOTTED},
            hovertext=text.escape(line.label),
            hoverinfo="text",
        )
