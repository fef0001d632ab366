"""Decision about one pair within the family of all pairs, with its own test as a note."""

from dataclasses import replace

import pandas as pd

from stats_core.comparison.claims import DECIDED, LIMITED, NOT_SEPARATED, claimed
from stats_core.comparison.conclusion_scope import may_cite, scope_said
from stats_core.comparison.effect_text import describe_effect
from stats_core.comparison.result import Comparison
from stats_core.comparison.verdict import Verdict, describe_tests, headline_parts, published_of
from stats_core.core.formatting import capitalize_first, format_count, p_said
from stats_core.core.significance import significant

_NAMES = 4  # maximum number of algorithms in a headline


def among_all(own: Comparison, every: Comparison) -> Verdict | None:
    r"""What do the tests of all pairs decide about one pair?

    Examples
    --------
    >>> from stats_core import Settings, analyse, read_results
    >>> rows = "".join(f"set{i},0.9{i},0.8{i},0.7{i}\n" for i in range(5))
    >>> results = read_results(("acc.csv", f"dataset,rf,svm,knn\n{rows}".encode()))
    >>> own = analyse(results, Settings(pair=("rf", "knn")))
    >>> print(among_all(own, analyse(results)).headline)
    rf is significantly better than knn in accuracy over 5 data sets (adjusted p < 0.001).
    """
    pair, tested = own.order[:2], every.tested()
    row = tested[tested["first"].isin(pair) & tested["second"].isin(pair)]
    if not len(row) or not may_cite(own, every, naming=["algorithms"]):
        return None
    claim = claimed(every)
    first, second = _better_first(every, row.iloc[0])
    differ = bool(row["separated"].iloc[0])
    size, level = describe_effect(every, replace(claim, size=(first, second)))
    badge = LIMITED if claim.badge == LIMITED else DECIDED if differ else NOT_SEPARATED
    pairs = f"{format_count(len(tested), 'pair')} of {format_count(len(every.order), 'algorithm')}"
    tests = f"{capitalize_first(describe_tests(every))}, {pairs}."
    return Verdict(
        badge=badge,
        headline=_headline(every, first, second, row.iloc[0]),
        size=size,
        numbers=" ".join(part for part in (tests, level, every.cannot()) if part),
        notes=(if_chosen_beforehand(own), *every.notes),
    )


def if_chosen_beforehand(own: Comparison) -> str:
    """Return the result of the pair's own test, for a pair chosen beforehand.

    It has no headline of its own, as the decision of the family is the headline.
    """
    if own.obstacle or not significant(own.least.pvalue, own.settings.alpha):
        return f"If chosen beforehand: {' '.join(headline_parts(own, claimed(own), _NAMES)[:2]).strip()}"
    row = own.tested().iloc[0]
    p = p_said(row["p"] if pd.notna(row["p"]) else row["p adjusted"], own.settings.alpha)
    size, _ = describe_effect(own, replace(claimed(own), size=(row["first"], row["second"])))
    parts = (
        f"If chosen beforehand: unadjusted {p}{published_of(own, row)} ({own.post}).",
        size or own.sizes(list(own.order)),
        own.tally(),
    )
    return " ".join(part for part in parts if part)


def _better_first(family_comparison: Comparison, row: pd.Series) -> tuple[str, str]:
    first, second = row["first"], row["second"]
    return (second, first) if family_comparison.beats.loc[second, first] else (first, second)


def _headline(family_comparison: Comparison, first: str, second: str, row: pd.Series) -> str:
    scope_text = scope_said(family_comparison)
    kind = "adjusted " if family_comparison.guarantee.adjusted else "unadjusted "
    p = f"{kind}{p_said(row['p adjusted'], family_comparison.settings.alpha)}"
    p += published_of(family_comparison, row)
    if not row["separated"]:
        return f"{first} and {second} do not differ significantly {scope_text} ({p})."
    if family_comparison.beats.loc[first, second]:
        return f"{first} is significantly better than {second} {scope_text} ({p})."
    return f"{first} and {second} differ significantly {scope_text} ({p})."
