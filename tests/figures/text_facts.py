"""Collects every text about a comparison, and the tests, effects and numbers in it that can be checked."""

import json
import re
from dataclasses import dataclass

import numpy as np
import pandas as pd

from foldwise.figures import theme
from foldwise.figures.registry import drawings
from stats_core.core.formatting import MINUS
from stats_core.power.detectable import detectable
from stats_core.report.methods_text import methods_paragraph
from stats_core.report.paper_sentence import copied_sentence, paper_sentence
from stats_core.report.reproduce import to_json
from stats_core.report.tables.table_registry import tables_of
from stats_core.report.verdict import verdict

EFFECTS = (
    "Hodges-Lehmann estimate",
    "median difference in",
    "rank-based estimate",
    "difference in average rank",
    "difference in mean",
    "Mahalanobis distance",
    "typical",
    "shift",
    "gap",
)
# a test or an adjustment -> how texts name it
TESTS = {
    "Bergmann-Hommel": r"Bergmann(-| and )Hommel",
    "Shaffer": "Shaffer",
    "Holm": r"Holm(?!mel)\b",
    "Hommel": r"(?<!-)(?<!and )Hommel",
    "Hochberg": "Hochberg",
    "Bonferroni": r"Bonferroni(?!-Dunn)",
    "Li": r"\bLi\b",
    "Nemenyi": "Nemenyi",
    "Tukey": "Tukey",
    "Wilcoxon": "Wilcoxon",
    "sign test": "sign test",
    "Friedman": "Friedman",
    "Iman-Davenport": r"Iman(-| and )Davenport",
    "Skillings-Mack": "Skillings",
    "Cochran": "Cochran",
    "McNemar": "McNemar",
    "DeLong": "DeLong",
    "Hotelling": "Hotelling",
    "MANOVA": r"MANOVA|multivariate analysis of variance",
    "analysis of variance": r"(?<!multivariate )(?<!multivariate )analysis of variance",
    "corrected t": "corrected t",
    "5x2 cv F": "5x2 cv F",
    "cases and trainings": "over cases and trainings",
}
_NUMBER = re.compile(rf"(?<![\w.])[{MINUS}-]?\d[\d,]*\.\d+(?![\d\w])(?!×)")
# bounds of what is printed, widths of bins, the threshold of wins, simulated rates of the cards
_CONSTANTS = re.compile(
    r"[<>] ?0\.\d+|bins of [\d.]+|θ = [\d.]+|0\.5 f[pn]|up to 0\.\d+ at α = 0\.05"
)


@dataclass(frozen=True, kw_only=True)
class Said:
    """A text, where it is from, the numbers that it may contain, and the numbers of its table or figure."""

    where: str
    text: str
    numbers: np.ndarray
    data: pd.DataFrame | None = None


def named_tests(text):
    """Return the tests and adjustments that a text names."""
    return {name for name, pattern in TESTS.items() if re.search(pattern, text)}


def named_effects(text):
    """Return the effects that a text names; a name within a longer one is not counted."""
    found, rest = set(), text.lower()
    for effect in EFFECTS:
        if effect.lower() in rest:
            found.add(effect)
            rest = rest.replace(effect.lower(), "")
    return found


def numbers_of(*things):
    """Return numbers in JSON texts and tables, means, ranges, and the negatives, percentages and complements of all."""
    found = []
    for thing in things:
        if isinstance(thing, str):
            found += _in_json(json.loads(thing))
        else:
            table = pd.DataFrame(thing)
            values = table.select_dtypes("number").to_numpy(dtype=float)
            found += values.ravel().tolist()
            numeric = table.select_dtypes("number")
            found += pd.concat([numeric.mean(), numeric.min(), numeric.max()]).tolist()
            if table.index.nlevels > 1:
                found += numeric.groupby(level=0).mean().to_numpy().ravel().tolist()
    values = np.array([x for x in found if np.isfinite(x)], dtype=float)
    values = np.concatenate([values, -values, 100 * values, 1 - values])
    return np.unique(values)


def _in_json(value):
    if isinstance(value, dict):
        return [x for one in value.values() for x in _in_json(one)]
    if isinstance(value, list):
        return [x for one in value for x in _in_json(one)]
    return [float(value)] if isinstance(value, int | float) and value is not True else []


def unknown_numbers(said, names):
    """Return the numbers in a text to which no computed number rounds."""
    text = said.text
    for name in sorted(names, key=len, reverse=True):
        text = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", "@", text)
    text = re.sub(r"(?<![\w.])\d+(\.\d+)+(?=[ ,;)])(?<=\d\.\d\.\d)", "", text)  # versions
    text = _CONSTANTS.sub("", text)
    lost = []
    for written in _NUMBER.findall(text):
        value = float(written.replace(MINUS, "-").replace(",", ""))
        half = 0.5 * 10.0 ** -len(written.partition(".")[2]) * (1 + 1e-6)
        at = np.searchsorted(said.numbers, [value - half, value + half])
        if at[0] == at[1]:
            lost.append(written)
    return lost


def card_of(c):
    """Return the text of a card on the comparison itself, without notes."""
    said = verdict(c)
    return f"{said.headline} {said.size} {said.numbers}"


def everything(c, order=None):
    """Return every text of a comparison: card, texts for a paper, tables and figures."""
    tables = tables_of(c)
    seen = pd.DataFrame(
        {"detectable": [detectable(c).difference]}
        if c.shape.over in ("cases", "benchmarks")
        else {}
    ).dropna()
    known = numbers_of(to_json(c), *(table.frame for table in tables), c.scores, seen)
    found = [
        Said(where="card", text=card_of(c), numbers=known),
        Said(where="sentence", text=paper_sentence(c), numbers=known),
        Said(where="copied sentence", text=copied_sentence(c), numbers=known),
    ]
    found += [
        Said(where=f"table {table.name}", text=table.caption, numbers=known, data=table.frame)
        for table in tables
    ]
    for one in drawings(c, order=order, results=c.results):
        own = np.unique(np.concatenate([known, numbers_of(one.data)]))
        texts = {
            "title": one.title,
            "how": one.how_to_read,
            "alt": one.alt,
            "caption": one.caption(theme.screen()),
            "caption in print": one.caption(theme.paper()),
            "tested": one.tested,
        }
        found += [
            Said(where=f"{one.name}: {part}", text=text, numbers=own, data=one.data)
            for part, text in texts.items()
            if text
        ]
    return found


def methods_of(c, order=None):
    """Return the methods paragraph without its citations."""
    return re.sub(r" \[@[^]]*\]", "", methods_paragraph(c, order))
