"""What the figure of ROC curves says in words: axes, alternative text, caption."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from foldwise.figures import text, traces
from foldwise.figures.theme import FADED, Style

Kind = Literal["roc", "pr", "sensitivity"]
#: Short names of x and y, for hover and alternative text.
AXES = {
    "roc": ("fpr", "tpr"),
    "pr": ("recall", "precision"),
    "sensitivity": ("specificity", "sensitivity"),
}
TITLES = {
    "roc": ("false positive rate (fpr)", "true positive rate (tpr)"),
    "pr": ("recall", "precision"),
    "sensitivity": ("specificity", "sensitivity"),
}
_CURVES = {"roc": "ROC", "pr": "Precision-recall", "sensitivity": "Sensitivity-specificity"}
_AREAS = {"roc": "AUC", "pr": "AUC-PR", "sensitivity": "AUC"}


def check_kind(kind: str) -> None:
    """Refuse any other kind of curve than the three there are."""
    if kind not in AXES:
        raise ValueError(f"`kind` must be roc, pr or sensitivity; got {kind!r}")


def alt_roc(
    averages: Mapping[str, pd.DataFrame],
    *,
    kind: Kind,
    areas: Mapping[str, float],
    folds: int = 2,
) -> str:
    """Return the alternative text of the figure, at most 300 characters.

    Examples
    --------
    >>> knn = pd.DataFrame({"x": [0, 0.4, 1], "y": [0, 0.9, 1]})
    >>> mdt = pd.DataFrame({"x": [0, 0.1, 1], "y": [0, 0.7, 1]})
    >>> said = alt_roc({"knn": knn, "mdt": mdt}, kind="roc", areas={"knn": 0.76, "mdt": 0.8})
    >>> said.split(". ")[1]
    'Mean AUC knn 0.76, mdt 0.80; curves cross at fpr 0.35.'
    """
    check_kind(kind)
    names = list(dict.fromkeys([*averages, *areas]))
    head = f"{_CURVES[kind]} curves of {len(names)} algorithm{'s' * (len(names) != 1)}."
    known = [(name, value) for name, value in areas.items() if np.isfinite(value)]
    each = [f"{text.truncate_text(text.plain_text(name), 48)} {value:.2f}" for name, value in known]
    crossing = _crossing_words(averages, AXES[kind][0])
    said = f" {crossing[0].upper()}{crossing[1:]}." if crossing else ""
    end = f"{'; ' + crossing if crossing else ''}."
    start = f"{head} {'Mean ' if folds > 1 else ''}{_AREAS[kind]} "
    return text.fit_alt_text(start, each, ", ", end, f"{head}{said}", " and ")


def _crossing_words(averages: Mapping[str, pd.DataFrame], axis: str) -> str:
    """Return where two averages cross; nothing is said of more or fewer."""
    tables = [table.dropna(subset=["x", "y"]) for table in averages.values()]
    if len(tables) != 2 or not all(len(table) for table in tables):
        return ""
    place = first_crossing(*tables)
    return "curves do not cross" if np.isnan(place) else f"curves cross at {axis} {place:.2g}"


def first_crossing(first: pd.DataFrame, second: pd.DataFrame) -> float:
    """Return the smallest x at which two curves change places, NaN if there is none.

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
    apart = np.flatnonzero(np.abs(gap) > 1e-9)
    for before, after in zip(apart[:-1], apart[1:], strict=True):
        if gap[before] * gap[after] > 0:
            continue
        if after > before + 1:
            return float(grid[before + 1] + grid[after - 1]) / 2
        share = gap[before] / (gap[before] - gap[after])
        return float(grid[before] + share * (grid[after] - grid[before]))
    return float("nan")


def caption_roc(
    kind: Kind,
    average: str,
    band: str,
    n_folds: int,
    *,
    folds_of: Sequence[str] | None = None,
    unit: str = "fold",
    inset: bool = False,
) -> str:
    """Return the sentence under the figure.

    Examples
    --------
    >>> caption_roc("roc", "", "", 10)
    'Thin curves: the ROC curves of 10 folds. Dotted: guessing.'
    """
    check_kind(kind)
    what = "ROC" if kind == "roc" else _CURVES[kind].lower()
    tail = "Dotted: guessing." + " Inset: the framed corner." * inset
    if n_folds == 1:
        return f"The {what} curve of each on its one set of cases: no average, no band. {tail}"
    curves = f"{what} curves of {n_folds} {unit}s"
    words = f"Thick curves: {text.plain_text(average)} of the {curves}"
    if folds_of is None:
        words += f"; thin ones, where drawn, are single {unit}s."
    elif folds_of:
        words += f"; thin ones: the single {unit}s of {text.join_escaped(map(text.plain_text, folds_of), 3)}."
    else:
        words += "."
    if not average:
        words = f"Thin curves: the {curves}."
    if band:
        words += f" Band: {text.plain_text(band)}."
    return f"{words} {tail}"


#: Strength of fold curves, and of those that are not selected while others are.
FOLD, OTHER_FOLD = 0.35, 0.15
#: Dashes in px for print, whose lines are too thin for the browser's.
PRINTED_DASHES = {
    "solid": "solid",
    "dash": "5px,3px",
    "dot": "1.5px,2px",
    "dashdot": "5px,2px,1.5px,2px",
    "longdash": "9px,3.5px",
    "longdashdot": "9px,2.5px,1.5px,2.5px",
}
#: A fold curve of 400 points needs no more digits, and the page stays small.
_DIGITS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class CurveStyle:
    """How one algorithm is drawn: colour, dash, symbol, and whether it stands back."""

    name: str
    colour: str
    dash: str
    symbol: str
    faint: bool

    @property
    def strength(self) -> float:
        """Opacity of what would else be drawn in full."""
        return FADED if self.faint else 1.0


def draw_folds(
    fig: go.Figure,
    curves: Mapping[str, pd.DataFrame],
    pen: CurveStyle,
    axes: tuple[str, str],
    selected: Collection[str],
    style: Style,
    *,
    unit: str = "fold",
) -> None:
    """Draw the curves of all folds as one trace, the selected ones as a second.

    Their points carry the label of the fold and the threshold. The origin of a ROC curve, whose
    threshold is infinite, says ``above all scores`` instead.
    """
    labels = [label for label, table in curves.items() if len(table)]
    chosen = {str(label) for label in selected} & {str(label) for label in labels}
    for strong in (False, True):
        part = [label for label in labels if (str(label) in chosen) == strong]
        if not part:
            continue
        weak = OTHER_FOLD if chosen else FOLD
        fig.add_scatter(
            mode="lines",
            name=f"{text.escape(pen.name)} folds",
            opacity=pen.strength * (1.0 if strong else weak),
            line={"color": pen.colour, "width": style.px(1.6, 1) if strong else style.px(0.8, 0.5)},
            hovertemplate=_curve_hover(axes),
            connectgaps=False,
            cliponaxis=False,
        )
        # Set afterwards: adding a trace copies every object in it, here up to 200,000.
        kept = {str(label): curves[label] for label in part}
        for key, array in _joined(f"{pen.name}, {unit}", kept).items():
            fig.data[-1][key] = array


def _joined(of: str, curves: Mapping[str, pd.DataFrame]) -> dict[str, np.ndarray]:
    """Lay curves end to end, a hole after each.

    Arrays, unlike lists, are taken by Plotly without a look at every point.
    """
    total = sum(len(table) + 1 for table in curves.values()) - 1
    joined = {key: np.full(total, None, dtype=object) for key in ("x", "y", "text")}
    joined["customdata"] = np.full((total, 2), None, dtype=object)
    start = 0
    for label, table in curves.items():
        x, y, threshold = (table[key].to_numpy(dtype=float) for key in ("x", "y", "threshold"))
        part = slice(start, start + len(table))
        start = part.stop + 1
        joined["x"][part] = _holes(x)
        joined["y"][part] = _holes(y)
        joined["text"][part] = f"{text.escape(of)} {text.escape(label)}"
        joined["customdata"][part, 0] = label
        joined["customdata"][part, 1] = _thresholds(threshold)
    return joined


def _holes(values: np.ndarray) -> np.ndarray:
    """Return rounded values, None where there is none."""
    return np.where(np.isfinite(values), np.round(values, _DIGITS).astype(object), None)


def _thresholds(values: np.ndarray) -> list[float | str | None]:
    """Return thresholds with four significant digits, infinite ones in words."""
    finite = np.isfinite(values)
    sizes = np.where(finite & (values != 0), np.maximum(np.abs(values), 1e-290), 1.0)
    shift = 10.0 ** (3 - np.floor(np.log10(sizes)))
    rounded = (np.round(np.where(finite, values, 0.0) * shift) / shift).tolist()
    for place in np.flatnonzero(~finite):
        words = {np.inf: "above all scores", -np.inf: "below all scores"}
        rounded[place] = words.get(values[place])
    return rounded


def _curve_hover(axes: tuple[str, str]) -> str:
    """Return the hover text, in which the browser fills in the subject, threshold and place."""
    return (
        "<b>%{text}</b><br>threshold %{customdata[1]}<br>"
        f"{axes[0]} %{{x:.3~g}}, {axes[1]} %{{y:.3~g}}<extra></extra>"
    )


def draw_average(
    fig: go.Figure,
    table: pd.DataFrame,
    pen: CurveStyle,
    axes: tuple[str, str],
    average: str,
    band: str,
    style: Style,
) -> None:
    """Draw the average curve; its points carry a list with the algorithm."""
    x, y = table["x"].tolist(), table["y"].tolist()
    fig.add_scatter(
        x=x,
        y=y,
        name=text.escape(pen.name),
        opacity=pen.strength,
        line={"color": pen.colour, "width": average_width(style), "dash": pen.dash},
        **traces.line_click_mode(style),
        customdata=[[pen.name]] * len(x),
        meta="algorithm",
        hovertext=_average_hover(table, pen.name, axes, average, band),
        hoverinfo="text",
        cliponaxis=False,
    )


def average_width(style: Style) -> float:
    """Return how thick an average is drawn."""
    return style.px(2.4, 1.4)


def draw_symbols(fig: go.Figure, path: np.ndarray, pen: CurveStyle, style: Style) -> None:
    """Repeat the symbol of an algorithm along its average, where dashes alone do not tell it."""
    fig.add_scatter(
        x=path[:, 0].tolist(),
        y=path[:, 1].tolist(),
        mode="markers",
        name=f"{text.escape(pen.name)} symbols",
        opacity=pen.strength,
        hoverinfo="skip",
        **_marker(pen, style.px(7, 4.6), style.px(0.7, 0.4), style),
    )


def _average_hover(table, name, axes, average, band) -> list[str]:
    head = f"<b>{text.escape(name)}, {text.escape(average or 'average')}</b><br>"
    said = []
    for x, y, low, high in table[["x", "y", "low", "high"]].to_numpy(dtype=float):
        words = f"{head}{axes[0]} {x:.3g}, {axes[1]} {y:.3g}"
        if np.isfinite([low, high]).all():
            words += f"<br>{text.escape(band or 'band')}: {low:.3g} to {high:.3g}"
        said.append(f"{words}<br>{traces.click_hint('algorithm')}")
    return said


def draw_band(fig: go.Figure, table: pd.DataFrame, pen: CurveStyle, style: Style) -> None:
    """Fill between low and high; in print draw two hairlines."""
    table = table.dropna(subset=["low", "high"])
    x, low, high = (table[column].tolist() for column in ("x", "low", "high"))
    fig.add_scatter(
        x=[*x, None, *x] if style.printed else x + x[::-1],
        y=[*low, None, *high] if style.printed else low + high[::-1],
        mode="lines",
        name=f"{text.escape(pen.name)} band",
        opacity=pen.strength,
        line={"color": pen.colour, "width": style.px(0, 0.5), "dash": style.px("solid", pen.dash)},
        fill="none" if style.printed else "toself",
        fillcolor=None if style.printed else _veil(pen.colour, 0.15),
        hoverinfo="skip",
        cliponaxis=False,
    )


def _veil(colour: str, strength: float) -> str:
    """Return a colour, given as six hexadecimal digits, with an opacity."""
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red},{green},{blue},{strength})"


def draw_marks(
    fig: go.Figure,
    table: pd.DataFrame,
    pen: CurveStyle,
    axes: tuple[str, str],
    selected: Collection[str],
    style: Style,
    *,
    folds: bool,
    unit: str = "fold",
) -> None:
    """Mark the point of every fold at the current threshold, if asked for, and their mean."""
    labels = [str(label) for label in table.index]
    values = table[["x", "y"]].to_numpy(dtype=float)
    name = text.escape(pen.name)
    for strong, part in traces.split_by_selection(labels, selected) if folds else ():
        fig.add_scatter(
            x=values[part, 0].tolist(),
            y=values[part, 1].tolist(),
            mode="markers",
            name=f"{name} marks",
            opacity=pen.strength * (1.0 if strong else FADED),
            customdata=[labels[i] for i in part],
            meta="fold",
            hovertext=[
                f"<b>{name}, {unit} {text.escape(labels[i])}</b><br>{axes[0]} {values[i, 0]:.3g}, "
                f"{axes[1]} {values[i, 1]:.3g}<br>{traces.click_hint('fold', noun=unit)}"
                for i in part
            ],
            hoverinfo="text",
            **_marker(pen, style.px(7, 4), style.px(0.7, 0.5), style),
        )
    x, y = values.mean(axis=0).tolist()
    count = f"{len(labels)} {unit}s" if len(labels) != 1 else f"one {unit}"
    fig.add_scatter(
        x=[x],
        y=[y],
        mode="markers",
        name=f"{name} mean",
        opacity=pen.strength,
        customdata=[[pen.name]],
        meta="algorithm",
        hovertext=f"<b>{name}, mean of {count}</b><br>{axes[0]} {x:.3g}, {axes[1]} {y:.3g}<br>"
        + traces.click_hint("algorithm"),
        hoverinfo="text",
        **_marker(pen, style.px(12, 7), style.px(1.4, 0.8), style),
    )


def _marker(pen: CurveStyle, size: float, edge: float, style: Style) -> dict:
    inked = style.printed and not style.colour
    return {
        "marker": {
            "symbol": pen.symbol,
            "size": size,
            # On black a black edge would vanish: white parts the mark from its curve.
            "color": pen.colour,
            "opacity": 1,
            "line": {"width": edge, "color": "#FFFFFF" if inked else style.ink},
        },
        "unselected": {"marker": {"opacity": 1}},
        "cliponaxis": False,
    }
