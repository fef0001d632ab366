"""Names beside the lines of orders, and the labels of vertical lines above the plot."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from foldwise.figures import text
from foldwise.figures.roc_labels import Box, even_path
from foldwise.figures.theme import PX_PER_POINT, Style

#: Where a name may stand, seen from its place on the line: above first.
_SIDES = ((0, 1), (1, 1), (-1, 1), (1, 0), (-1, 0), (1, -1), (-1, -1), (0, -1))
#: How far away, in heights of the text; all but the nearest with a leader.
_AWAY = (0.35, 1.0, 1.8, 2.8, 4.0, 5.5)
#: A name stands where its line is at least this share of its maximum: lines meet near zero.
_NEAR_TOP = 0.55
#: Windows may be narrower than the width figures are laid out for: the plot by this factor.
_NARROWEST = 0.54


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """Margins, and the scales of the plot: its size in px and its ranges."""

    margin: dict[str, float]
    width: float
    height: float
    x: tuple[float, float]
    y: tuple[float, float]

    def pixels(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Return points in px from the lower left corner of the plot."""
        across = (np.asarray(x) - self.x[0]) / (self.x[1] - self.x[0]) * self.width
        up = (np.asarray(y) - self.y[0]) / (self.y[1] - self.y[0]) * self.height
        return np.column_stack([across, up])

    def values(self, point: np.ndarray) -> tuple[float, float]:
        """Return a point given in px by its values on both axes."""
        across, up = point / (self.width, self.height)
        return (
            float(self.x[0] + across * (self.x[1] - self.x[0])),
            float(self.y[0] + up * (self.y[1] - self.y[0])),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Flag:
    """The label of a vertical line, right of its upper end, `row` rows above the plot."""

    words: str
    x: float
    row: int


def small(style: Style) -> float:
    """Return the size of the labels of vertical lines: 7 points in print."""
    return style.px(style.tick_size - 1, 7 * PX_PER_POINT)


def place_flags(
    places: pd.Series, reach: tuple[float, float], room: float, style: Style
) -> list[Flag]:
    """Give every vertical line a label, none over another or over a line.

    Of lines whose labels would touch, the leftmost has the highest label, so that every line
    ends below the labels that reach over it.

    Parameters
    ----------
    places : Series
        Where the lines stand. The index holds (cheaper, costlier), written "costlier over
        cheaper", or texts.
    reach : tuple of float
        Ends of the axis.
    room : float
        Width of the plot in px.
    style : Style
        Surface.

    Returns
    -------
    list of Flag
        From left to right, without the lines that miss or lie outside.
    """
    inside = places[places.between(*reach)].sort_values(kind="stable")
    full = [_pair(pair) for pair in inside.index]
    short = text.shorten(full, 0.32 * room, small(style), serif=style.serif)
    flags: list[Flag] = []
    cluster: list[tuple[str, float]] = []
    end = -np.inf
    for words, x in zip([short[name] for name in full], inside, strict=True):
        start = (x - reach[0]) / (reach[1] - reach[0]) * room * style.px(_NARROWEST, 1)
        if start > end:
            flags += _stacked(cluster)
            cluster = []
        cluster.append((words, float(x)))
        end = max(end, start + flag_width(words, style) + style.px(6, 3))
    return flags + _stacked(cluster)


def _stacked(cluster: Sequence[tuple[str, float]]) -> list[Flag]:
    top = len(cluster) - 1
    return [Flag(words=words, x=x, row=top - i) for i, (words, x) in enumerate(cluster)]


def _pair(pair: object) -> str:
    """Return the label of a pair (cheaper, costlier), or of a text."""
    if isinstance(pair, tuple) and len(pair) == 2:
        return f"{text.plain(pair[1])} over {text.plain(pair[0])}"
    return text.plain(pair)


def flag_width(words: str, style: Style) -> float:
    """Return how many px a label reaches to the right of its line."""
    return text.width(words, small(style), style.serif) + style.px(8, 5)


def flag_room(flags: Sequence[Flag], style: Style) -> float:
    """Return how many px the labels need above the plot."""
    return max((flag.row + 1 for flag in flags), default=0) * 1.2 * small(style)


def write_flag(fig: go.Figure, flag: Flag, style: Style) -> None:
    """Draw a thin line from the axis up to its label, and the label."""
    up = flag.row * 1.2 * small(style) + style.px(3, 2)
    line = {
        "type": "line",
        "name": "half power",
        "x0": flag.x,
        "x1": flag.x,
        "yref": "paper",
        "layer": "below",
        "line": {
            "color": style.leader,
            "width": style.px(1, 0.5),
            "dash": style.px("dot", "1px,2px"),
        },
    }
    fig.add_shape(**line, y0=0, y1=1)
    fig.add_shape(**line, ysizemode="pixel", yanchor=1, y0=0, y1=up + 0.9 * small(style))
    fig.add_annotation(
        text=text.escape(flag.words),
        name="half power",
        x=flag.x,
        xanchor="left",
        xshift=style.px(4, 3),
        yref="paper",
        y=1,
        yanchor="middle",
        yshift=up + 0.5 * small(style),
        font={"size": small(style), "color": style.second},
    )


@dataclass(frozen=True, slots=True)
class _Spot:
    """A place on a line in px, the box of the name, and whether a leader joins the two."""

    at: np.ndarray
    box: Box
    leader: bool

    @property
    def middle(self) -> np.ndarray:
        """The middle of the box."""
        return np.array([self.box.left + self.box.right, self.box.bottom + self.box.top]) / 2

    def squeezed(self, factor: float) -> _Spot:
        """Return the same place in a narrower window; the box keeps its size and distance."""
        x = self.at[0] * factor
        moved = x - self.at[0]
        left, right = self.box.left + moved, self.box.right + moved
        box = Box(left, self.box.bottom, right, self.box.top)
        return _Spot(np.array([x, self.at[1]]), box, self.leader)

    def path(self) -> np.ndarray:
        """Return points along the leader, outside the box; none without one."""
        points = self.at + np.linspace(0.1, 1, 25)[:, None] * (self.middle - self.at)
        return points[self.box.distances(points) > 0] if self.leader else np.empty((0, 2))


def write_names(
    fig: go.Figure,
    lines: Mapping[str, pd.Series],
    colours: Mapping[str, str],
    flags: Sequence[Flag],
    frame: Frame,
    style: Style,
) -> None:
    """Write every name near the maximum of its line, where the least is in the way.

    A figure on the screen is squeezed with its window, its names are not: a name has its place
    only where it is clear both at full width and in the narrowest window.

    Parameters
    ----------
    lines : mapping
        Values of each line by x; the tallest is named first.
    colours : mapping
        Of the names.
    flags : sequence of Flag
        The vertical lines, which names rather keep clear of.
    frame : Frame
        Scales of the plot; no name leaves it.
    """
    short = text.shorten(list(lines), 0.35 * frame.width, style.size, serif=style.serif)
    paths = {name: _path(values, frame) for name, values in lines.items()}
    paths = {name: path for name, path in paths.items() if len(path)}
    upright = np.linspace(*frame.y, 60)
    thin = [frame.pixels(np.full(60, flag.x), upright) for flag in flags]
    taken: list[_Spot] = []
    for name in sorted(paths, key=lambda name: -paths[name][:, 1].max()):
        scene = _Scene(
            own=paths[name],
            others=_joined(path for other, path in paths.items() if other != name),
            thin=_joined(thin),
            taken=tuple(taken),
            room=frame.width,
            height=frame.height,
            zero=frame.pixels(np.zeros(1), np.zeros(1))[0, 1],
            style=style,
        )
        size = text.width(short[name], style.size, style.serif) + 2, 1.15 * style.size
        spot = _best(size, scene)
        if spot is None:
            continue
        taken.append(spot)
        x, y = frame.values(spot.at)
        away = spot.middle - spot.at
        fig.add_annotation(
            text=text.escape(short[name]),
            name="order",
            x=x,
            y=y,
            showarrow=True,  # also without a leader: ax and ay are px from the place on the line
            arrowhead=0,
            arrowwidth=style.px(1, 0.6),
            arrowcolor=style.leader if spot.leader else "rgba(0,0,0,0)",
            ax=away[0],
            ay=-away[1],
            xanchor="center",
            yanchor="middle",
            bgcolor=_ground(spot, scene),
            font={"size": style.size, "color": colours[name]},
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Scene:
    """What is drawn already: points in px along the line to name, the others and thin lines."""

    own: np.ndarray
    others: np.ndarray
    thin: np.ndarray
    taken: tuple[_Spot, ...]  # where names stand
    room: float
    height: float
    zero: float  # y of 0
    style: Style

    def squeezed(self, factor: float) -> _Scene:
        """Return the scene in a narrower window: lines move together, words keep their size."""
        scale = np.array([factor, 1])
        return replace(
            self,
            own=self.own * scale,
            others=self.others * scale,
            thin=self.thin * scale,
            taken=tuple(spot.squeezed(factor) for spot in self.taken),
            room=self.room * factor,
        )


def _joined(paths: Iterable[np.ndarray]) -> np.ndarray:
    return np.concatenate([np.empty((0, 2)), *paths])


def _path(values: pd.Series, frame: Frame) -> np.ndarray:
    """Return points along a line, some 2 px apart."""
    known = values.dropna()
    corners = frame.pixels(known.index.to_numpy(), known.to_numpy())
    length = np.hypot(*np.diff(corners, axis=0).T).sum() if len(corners) > 1 else 0.0
    return even_path(corners, int(length / 2) + 2) if len(corners) else corners


def _best(size: tuple[float, float], scene: _Scene) -> _Spot | None:
    """Return where a name disturbs least, None if it always touches another or is cut."""
    factor = scene.style.px(_NARROWEST, 1)
    scenes = [(1.0, scene)] if factor == 1 else [(1.0, scene), (factor, scene.squeezed(factor))]
    path, half = scene.own, np.array(size) / 2
    top = path[:, 1].max()
    summit = path[path[:, 1] >= top - 2, 0]
    high = path[path[:, 1] >= scene.zero + _NEAR_TOP * (top - scene.zero)]
    best, least = None, np.inf
    for at in [path[path[:, 1].argmax()], *high[::10]]:
        below, aside = top - at[1], np.abs(summit - at[0]).min()
        for reach, far in enumerate(_AWAY):
            for liked, side in enumerate(_SIDES):
                left, bottom = at + np.array(side) * (half + far * size[1]) - half
                box = Box(left, bottom, left + size[0], bottom + size[1])
                spot = _Spot(at, box, reach > 0)
                cost = (1.5 * below + 0.5 * aside) * (1 + reach) + 2 * liked + 10 * reach
                for narrower, seen in scenes:
                    if cost < least:
                        cost += _disturbance(spot.squeezed(narrower), seen)
                if cost < least:
                    best, least = spot, cost
    return best


def _disturbance(spot: _Spot, scene: _Scene) -> float:
    """Return what a name and its leader cover, infinity if it cannot stand there."""
    return _clutter(spot, scene) if _free(spot, scene) else np.inf


def _ground(spot: _Spot, scene: _Scene) -> str | None:
    """Return the colour of the page, a little transparent, for a name that covers a line."""
    if not (spot.box.distances(_joined([scene.own, scene.others])) == 0).any():
        return None
    return "rgba(14,17,23,0.75)" if scene.style.dark else "rgba(255,255,255,0.75)"


def _free(spot: _Spot, scene: _Scene) -> bool:
    """Whether a name is inside the plot, and it and its leader are clear of the other names."""
    box, gap = spot.box, scene.style.px(5, 3)
    if box.left < 2 or box.bottom < 2:
        return False
    if box.right > scene.room or box.top > scene.height + 1:
        return False
    leader = spot.path()
    return not any(
        box.overlaps(other.box, gap)
        or (box.distances(other.path()) < gap).any()
        or (other.box.distances(leader) < gap).any()
        for other in scene.taken
    )


def _clutter(spot: _Spot, scene: _Scene) -> float:
    """Return what a name and its leader cover: points of lines, thin ones counting less."""
    near = scene.style.px(4, 2.5)
    lines = (spot.box.distances(_joined([scene.own, scene.others])) < near).sum()
    thin = (spot.box.distances(scene.thin) < 1).sum()
    leader = spot.path()
    gaps = np.hypot(*(leader[:, None] - scene.others).transpose(2, 0, 1))
    crossed = (gaps < near).any(axis=1).sum()
    return float(6 * lines + 2 * thin + 6 * crossed)
