"""Formatting of numbers and names in sentences, tables and figures."""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from math import floor, isfinite, isinf, isnan, log10
from typing import TYPE_CHECKING

import numpy as np

from stats_core.core.significance import equals_alpha

if TYPE_CHECKING:  # the launcher does without pandas to save memory
    import pandas as pd

MINUS = "\u2212"
AT_MOST = "\u2264"
_WORDS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
MANY = 12  # most names that are all listed in a claim
_ACRONYMS = ("auc", "mcc", "tpr", "fpr", "tnr", "fnr", "tp", "fp", "tn", "fn", "f1")
_ACRONYMS_OF_NUMBERS = ("mse", "rmse", "mae", "ndcg", "mrr", "map", "crps")
_MEASURES = {
    **{name: name.upper() for name in (*_ACRONYMS, *_ACRONYMS_OF_NUMBERS)},
    "roc_auc": "AUC",
    "auc_pr": "AUC-PR",
    "f": "F1",
    "logloss": "log loss",
    "brier": "Brier score",
    "r2": "R²",
    "macro_f1": "macro F1",
    "weighted_f1": "weighted F1",
    "macro_auc": "macro AUC",
    "kappa": "Cohen's kappa",
    "top2_accuracy": "top-2 accuracy",
    "top3_accuracy": "top-3 accuracy",
    "top5_accuracy": "top-5 accuracy",
    "medae": "median absolute error",
}
_RAISED = str.maketrans(
    "-0123456789", "\u207b\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079"
)
_RUNS = re.compile(r"'*[=+\-@\t\r]")  # start of a spreadsheet formula, after any apostrophes
ABOVE_ZERO = 5e-324  # open end at zero of an interval: smallest float
_MOST_DECIMALS = 6  # numbers that need more are written with a power of ten
_LARGE = 1e12  # numbers from this size on are written with a power of ten, too
_MOST_COUNTED = 10**15  # counts from this size on are written as a power of ten
# controls but tab and line feed, zero width, soft hyphens, direction marks; joiners stay, as some
# scripts need them
_UNSEEN_RANGES = (
    (0x00, 0x08),
    (0x0E, 0x1B),
    (0x7F, 0x84),
    (0x86, 0x9F),
    (0xAD, 0xAD),
    (0x200B, 0x200B),
    (0x200E, 0x200F),
    (0x202A, 0x202E),
    (0x2060, 0x2064),
    (0x2066, 0x2069),
    (0xFEFF, 0xFEFF),
)
UNSEEN = {code: "" for first, last in _UNSEEN_RANGES for code in range(first, last + 1)}
# blanks and line ends that are read as a plain blank
BLANKS = dict.fromkeys(
    map(ord, "\x0b\x0c\r\x1c\x1d\x1e\x1f\x85\u00a0\u2007\u2009\u2028\u2029\u202f\u3000"), " "
)


def p_text(p: float, alpha: float | None = None) -> str:
    """Return a p-value with three decimals, more if rounding would give alpha; "n/a" for NaN.

    Values below 0.001 give "<0.001", or two significant digits if alpha is also below 0.001; values
    from 0.9995 give ">0.999", and values below 1e-10 always "<0.001".

    Examples
    --------
    >>> p_text(0.00004), p_text(0.0389577), p_text(0.04996, alpha=0.05), p_text(1.0)
    ('<0.001', '0.039', '0.04996', '>0.999')
    >>> p_text(0.00004, alpha=0.0005)
    '0.000040'
    """
    if isnan(p):
        return "n/a"
    if alpha is not None and equals_alpha(p, alpha):
        p = alpha
    if p >= 0.9995:
        return ">0.999"
    least = 1e-10 if alpha is not None and alpha < 0.001 else 0.001
    if p < least:
        return "<0.001"
    digits = 3 if p >= 0.001 else 1 - floor(log10(p))
    while alpha is not None and p != alpha and round(p, digits) == alpha:
        digits += 1
    return f"{p:.{digits}f}"


def p_phrase(p: float, alpha: float | None = None, name: str = "p") -> str:
    """Return a p-value with its name and sign.

    Examples
    --------
    >>> p_phrase(0.0389577), p_phrase(1e-5), p_phrase(1.0, name="adjusted p")
    ('p = 0.039', 'p < 0.001', 'adjusted p > 0.999')
    """
    text = p_text(p, alpha)
    has_sign = text[0] in "<>"
    return f"{name} {text[0]} {text[1:]}" if has_sign else f"{name} = {text}"


def format_number(value: float, digits: int = 2) -> str:
    """Return a number with fixed decimals, a true minus and no negative zero.

    A nonzero number has three significant digits and a power of ten if it is 1e12 or more, if
    `digits` is above six, or if four or more decimals would show only zeros. An absolute value
    below 10**-(digits + 8) is a rounding error and shown as 0.

    Examples
    --------
    >>> format_number(-0.004), format_number(-1.5, 1), format_number(2730, 0)
    ('0.00', '−1.5', '2,730')
    >>> format_number(0.0000123, 4), format_number(-1e300), format_number(1e-17, 4)
    ('1.23×10⁻⁵', '−1.00×10³⁰⁰', '0.0000')
    >>> format_number(float("-inf")), format_number(float("inf"))
    ('−∞', '∞')
    """
    if isinf(value):
        return "∞" if value > 0 else f"{MINUS}∞"
    size = abs(value)
    if size < 10.0 ** -(digits + 8):  # rounding errors of computation
        value = 0.0
        size = 0.0
    rounds_to_zero = digits >= 4 and size < 0.5 * 10.0**-digits
    needs_power = rounds_to_zero or digits > _MOST_DECIMALS or size >= _LARGE
    if size > 0 and isfinite(size) and needs_power:
        return format_power_of_ten(value)
    if size == 0 and digits > _MOST_DECIMALS:
        return "0"
    text = f"{value:,.{digits}f}"
    if not text.startswith("-"):
        return text
    is_zero = not text.strip("-0.,")
    return text[1:] if is_zero else MINUS + text[1:]


def format_interval(low: float, high: float, digits: int = 2) -> str:
    """Return an interval as text, with round brackets at open ends.

    Examples
    --------
    >>> format_interval(-0.9, 0.3), format_interval(ABOVE_ZERO, 0.015, 3), format_interval(float("-inf"), -ABOVE_ZERO)
    ('[−0.90, 0.30]', '(0, 0.015]', '(−∞, 0)')
    """
    left = "(" if _is_open(low) else "["
    right = ")" if _is_open(high) else "]"
    return f"{left}{_end(low, digits)}, {_end(high, digits)}{right}"


def _is_open(end: float) -> bool:
    """Return whether an end of an interval is open: infinite, or zero excluded."""
    return isinf(end) or abs(end) == ABOVE_ZERO


def _end(value: float, digits: int) -> str:
    return "0" if abs(value) == ABOVE_ZERO else format_number(value, digits)


def format_percent(share: float, digits: int | None = None) -> str:
    """Return a share of one as a percentage with fixed decimals, or with up to four significant digits.

    Examples
    --------
    >>> format_percent(0.95), format_percent(1 - 0.005), format_percent(0.284, 1)
    ('95%', '99.5%', '28.4%')
    """
    percent = 100 * share
    return f"{percent:.4g}%" if digits is None else f"{percent:.{digits}f}%"


def score_digits(scores: "pd.DataFrame") -> int:
    """Return the number of decimals for scores, determined by the largest absolute value.

    2 above 10, else 4, or more to show three significant digits of a small number; 4 if all are 0
    or not finite.

    Examples
    --------
    >>> import pandas as pd
    >>> [score_digits(pd.DataFrame([[0.0, size]])) for size in (93.1, 0.2, 0.00456, 0.0000123)]
    [2, 4, 5, 7]
    """
    sizes = np.abs(np.asarray(scores, dtype=float))
    largest = float(np.max(sizes, initial=0, where=np.isfinite(sizes)))
    if largest > 10:
        return 2
    if largest == 0:
        return 4
    return max(4, 2 - floor(log10(largest)))


def format_power_of_ten(value: float) -> str:
    """Return a number with three significant digits and a power of ten.

    Examples
    --------
    >>> format_power_of_ten(0.0000123), format_power_of_ten(-2e15)
    ('1.23×10⁻⁵', '−2.00×10¹⁵')
    """
    digits, power = f"{value:.2e}".split("e")
    exponent = str(int(power)).translate(_RAISED)
    return f"{digits.replace('-', MINUS)}×10{exponent}"


def format_whole(n: int) -> str:
    """Return a whole number, one of 16 or more digits as a power of ten.

    Examples
    --------
    >>> format_whole(2730), format_whole(-(10**5000))
    ('2,730', '−10⁵⁰⁰⁰')
    """
    if abs(n) < _MOST_COUNTED:
        return f"{n:,}"
    sign = MINUS if n < 0 else ""
    exponent = str(floor(log10(abs(n)))).translate(_RAISED)
    return f"{sign}10{exponent}"


def format_count(n: int, noun: str, plural: str | None = None) -> str:
    """Return a count with its noun, "1 pair" or "2,730 pairs"; if `plural` is None, an s is added to the noun."""
    if n == 1:
        return f"{format_whole(n)} {noun}"
    return f"{format_whole(n)} {noun + 's' if plural is None else plural}"


def spell_count(n: int, noun: str = "") -> str:
    """Return a count for running text, in words below ten.

    Examples
    --------
    >>> spell_count(2, "pair"), spell_count(10, "pair"), spell_count(1, "algorithm"), spell_count(7)
    ('two pairs', '10 pairs', 'one algorithm', 'seven')
    """
    number = _WORDS[n] if n < len(_WORDS) else format_whole(n)
    if not noun:
        return number
    return f"{number} {noun if n == 1 else noun + 's'}"


def join_names(names: Sequence[str], limit: int = 4, last: str = "and") -> str:
    """Return names joined as "a", "a and b", "a, b and c", "a, b and 5 others".

    Examples
    --------
    >>> join_names(["a", "b", "c"]), join_names(list("abcdefg"), limit=3)
    ('a, b and c', 'a, b and 5 others')
    >>> join_names(["a", "b"], last="or")
    'a or b'
    >>> join_names(["kNN, k=5", "a", "b"])
    'kNN, k=5; a and b'
    """
    names = [str(name) for name in names]
    if len(names) > limit:
        n_others = len(names) - limit + 1
        names = [*names[: limit - 1], f"{n_others} others"]
    if len(names) < 2:
        return "".join(names)
    first_names = _between(names).join(names[:-1])
    return f"{first_names} {last} {names[-1]}"


def join_sentences(*sentences: str) -> str:
    """Return sentences joined by a blank, without the empty ones.

    Examples
    --------
    >>> join_sentences("rf is better.", "", "p = 0.012.")
    'rf is better. p = 0.012.'
    """
    return " ".join(sentence for sentence in sentences if sentence)


def format_set(names: Iterable[object]) -> str:
    """Return names in the notation of a set.

    Examples
    --------
    >>> format_set(["a", "b"]), format_set(["kNN, k=5", "b"])
    ('{a, b}', '{kNN, k=5; b}')
    """
    texts = [str(name) for name in names]
    return "{" + _between(texts).join(texts) + "}"


def _between(names: Iterable[str]) -> str:
    """Return the separator for a list of names: a semicolon if any name contains a comma, else a comma."""
    return "; " if any(", " in name for name in names) else ", "


def quote(text: object, most: int = 80) -> str:
    """Return the first line of a text, at most `most` characters, in quotation marks; " ..." marks an omission.

    Examples
    --------
    >>> quote("oops"), quote("9" * 4300, most=5)
    ('"oops"', '"99999 ..."')
    """
    full = str(text)
    line = full[: most + 1].split("\n", 1)[0][:most]
    return f'"{line}"' if line == full else f'"{line} ..."'


def without_controls(text: str) -> str:
    r"""Return a text without invisible characters and with plain blanks; tabs and line feeds stay.

    Examples
    --------
    >>> without_controls("s\x1bv\u200bm\u00a01")
    'svm 1'
    """
    return text if text.isprintable() else text.translate(UNSEEN).translate(BLANKS)


def for_terminal(text: str) -> str:
    r"""Return a text with control characters, except tab and line feed, as escape sequences.

    Examples
    --------
    >>> print(for_terminal("a\x1b[2J\n"), end="")
    a\x1b[2J
    """
    escapes = {}
    for letter in set(text):
        if letter not in "\t\n" and unicodedata.category(letter) in ("Cc", "Cs"):
            escapes[ord(letter)] = letter.encode("unicode_escape").decode()
    return text.translate(escapes)


def escape_spreadsheet_formula(value: object) -> object:
    """Return a text escaped so that no spreadsheet runs it as a formula; other values unchanged.

    Examples
    --------
    >>> escape_spreadsheet_formula("=1+1"), escape_spreadsheet_formula("rf"), escape_spreadsheet_formula("'-x")
    ("'=1+1", 'rf', "''-x")
    """
    is_formula = isinstance(value, str) and _RUNS.match(value)
    return f"'{value}" if is_formula else value


def unescape_spreadsheet_formula(text: str) -> str:
    """Return the text that `escape_spreadsheet_formula` escaped, other texts unchanged.

    Examples
    --------
    >>> unescape_spreadsheet_formula("'=1+1"), unescape_spreadsheet_formula("''-x"), unescape_spreadsheet_formula("'s")
    ('=1+1', "'-x", "'s")
    """
    return text[1:] if text.startswith("'") and _RUNS.match(text) else text


def measure_name(measure: str) -> str:
    """Return the name of a measure as papers write it; underscores in other names become spaces.

    Examples
    --------
    >>> measure_name("auc"), measure_name("balanced_accuracy"), measure_name("ndcg@10")
    ('AUC', 'balanced accuracy', 'NDCG@10')
    """
    name, at, cutoff = measure.partition("@")
    return _MEASURES.get(name, name.replace("_", " ")) + at + cutoff


def label_tests(tests: str) -> str:
    """Return the names of tests after a label in the right number.

    Examples
    --------
    >>> label_tests("Nemenyi's test"), label_tests("sign tests with Holm adjustment")
    ("Test: Nemenyi's test", 'Tests: sign tests with Holm adjustment')
    """
    return f"{'Tests' if ' tests' in tests else 'Test'}: {tests}"


def capitalize_first(text: str) -> str:
    """Return a text with its first letter in upper case."""
    return text[:1].upper() + text[1:]


def noun_before(noun: str, *names: str) -> str:
    """Return "the model " to write before names; "" if any name contains the noun.

    Examples
    --------
    >>> noun_before("model", "a", "b"), noun_before("model", "Model A", "b")
    ('the model ', '')
    """
    return "" if any(noun.lower() in name.lower() for name in names) else f"the {noun} "


def unused_label(label: str, used: Sequence[str]) -> str:
    """Return the label, with " (all)" appended until it is not in `used`."""
    while label in used:
        label += " (all)"
    return label
