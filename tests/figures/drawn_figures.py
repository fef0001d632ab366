"""Functions that read traces, texts and boxes of texts from figures."""

import json
import math

import numpy as np
import shapely

from foldwise.figures.theme import Style
from foldwise.rendering.from_plotly import scene_from_figure
from foldwise.rendering.scene import SceneText

#: Height above and below the baseline that letters take, in font sizes, and px by which boxes may
#: touch.
_ABOVE, _BELOW, _SLACK = 0.7, 0.2, 0.5
STAND_FOR = {"&lt;": "<", "&gt;": ">", "&amp;": "&"}


def named(fig, name):
    """Return all traces with a name."""
    return [trace for trace in fig.data if trace.name == name]


def trace(fig, name):
    """Return the first trace with a name."""
    return next(t for t in fig.data if t.name == name)


def texts(fig):
    """Return the texts of all annotations."""
    return [note.text for note in fig.layout.annotations]


def unescaped(words):
    """Return a text with Plotly's entities replaced by characters."""
    for entity, letter in STAND_FOR.items():
        words = words.replace(entity, letter)
    return words


def strict(fig):
    """Return the parsed JSON of a figure; fail if it contains NaN or infinity."""

    def refuse(constant):
        raise AssertionError(f"{constant} is no JSON")

    return json.loads(fig.to_json(), parse_constant=refuse)


def text_boxes(drawing, style: Style):
    """Return the visible texts of a figure, polygons around them, and its size, as laid out for print."""
    figure = drawing.figure(style)
    own = figure.layout.width
    figure.layout.width = own or style.width
    scene, size = scene_from_figure(figure), (figure.layout.width, figure.layout.height)
    figure.layout.width = own  # figures are cached
    texts = [part for part in scene.parts if isinstance(part, SceneText) and part.colour[3] > 0]
    return texts, [_box_of_letters(text) for text in texts], size


def _box_of_letters(text):
    along, down = (np.array([f(math.radians(text.angle)) for f in pair]) for pair in _DIRECTIONS)
    start = np.array([text.x, text.y]) + _SLACK * along
    end = start + max(text.width - 2 * _SLACK, 0.1) * along
    top, bottom = (_SLACK - _ABOVE * text.size) * down, (_BELOW * text.size - _SLACK) * down
    return shapely.Polygon([start + top, end + top, end + bottom, start + bottom])


_DIRECTIONS = ((math.cos, math.sin), (lambda angle: -math.sin(angle), math.cos))


def printed_hues(drawing, style: Style):
    """Return the colours in print that are not grey."""
    parts = scene_from_figure(drawing.figure(style)).parts
    colours = {
        getattr(part, name) for part in parts for name in ("fill", "colour") if hasattr(part, name)
    }
    colours |= {part.pen.colour for part in parts if getattr(part, "pen", None)}
    return {
        colour for colour in colours if colour[3] > 0 and max(colour[:3]) - min(colour[:3]) > 0.01
    }


def faults_of_text(drawing, style: Style):
    """Return the pairs of texts of a figure that overlap, and the texts that extend beyond the figure."""
    texts, boxes, (width, height) = text_boxes(drawing, style)
    first, second = shapely.STRtree(boxes).query(boxes, predicate="intersects")
    pairs = [(texts[i].text, texts[j].text) for i, j in zip(first, second, strict=True) if i < j]
    outside = ~shapely.covers(shapely.box(0, 0, width, height), boxes)
    return pairs + [(text.text,) for text, left in zip(texts, outside, strict=True) if left]
