"""ROC, precision-recall and sensitivity-specificity curves, with an enlarged inset of the corner."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from foldwise.figures import text, theme, traces
from foldwise.figures.corner_inset import draw_inset, find_inset
from foldwise.figures.label_placement import (
    Box,
    Candidates,
    Label,
    PlacementBoard,
    Plane,
    add_annotations,
    annotation_at,
    candidate_positions,
    even_path,
    join_points,
    text_size,
    width_scales,
)
from foldwise.figures.spec import (
    Colours,
    FigureSpec,
    cached_figure,
    figure_text,
    fold_names,
    size_of_test_set,
)
from foldwise.figures.theme import DASHES, FADED, GREY, MARKERS, PX_PER_POINT, Style
from foldwise.figures.traces import NamedStyle, algorithm_marker
from stats_core.comparison.cards import method_card
from stats_core.core.formatting import measure_name
from stats_core.curves import curve_comparison, thresholds
from stats_core.curves.curve_comparison import AVERAGES, DataCurves

Kind = Literal["roc", "pr", "sensitivity"]
#: Slope, intercept and label of a cost line.
Line = tuple[float, float, str]
#: Short names of x and y, for hover and alternative text.
_AXES = {
    "roc": ("fpr", "tpr"),
    "pr": ("recall", "precision"),
    "sensitivity": ("specificity", "sensitivity"),
}
_AXIS_TITLES = {**_AXES, "roc": (figure_text("roc.fpr"), figure_text("roc.tpr"))}
_CURVES = {"roc": "ROC", "pr": "Precision-recall", "sensitivity": "Sensitivity-specificity"}
_TITLES = {
    "roc": "ROC curves",
    "pr": "Precision-recall curves",
    "sensitivity": "Sensitivity curves",
}
_AREAS = {"roc": "AUC", "pr": "AUC-PR", "sensitivity": "AUC"}
#: With more algorithms fold curves are drawn only for requested or emphasised ones.
MOST_WITH_FOLDS = 3
#: Denser than the browser's own dots, which look like dashes on thin lines.
_DOTTED = "1.5px,2.5px"
#: Opacity of fold curves, and of unselected ones while others are selected.
_FOLD, _OTHER_FOLD = 0.35, 0.15
#: Dashes in px for print, whose lines are too thin for Plotly's named dashes.
_PRINTED_DASHES = {
    "solid": "solid",
    "dash": "5px,3px",
    "dot": "1.5px,2px",
    "dashdot": "5px,2px,1.5px,2px",
    "longdash": "9px,3.5px",
    "longdashdot": "9px,2.5px,1.5px,2.5px",
}
#: Decimals of fold curves; more would enlarge the page without a visible effect.
_DIGITS = 5
#: Number of candidate positions along a curve, and of points that represent the curve.
_PLACES, _POINTS = 48, 240
#: Distance in px of names and legend from the edges of the square.
_INSET = (3.0, 3.0, 3.0, 3.0)
#: Largest share of the height used by the legend.
_MOST_HEIGHT = 0.66
#: Height of a legend row on the screen, in text sizes: in a narrow window the square
#: shrinks, but the text does not.
_SCREEN_ROW = 1.9
#: Property of a trace whose marks keep their opacity while others are selected.
_UNFADED = {"marker": {"opacity": 1}}
#: Least width of a visible band, in px.
_VISIBLE = 1.5
#: A curve shorter than this share of the square has a single symbol.
_SHORT = 0.3
#: Positions of symbols along a curve as shares of its length, and how far the next algorithm's are
#: shifted.
_SYMBOLS, _SHIFT = np.array([0.06, 0.38, 0.7]), 0.04


@dataclass(frozen=True, kw_only=True, eq=False)
class RocCurves(FigureSpec):
    """ROC or related curves of each algorithm, by fold and averaged.

    If the two largest areas exceed 0.95 and there is room, an inset enlarges the best corner. With
    more algorithms than colours, algorithms without a colour are thin grey lines. All fold curves
    of an algorithm are one trace with customdata ``[fold label, threshold]``. The customdata of a
    fold mark is the fold label, that of averages and means ``[algorithm]``. The plot is square, in
    a figure of 600 x 520 px or 3.25 x 3.1 inches.

    Attributes
    ----------
    folds : mapping of algorithm to mapping of fold label to DataFrame
        The curve of every fold, columns x, y and threshold: fpr and tpr, recall and precision,
        or specificity and sensitivity. A missing y interrupts the curve.
    averages : mapping of algorithm to DataFrame
        Columns x, y, low and high, ascending in x. Algorithms may be absent or their table
        empty; without low or high the band is interrupted.
    kind : {"roc", "pr", "sensitivity"}
        Meaning of x and y; ValueError for others.
    marks : mapping of algorithm to DataFrame, optional
        Operating points at one threshold: one row per fold (the index its label), columns x and
        y. A larger mark is drawn at their mean.
    theta : float, optional
        The threshold of `marks`, for the caption.
    average, band : str
        Descriptions of the average and of the band, for the caption.
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
    control : str
        Algorithm with a wider line, drawn above the others; "" for none.
    """

    zoom: ClassVar[str] = "xy"
    folds: Mapping[str, Mapping[str, pd.DataFrame]] = field(default_factory=dict)
    averages: Mapping[str, pd.DataFrame]
    kind: Kind
    marks: Mapping[str, pd.DataFrame] | None = None
    theta: float | None = None
    average: str = "vertical average"
    band: str = "one standard error"
    baseline: float | None = None
    lines: Sequence[Line] = ()
    algorithms: Sequence[str] = ()
    show_folds: bool | None = None
    detailed: Collection[str] | None = None
    unit: str = "fold"
    n_folds: int = 2
    areas: Mapping[str, float] = field(default_factory=dict)
    selected: Collection[str] = ()
    lit: Collection[str] = ()
    control: str = ""

    def __post_init__(self) -> None:
        if self.kind not in _AXES:
            raise ValueError(figure_text("roc.unknown_kind", kind=self.kind))

    def draw(self, style: Style) -> go.Figure:
        """Return the Plotly figure."""
        plot = _RocPlot(self, style)
        plot.draw_curves()
        plot.draw_inset_and_names()
        return plot.fig

    @property
    def coloured(self) -> list[str]:
        """The algorithms that have a colour of their own."""
        hues = self.colours or theme.colours(list(self.algorithms or self.averages))
        return [name for name in self.averages if hues.get(name, GREY) != GREY]

    @property
    def distinct(self) -> list[str]:
        """The named algorithms: those with a colour; if none has one, all or, of many, those with the largest areas."""
        if self.coloured or len(self.averages) <= len(MARKERS):
            return self.coloured or list(self.averages)
        by_area = sorted(self.averages, key=lambda name: -np.nan_to_num(self.areas.get(name, 0.0)))
        largest = by_area[: len(MARKERS)]
        return [name for name in self.averages if name in largest]

    def caption(self, style: Style) -> str:
        """Return the caption."""
        detailed = [] if style.printed or not self.average else list(self.detailed or ())
        drawn = {trace.meta for trace in self.figure(style).data if isinstance(trace.meta, str)}
        return self.describe(
            "roc.caption",
            baseline=self.kind == "pr",
            single=self.n_folds == 1,
            n=self.n_folds,
            detailed=text.join_escaped(map(text.plain_text, detailed), 3),
            band=text.plain_text(self.band) if "band" in drawn else "",
            theta=self.theta if self.marks else None,
            others=len(self.distinct) < len(self.averages),
            best=not self.coloured,
            cost="cost" in drawn,
            control=text.plain_text(self.control) if self.control in self.averages else "",
            inset="inset" in drawn,
        )

    @property
    def data(self) -> pd.DataFrame:
        """Average curves of all algorithms."""
        return pd.concat(self.averages, names=["algorithm", "point"])

    @property
    def how_to_read(self) -> str:
        """Text on how to read the figure."""
        return self.describe("roc.how_to_read_of_one" if self.n_folds == 1 else "roc.how_to_read")

    @property
    def alt(self) -> str:
        """Alternative text, at most 300 characters.

        Examples
        --------
        >>> knn = pd.DataFrame({"x": [0, 0.4, 1], "y": [0, 0.9, 1]})
        >>> mdt = pd.DataFrame({"x": [0, 0.1, 1], "y": [0, 0.7, 1]})
        >>> averages, areas = {"knn": knn, "mdt": mdt}, {"knn": 0.76, "mdt": 0.8}
        >>> RocCurves(kind="roc", averages=averages, areas=areas).alt.split(". ")[1]
        'Mean AUC knn 0.76, mdt 0.80'
        """
        kind, noun = self.kind, "model" if self.n_folds == 1 else "algorithm"
        names = list(dict.fromkeys([*self.averages, *self.areas]))
        head = figure_text("roc.alt", curves=_CURVES[kind], n=len(names), noun=noun)
        parts = [
            f"{text.short_name(name, 48)} {value:.2f}"
            for name, value in self.areas.items()
            if np.isfinite(value)
        ]
        mean = "Mean " if self.n_folds > 1 else ""
        crossing = _crossing_words(self.averages, measure_name(_AXES[kind][0]))
        without_areas = f"{head} {crossing}".rstrip()
        ending = f". {crossing}".rstrip()
        return text.fit_alt_text(
            f"{head} {mean}{_AREAS[kind]} ", parts, ", ", ending, without_areas, " and "
        )


class CurveForm(NamedTuple):
    """Which curves are drawn, how folds are averaged, and the band around the average."""

    kind: Kind = "roc"
    average: str = AVERAGES[0]
    band: str = ""


class OperatingPoints(NamedTuple):
    """Operating points of each algorithm at one threshold, and lines of equal cost."""

    marks: Mapping[str, pd.DataFrame]
    theta: float
    lines: Sequence[Line] = ()


class Emphasis(NamedTuple):
    """Colours, selected folds, emphasised algorithms and control, as in `RocCurves`."""

    colours: Colours = None
    selected: Collection[str] = ()
    lit: Collection[str] = ()
    control: str = ""


@cached_figure
def roc_drawing(
    data: DataCurves,
    averages: Mapping[str, pd.DataFrame],
    form: CurveForm,
    *,
    areas: Mapping[str, pd.DataFrame],
    points: OperatingPoints,
    paths: Mapping[str, Mapping[str, pd.DataFrame]],
    emphasis: Emphasis,
) -> RocCurves:
    """Return the figure of ROC or related curves; `paths` are the curves of single folds."""
    single = len(data.folds) == 1
    is_pr = form.kind == "pr"
    mean_areas = curve_comparison.mean_areas(areas)["auc_pr" if is_pr else "auc"]
    return RocCurves(
        name=f"{form.kind}_{data.dataset}",
        title=f"{_TITLES[form.kind]} on {data.dataset_label}",
        papers=method_card.method_card("pr_curve" if is_pr else "roc_curve").papers,
        folds=paths,
        averages=averages,
        kind=form.kind,
        marks=points.marks,
        theta=points.theta,
        average="" if single else form.average,
        band="" if single or form.average == AVERAGES[2] else form.band,
        baseline=data.positive_share if is_pr else None,
        lines=points.lines,
        colours=emphasis.colours,
        algorithms=data.names,
        detailed=[name for name in averages if paths.get(name)],
        unit=data.unit,
        n_folds=len(data.folds),
        counted=size_of_test_set(data),
        areas=mean_areas.loc[list(averages)].to_dict(),
        selected=emphasis.selected,
        lit=[name for name in emphasis.lit if name in averages],
        control=emphasis.control,
    )


def fold_paths(data: DataCurves, kind: str) -> dict[str, dict[str, pd.DataFrame]]:
    """Return the defined curves by algorithm and fold label, reduced to visually distinct points."""
    labels = fold_names(data.folds)
    paths = {}
    for name, curves in data.curves.items():
        indices = curve_comparison.usable(curves)
        tables = [curves.pr(i) if kind == "pr" else curves.roc(i) for i in indices]
        tables = [table.set_axis(["x", "y", "threshold"], axis=1) for table in tables]
        if kind == "sensitivity":
            tables = [table.assign(x=1 - table["x"]) for table in tables]
        drawn_labels = [labels[i] for i in indices]
        paths[name] = dict(zip(drawn_labels, traces.thin_curves(tables), strict=True))
    return paths


def operating_points(data: DataCurves, counts: np.ndarray, kind: str) -> pd.DataFrame:
    """Return the operating point of each fold from confusion counts, without folds where it is undefined."""
    tp, fp, tn, fn = counts.T.astype(float)
    with np.errstate(invalid="ignore"):
        tpr = tp / (tp + fn)
        fpr = fp / (fp + tn)
        precision = tp / (tp + fp)
    x, y = {"roc": (fpr, tpr), "pr": (tpr, precision), "sensitivity": (1 - fpr, tpr)}[kind]
    return pd.DataFrame({"x": x, "y": y}, index=fold_names(data.folds)).dropna()


def points_at(
    theta: float,
    data: DataCurves,
    counts: Mapping[str, np.ndarray],
    names: Collection[str],
    kind: str,
) -> OperatingPoints:
    """Return operating points and, for ROC curves, the line of equal cost through the best."""
    marks = {name: operating_points(data, counts[name], kind) for name in names}
    has_line = kind == "roc" and 0 < theta < 1 and any(len(table) for table in marks.values())
    return OperatingPoints(marks, theta, [same_cost(data, marks, theta)] if has_line else [])


def same_cost(data: DataCurves, marks: Mapping[str, pd.DataFrame], theta: float) -> Line:
    """Return slope, intercept and label of the iso-cost line through the best mean operating point."""
    slope = thresholds.iso_cost_slope(theta, int(data.positives.sum()), int(data.negatives.sum()))
    intercept = max(
        float(table["y"].mean() - slope * table["x"].mean())
        for table in marks.values()
        if len(table)
    )
    return slope, intercept, "equal cost"


def _crossing_words(averages: Mapping[str, pd.DataFrame], axis: str) -> str:
    """Return a sentence on the first crossing of two average curves; "" unless there are two."""
    tables = [table.dropna(subset=["x", "y"]) for table in averages.values()]
    if len(tables) != 2 or not all(len(table) for table in tables):
        return ""
    crossing = first_crossing(*tables)
    key = "roc.no_crossing" if np.isnan(crossing) else "roc.crossing"
    return figure_text(key, axis=axis, x=crossing)


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
    difference = np.interp(grid, first["x"], first["y"]) - np.interp(grid, second["x"], second["y"])
    nonzero = np.flatnonzero(np.abs(difference) > 1e-9)
    for before, after in zip(nonzero[:-1], nonzero[1:], strict=True):
        if difference[before] * difference[after] > 0:
            continue
        if after > before + 1:
            return float(grid[before + 1] + grid[after - 1]) / 2
        share = difference[before] / (difference[before] - difference[after])
        return float(grid[before] + share * (grid[after] - grid[before]))
    return float("nan")


@dataclass(frozen=True, slots=True)
class _CostLine:
    """Iso-cost line within the unit square: both ends and label."""

    left: tuple[float, float]
    right: tuple[float, float]
    label: str

    @property
    def top(self) -> tuple[float, float]:
        """Higher end of the line."""
        return self.left if self.left[1] > self.right[1] else self.right


def _clipped(lines: Sequence[Line]) -> Iterator[_CostLine]:
    """Yield the lines clipped to the unit square, without those outside it."""
    for slope, intercept, label in lines:
        if not np.isfinite([slope, intercept]).all():
            continue
        left, right = 0.0, 1.0
        if slope != 0:
            crossings = sorted([-intercept / slope, (1 - intercept) / slope])
            left = max(left, crossings[0])
            right = min(right, crossings[1])
        elif not 0 <= intercept <= 1:
            continue
        if right - left > 1e-9:
            start, end = (min(max(slope * x + intercept, 0.0), 1.0) for x in (left, right))
            yield _CostLine((left, start), (right, end), label)


class _RocPlot:
    """Painter of the curves of one figure."""

    def __init__(self, spec: RocCurves, style: Style) -> None:
        """Select the curves and marks to draw, and create the empty figure."""
        self.spec = spec
        self.style = style
        self.names = list(dict.fromkeys([*spec.folds, *spec.averages, *(spec.marks or {})]))
        self.pens = self._pens()
        averages = {}
        for name, table in spec.averages.items():
            if len(table):
                defined = table[["x", "y", "low", "high"]].dropna(subset=["x", "y"])
                averages[name] = defined.sort_values("x", kind="stable")
        # Grey lines first, so that they never cover a coloured one; the control last.
        order = sorted(
            (name for name in self.names if len(averages.get(name, ()))),
            key=lambda name: (self.pens[name].own, name == spec.control),
        )
        self.averages = {name: averages[name] for name in order}
        marks = {name: table.dropna() for name, table in (spec.marks or {}).items()}
        self.marks = {name: table for name, table in marks.items() if self.pens[name].own}
        self.detailed = self._detailed()
        self.curves = {name: spec.folds[name] for name in self.detailed if spec.folds.get(name)}
        self.lines = [] if spec.kind == "pr" else list(_clipped(spec.lines))
        self.fig, self.side = self._frame()
        self.banded = self._banded()
        self.plane = Plane(x=(0, 1), y=(0, 1), width=self.side, height=self.side)

    def _pens(self) -> dict[str, NamedStyle]:
        """Return the colour, dash and symbol of each algorithm."""
        spec, style = self.spec, self.style
        distinct = spec.distinct or self.names
        ordered = self.names if spec.coloured else list(dict.fromkeys([*distinct, *self.names]))
        hues = self._hues(distinct)
        pens = {}
        for position, name in enumerate(ordered):
            own = name in distinct
            dash = DASHES[position % len(DASHES)] if own else "solid"
            hollow = own and not style.colour and distinct.index(name) % 2 == 1
            pens[name] = NamedStyle(
                name=name,
                colour=hues[name],
                fill="#FFFFFF" if hollow else hues[name],
                dash=_PRINTED_DASHES[dash] if style.printed else dash,
                symbol=MARKERS[position % len(MARKERS)],
                strength=FADED if spec.lit and name not in spec.lit else 1.0,
                own=own,
            )
        return {name: pens[name] for name in self.names}

    def _hues(self, distinct: Collection[str]) -> dict[str, str]:
        """Return the colour of each line: its own, else ink if it is `distinct`, or else grey."""
        spec, style = self.spec, self.style
        own = spec.colours or theme.colours(spec.algorithms or self.names, dark=style.dark)
        hues = {}
        for name in self.names:
            hue = own.get(name, GREY) if style.colour else GREY
            without_colour = style.ink if name in distinct else style.leader
            hues[name] = without_colour if hue == GREY else hue
        return hues

    def _detailed(self) -> list[str]:
        """Return the algorithms whose single-fold curves are drawn: those in `detailed`; [] if these are hidden.

        If `detailed` is None, all if there are few, otherwise the lit ones.
        """
        spec = self.spec
        shows_folds = not self.style.printed if spec.show_folds is None else spec.show_folds
        if not shows_folds:
            return []
        detailed = spec.detailed
        if detailed is None:
            detailed = self.names if len(self.names) <= MOST_WITH_FOLDS else spec.lit
        return [name for name in self.names if name in detailed]

    def _banded(self) -> list[str]:
        """Return the algorithms whose band is drawn: those named with a visible band; of many, only the lit ones."""
        spans = {
            name: table["high"] - table["low"]
            for name, table in self.averages.items()
            if self.pens[name].own
        }
        least = _VISIBLE / self.side
        with_band = [name for name, span in spans.items() if span.max() > least]
        if len(self.names) <= self.style.px(len(DASHES), MOST_WITH_FOLDS):
            return with_band
        return [name for name in with_band if name in self.spec.lit]

    def _width(self, words: str, size: float | None = None) -> float:
        return text.text_width(words, size or self.style.tick_size, self.style.serif)

    def _frame(self) -> tuple[go.Figure, float]:
        """Return the empty square plot with its axes, and its side."""
        style = self.style
        width = style.width if style.printed else min(style.width, 600)
        height = min(300 / 312 * width, 420) if style.printed else 520
        right = style.px(20, 12)
        for line in self.lines:
            if line.right[0] > 1 - 1e-9:
                label_width = self._width(text.plain_text(line.label))
                right = max(right, label_width + style.px(10, 7))
        margin = {"l": style.px(58, 38), "r": right, "b": style.px(46, 34)}
        across = width - margin["l"] - margin["r"]
        at_top = any(line.top[1] > 1 - 1e-9 for line in self.lines)
        margin["t"] = style.px(8, 6) + 1.3 * style.tick_size * max(at_top, 0.5)
        side = min(across, height - margin["t"] - margin["b"])
        fig = theme.new_figure(style, side + margin["t"] + margin["b"], margin=margin)
        fig.update_xaxes(
            range=[0, 1], dtick=0.2, tickformat=".1f", fixedrange=True, constrain="domain"
        )
        fig.update_yaxes(
            range=[0, 1],
            dtick=0.2,
            tickformat=".1f",
            fixedrange=True,
            constrain="domain",
            scaleanchor="x",
            scaleratio=1,
            constraintoward="top",  # narrow windows leave room below
        )
        x_title, y_title = _AXIS_TITLES[self.spec.kind]
        fig.update_xaxes(title={"text": x_title, "standoff": 4})
        fig.update_yaxes(title={"text": y_title, "standoff": 4})
        return fig, side

    def draw_curves(self) -> None:
        """Draw bands, reference line, cost lines, fold curves, averages and operating points."""
        for name in self.banded:
            self._draw_band(self.averages[name].dropna(subset=["low", "high"]), self.pens[name])
        self.reference = self._draw_reference()
        for line in self.lines:
            x, y = zip(line.left, line.right, strict=True)
            traces.add_line(
                self.fig,
                x,
                y,
                "equal cost",
                self.style.second,
                self.style.px(0.8, 0.5),
                hover_text=text.escape(line.label),
                meta="cost",
            )
        for name, table in self.curves.items():
            self._draw_folds(table, self.pens[name])
        for name, table in self.averages.items():
            self._draw_average(table, self.pens[name])
        self.drawn = tuple(self.fig.data)
        for name, table in self.averages.items():
            self._draw_symbols(table[["x", "y"]].to_numpy(dtype=float), self.pens[name])
        before = len(self.fig.data)
        for name, table in self.marks.items():
            if len(table):
                self._draw_marks(table, self.pens[name], with_folds=name in self.detailed)
        self.drawn += tuple(self.fig.data[before:])

    def _draw_symbols(self, points: np.ndarray, pen: NamedStyle) -> None:
        """Draw symbols along a curve if there are more algorithms than dashes."""
        own = [name for name in self.names if self.pens[name].own]
        if len(own) <= len(DASHES) or not pen.own:
            return
        shares = _SYMBOLS + _SHIFT * (own.index(pen.name) % len(MARKERS))
        length = np.hypot(*np.diff(points, axis=0).T).sum()
        if length < _SHORT:
            shares = shares[1:2]
        x, y = even_path(points, 121)[(120 * shares).astype(int)].T.tolist()
        self._add(
            pen,
            "symbols",
            x,
            y,
            mode="markers",
            hoverinfo="skip",
            marker=algorithm_marker(
                pen, self.style.px(7, 4.6), self.style, self.style.px(0.7, 0.5)
            ),
            unselected=_UNFADED,
        )

    def _add(
        self,
        pen: NamedStyle,
        part: str,
        x: Sequence[float | None] | None,
        y: Sequence[float | None] | None,
        **options: Any,
    ) -> None:
        """Add a trace with Plotly's options, named after an algorithm and a part of its curve."""
        name = f"{text.escape(pen.name)} {part}".rstrip()
        options = {"opacity": pen.strength, "cliponaxis": False, **options}
        self.fig.add_scatter(x=x, y=y, name=name, **options)

    def _average_line(self, pen: NamedStyle) -> dict[str, Any]:
        width = self.style.px(2.4, 1.1) if pen.own else self.style.px(1, 0.5)
        if pen.name == self.spec.control:
            width *= 1.8
        return {"color": pen.colour, "width": width, "dash": pen.dash}

    def _draw_band(self, table: pd.DataFrame, pen: NamedStyle) -> None:
        """Draw the band between low and high; only its edges in print."""
        x, low, high = (table[column].tolist() for column in ("x", "low", "high"))
        if self.style.printed:
            self._add(
                pen,
                "band",
                [*x, None, *x],
                [*low, None, *high],
                mode="lines",
                line={"color": pen.colour, "width": 0.5, "dash": pen.dash},
                fill="none",
                hoverinfo="skip",
                meta="band",
            )
        else:
            self._add(
                pen,
                "band",
                x + x[::-1],
                low + high[::-1],
                mode="lines",
                line={"color": pen.colour, "width": 0, "dash": "solid"},
                fill="toself",
                fillcolor=theme.transparent(pen.colour, 0.15),
                hoverinfo="skip",
                meta="band",
            )

    def _draw_reference(self) -> np.ndarray:
        """Draw the chance line and return its ends, points x 2; empty without a line."""
        style = self.style
        baseline = self.spec.baseline
        if self.spec.kind == "pr":
            if baseline is None:
                return np.empty((0, 2))
            start = baseline
            end = baseline
        else:
            start, end = (0.0, 1.0) if self.spec.kind == "roc" else (1.0, 0.0)
        traces.add_line(
            self.fig,
            [0, 1],
            [start, end],
            "guessing",
            style.leader,
            style.px(1.2, 0.7),
            dash=_DOTTED,
        )
        if self.spec.kind == "pr" and baseline is not None:
            side, lift = ("top", -2) if baseline > 0.9 else ("bottom", 2)
            traces.add_text(
                self.fig,
                _baseline_words(baseline),
                0,
                baseline,
                style.tick_size,
                style.second,
                anchor=f"left, {side}",
                shift=(4, lift),
            )
        return np.array([[0, start], [1, end]])

    def _draw_folds(self, curves: Mapping[str, pd.DataFrame], pen: NamedStyle) -> None:
        """Draw the curves of all folds as one trace, and the selected folds as a second.

        The customdata of a point is the fold label and the threshold; the infinite threshold at the
        origin of a ROC curve is ``above all scores``.
        """
        style, (x_name, y_name) = self.style, _AXES[self.spec.kind]
        tables = {str(label): table for label, table in curves.items() if len(table)}
        selected = {str(label) for label in self.spec.selected} & set(tables)
        for is_selected in (False, True):
            part = {
                label: table
                for label, table in tables.items()
                if (label in selected) == is_selected
            }
            if not part:
                continue
            strength = 1.0 if is_selected else _OTHER_FOLD if selected else _FOLD
            width = style.px(1.6, 1) if is_selected else style.px(0.8, 0.5)
            position = f"{x_name} %{{x:.3~g}}, {y_name} %{{y:.3~g}}"
            hover = f"<b>%{{text}}</b><br>threshold %{{customdata[1]}}<br>{position}"
            self._add(
                pen,
                "folds",
                None,
                None,
                mode="lines",
                opacity=pen.strength * strength,
                line={"color": pen.colour, "width": width},
                hovertemplate=f"{hover}<extra></extra>",
                connectgaps=False,
            )
            # Set afterwards, since adding a trace copies every object in it, here up to 200,000.
            for key, array in _joined(f"{pen.name}, {self.spec.unit}", part).items():
                self.fig.data[-1][key] = array

    def _position_words(self, x: float, y: float) -> str:
        """Return the values of a point as text."""
        x_name, y_name = _AXES[self.spec.kind]
        return f"{x_name} {x:.3g}, {y_name} {y:.3g}"

    def _draw_average(self, table: pd.DataFrame, pen: NamedStyle) -> None:
        """Draw the average curve of an algorithm."""
        head = f"<b>{text.escape(pen.name)}, {text.escape(self.spec.average or 'average')}</b><br>"
        hover_texts = []
        for mean_x, mean_y, low, high in table[["x", "y", "low", "high"]].to_numpy(dtype=float):
            hover = f"{head}{self._position_words(mean_x, mean_y)}"
            if np.isfinite([low, high]).all():
                hover += f"<br>{text.escape(self.spec.band or 'band')}: {low:.3g} to {high:.3g}"
            hover_texts.append(f"{hover}<br>{traces.click_hint('algorithm')}")
        self._add(
            pen,
            "",
            table["x"].tolist(),
            table["y"].tolist(),
            line=self._average_line(pen),
            hoverinfo="text",
            hovertext=hover_texts,
            customdata=[[pen.name]] * len(table),
            meta="algorithm",
            **traces.line_click_mode(self.style),
        )

    def _draw_marks(self, table: pd.DataFrame, pen: NamedStyle, *, with_folds: bool) -> None:
        """Draw the mean operating point and, with `with_folds`, that of every fold."""
        style, unit = self.style, self.spec.unit
        labels = [str(label) for label in table.index]
        name = text.escape(pen.name)
        values = table[["x", "y"]].to_numpy(dtype=float)
        if with_folds:
            hint = traces.click_hint("fold", noun=unit)
            hover_texts = [
                f"<b>{name}, {unit} {text.escape(label)}</b><br>{self._position_words(x, y)}<br>{hint}"
                for label, (x, y) in zip(labels, values, strict=True)
            ]
            for is_emphasised, indices in traces.split_by_selection(labels, self.spec.selected):
                fold_x, fold_y = values[indices].T.tolist()
                self._add(
                    pen,
                    "marks",
                    fold_x,
                    fold_y,
                    opacity=pen.strength * (1.0 if is_emphasised else FADED),
                    mode="markers",
                    marker=algorithm_marker(pen, style.px(7, 4), style, style.px(0.7, 0.5)),
                    unselected=_UNFADED,
                    hoverinfo="text",
                    hovertext=[hover_texts[i] for i in indices],
                    customdata=[labels[i] for i in indices],
                    meta="fold",
                )
        x, y = values.mean(axis=0).tolist()
        count = f"{len(labels)} {unit}s" if len(labels) != 1 else f"one {unit}"
        position = self._position_words(x, y)
        self._add(
            pen,
            "mean",
            [x],
            [y],
            mode="markers",
            marker=algorithm_marker(pen, style.px(12, 7), style, style.px(1.4, 0.8)),
            unselected=_UNFADED,
            hoverinfo="text",
            hovertext=f"<b>{name}, mean of {count}</b><br>{position}<br>{traces.click_hint('algorithm')}",
            customdata=[[pen.name]],
            meta="algorithm",
        )

    def draw_inset_and_names(self) -> None:
        """Draw the inset if it is needed, then names next to curves or in a legend."""
        self.occupied = []
        if self.spec.kind == "pr" and self.spec.baseline is not None:
            self.occupied.append(self._baseline_box(self.spec.baseline))
        cost_lines = [np.array([line.left, line.right]) for line in self.lines]
        self.straight = [self.reference, *cost_lines]
        self.points = [table[["x", "y"]].to_numpy() for table in self.marks.values()]
        inset = find_inset(
            [table[["x", "y"]].to_numpy(dtype=float) for table in self.averages.values()],
            at_left=self.spec.kind == "roc",
            side=self.side,
            style=self.style,
            points=self.points,
            occupied=self.occupied,
            key_size=_LegendRows(self._keyed(), self).extent if self.averages else (0, 0),
        )
        if inset is not None:
            draw_inset(self.fig, inset, self.drawn, self.style)
            for name, table in self.averages.items():
                pieces = inset.pieces(table[["x", "y"]].to_numpy(dtype=float))
                if pieces:
                    self._draw_symbols(max(pieces, key=len), self.pens[name])
            self.occupied.append(inset.occupied)
            self.straight.append(inset.frame)
        self._write_names()
        self._write_edge_labels()

    def _keyed(self) -> list[str]:
        """Return the algorithms that are named: those with a line of their own, in the order of the data."""
        drawn = {*self.averages, *self.curves}
        return [name for name in self.names if name in drawn and self.pens[name].own]

    def _baseline_box(self, share: float) -> Box:
        """Return the bounding box of the label of the chance line."""
        height = 1.5 * self.style.tick_size
        low = share * self.side - (height if share > 0.9 else 0)
        return Box(0, low, self._width(_baseline_words(share)) + 8, low + height)

    def _write_names(self) -> None:
        """Write each name next to its average curve, or all in a legend if any does not fit."""
        paths = {name: self._path(table[["x", "y"]]) for name, table in self.averages.items()}
        lines = join_points(self._path(ends) for ends in self.straight if len(ends))
        dots = join_points(np.asarray(table, dtype=float) * self.side for table in self.points)
        names = self._keyed()
        labels = self._name_labels(paths, lines, dots)
        if len(labels) == len(names):
            annotations = [
                annotation_at(words, label, self.plane, self.style)
                for words, label in labels.values()
            ]
            add_annotations(self.fig, annotations)
            return
        fold_curves = join_points(
            table[["x", "y"]].to_numpy()
            for tables in self.curves.values()
            for table in tables.values()
        )
        solid = np.concatenate([join_points(paths.values()), dots])
        self._write_key(names, solid, [*lines, *(fold_curves * self.side)])

    def _path(self, points: pd.DataFrame | np.ndarray) -> np.ndarray:
        return even_path(np.asarray(points, dtype=float), _POINTS) * self.side

    def _name_labels(
        self, paths: Mapping[str, np.ndarray], lines: np.ndarray, dots: np.ndarray
    ) -> dict[str, tuple[str, Label]]:
        """Return text and position of each name with a colour of its own, up to the first that does not fit."""
        style, side = self.style, self.side
        labels: dict[str, tuple[str, Label]] = {}
        clearance = style.px(4, 2.5)
        least_room = style.px(9, 6)
        shown = text.shorten(list(paths), 0.4 * side, style.size, serif=style.serif)
        clearance_board = PlacementBoard(side, side)
        board = PlacementBoard(side, side, clearance=clearance, inset=_INSET)
        clearance_board.draw({**paths, None: lines})
        board.draw(join_points(paths.values()), clearance=clearance)
        board.draw(dots, clearance=2 * clearance)
        for box in self.occupied:
            board.take(box)
        for name, path in paths.items():
            if not self.pens[name].own:
                continue
            points = path[:: max(1, len(path) // _PLACES)]
            candidates, _ = candidate_positions(
                points, text_size(shown[name], style), [style.px(6, 3.5)]
            )
            room = clearance_board.room(candidates, 10 * least_room, name)
            half = np.array(candidates.size) / 2 + _INSET[:2]
            for scale in width_scales(style):  # the plot is narrower on a phone
                middle = candidates.at * scale + candidates.offset
                is_outside = (middle < half) | (middle > scale * side - half)
                room[is_outside.any(axis=1)] = 0
            label = board.put(replace(candidates, cost=np.where(room >= least_room, -room, np.inf)))
            if label is None:
                break
            labels[name] = (shown[name], label)
        return labels

    def _write_key(
        self, names: Sequence[str], solid: np.ndarray, faint: Sequence[np.ndarray]
    ) -> None:
        """Draw a legend in the emptiest corner."""
        style = self.style
        side = self.side
        rows = _LegendRows(names, self)
        box = self._emptiest(rows.extent, solid, faint, rows.pad)
        end = box.left + rows.dash
        symbol = end + 1.2 * rows.pad
        for index, (words, pen) in enumerate(rows.words):
            y = (box.top - (index + 0.5) * rows.row) / side
            if pen is not None:
                self._draw_sample(pen, [box.left / side, end / side, symbol / side], y)
            traces.add_text(
                self.fig,
                text.escape(words),
                (end + 2.5 * rows.pad) / side,
                y,
                rows.size,
                anchor="left, middle",
                bgcolor=style.veil,
            )

    def _draw_sample(self, pen: NamedStyle, x: Sequence[float], y: float) -> None:
        """Draw a legend sample: a line from the first to the second x, and a symbol at the third."""
        style, (start, end, symbol) = self.style, x
        sizes = [0, 0, 0, style.px(8, 4.6)]
        self._add(
            pen,
            "key",
            [start, end, None, symbol],
            [y, y, None, y],
            mode="lines+markers",
            line=self._average_line(pen),
            marker=algorithm_marker(pen, sizes, style, style.px(0.7, 0.5)),
            selected=_UNFADED,
            unselected=_UNFADED,
            hovertext=f"<b>{text.escape(pen.name)}</b><br>{traces.click_hint('algorithm')}",
            hoverinfo="text",
            customdata=[[pen.name]] * 4,
            meta="algorithm",
        )

    def _emptiest(
        self, size: tuple[float, float], solid: np.ndarray, faint: Sequence[np.ndarray], pad: float
    ) -> Box:
        """Return the box in a corner (anywhere, with an inset) that covers the fewest points; averages weigh more."""
        board = PlacementBoard(self.side, self.side, clearance=pad)
        board.draw(solid, cost=100, clearance=pad)
        board.draw(np.array(faint).reshape(-1, 2), cost=1)
        half = np.array(size) / 2
        low = half + 1.5 * pad
        high = self.side - half - 1.5 * pad
        (left, bottom), (right, top) = low.tolist(), high.tolist()
        corners = [(right, bottom), (left, bottom), (right, top), (left, top)]
        if len(self.occupied) > 1:  # an inset occupies a corner
            x, y = np.linspace(low, high, 25).T.tolist()
            corners += product(x, y)
        candidates = Candidates.of(np.array(corners), np.zeros(2), size)
        for box in self.occupied:
            board.take(box)
        return (board.put(candidates) or candidates.take(0)).box

    def _write_edge_labels(self) -> None:
        """Write the label of each iso-cost line at its end, if it does not overlap another."""
        style = self.style
        board = PlacementBoard(self.side, self.side, clearance=style.px(4, 2), inset=(-np.inf,) * 4)
        for line in self.lines:
            width, height = size = text_size(line.label, style, style.tick_size)
            if line.right[0] > 1 - 1e-9:
                end = line.right
                right = style.px(4, 2) + width / 2
                up = 0.0
            elif line.top[1] > 1 - 1e-9:
                end = line.top
                right = 0.0
                up = style.px(4, 3) + height / 2
            else:
                end = line.left
                right = 4 + width / 2
                up = 2 + height / 2
            at = self.plane.px(np.array(end))
            offset = np.array([right, up])
            beyond_axes = np.array(size) / 2 - at * width_scales(style)[-1] - offset
            offset = offset + np.maximum(beyond_axes, 0)
            placed = board.put(Candidates.of(at, offset, size))
            if placed is not None:
                annotation = annotation_at(line.label, placed, self.plane, style)
                annotation["font"] = {"size": style.tick_size, "color": style.second}
                add_annotations(self.fig, [annotation])


def _baseline_words(share: float) -> str:
    """Return the label of the chance line of precision-recall curves."""
    return f"share of positives {share:.2g}" if share < 0.1 else f"share of positives {share:.2f}"


def _joined(of: str, curves: Mapping[str, pd.DataFrame]) -> dict[str, np.ndarray]:
    """Return curves concatenated, with None as gaps, as one array per column.

    An array is faster than a list, whose elements Plotly validates one by one.
    """
    total = sum(len(table) + 1 for table in curves.values()) - 1
    joined = {key: np.full(total, None, dtype=object) for key in ("x", "y", "text")}
    joined["customdata"] = np.full((total, 2), None, dtype=object)
    start = 0
    for label, table in curves.items():
        span = slice(start, start + len(table))
        start = span.stop + 1
        for key in ("x", "y"):
            values = table[key].to_numpy(dtype=float)
            rounded = np.round(values, _DIGITS).astype(object)
            joined[key][span] = np.where(np.isfinite(values), rounded, None)
        joined["text"][span] = f"{text.escape(of)} {text.escape(label)}"
        joined["customdata"][span, 0] = label
        joined["customdata"][span, 1] = _thresholds(table["threshold"].to_numpy(dtype=float))
    return joined


def _thresholds(values: np.ndarray) -> list[float | str | None]:
    """Return thresholds with four significant digits; infinite ones as text, missing ones as None."""
    finite = np.isfinite(values)
    sizes = np.where(finite & (values != 0), np.maximum(np.abs(values), 1e-290), 1.0)
    shift = 10.0 ** (3 - np.floor(np.log10(sizes)))
    digits = np.round(np.where(finite, values, 0.0) * shift)
    rounded = (digits / shift).tolist()
    for position in np.flatnonzero(~finite):
        words = {np.inf: "above all scores", -np.inf: "below all scores"}
        rounded[position] = words.get(values[position])
    return rounded


class _LegendRows:
    """Rows of a legend with style and sizes in px.

    If there are too many, the last row gives the number of omitted names, without a style.
    """

    def __init__(self, names: Sequence[str], plot: _RocPlot) -> None:
        """Choose text size and rows that fit into the plot, and shorten the names; a last row counts those left out."""
        style = plot.style
        side = plot.side
        size = plot.style.size
        self.dash = style.px(42, 34)
        self.pad = style.px(8, 5)
        if 1.35 * size * len(names) > _MOST_HEIGHT * side:
            size = min(size, style.px(12, 7 * PX_PER_POINT))
        self.size = size
        self.row = 1.35 * size
        if not style.printed and _SCREEN_ROW * size * len(names) <= _MOST_HEIGHT * side:
            self.row = _SCREEN_ROW * size
        most = int(_MOST_HEIGHT * side // self.row)
        shown = names
        if len(names) > most:  # algorithms that are not faded come first
            shown = sorted(names, key=lambda name: plot.pens[name].strength < 1)[: most - 1]
        short = text.shorten(list(plot.names), 0.4 * side, size, serif=style.serif)
        self.words: list[tuple[str, NamedStyle | None]] = [
            (short[name], plot.pens[name]) for name in shown
        ]
        if len(shown) < len(names):
            self.words.append((f"and {len(names) - len(shown)} more", None))
        widest = text.widest((words for words, _ in self.words), size, style.serif)
        self.extent = (self.dash + 2.5 * self.pad + widest, self.row * len(self.words))
