"""What tests of figures read from them."""

import json

STAND_FOR = {"&lt;": "<", "&gt;": ">", "&amp;": "&"}


def named(fig, name):
    """Return the traces of one name."""
    return [trace for trace in fig.data if trace.name == name]


def trace(fig, name):
    """Return the first trace of one name."""
    return next(t for t in fig.data if t.name == name)


def texts(fig):
    """Return what annotations say."""
    return [note.text for note in fig.layout.annotations]


def unescaped(words):
    """Return words as they are read on the page."""
    for entity, letter in STAND_FOR.items():
        words = words.replace(entity, letter)
    return words


def strict(fig):
    """Return the figure as JSON, which has no NaN and no infinity."""

    def refuse(constant):
        raise AssertionError(f"{constant} is no JSON")

    return json.loads(fig.to_json(), parse_constant=refuse)
