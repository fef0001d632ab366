"""Tables of comparisons on the cases of one test set."""

from collections.abc import Callable

import pandas as pd

from stats_core.comparison.kinds.cases import CasesComparison
from stats_core.comparison.tables.shared import Pairs, pairs_table, write_every_p
from stats_core.comparison.tables.table import (
    Table,
    significant,
    write_scores,
)
from stats_core.core.words import p_phrase
from stats_core.inference.families.corrections import CORRECTIONS
from stats_core.inference.paired import mcnemar


def pairs(c: CasesComparison) -> Table:
    """Return every pair: difference with its interval, p; of errors who alone is right."""
    alpha, measure = c.settings.alpha, c.settings.measure
    said = f"{c.how.short} on {c.counted}"
    if len(c.tests) > 1:
        by = (
            "not adjusted" if c.correction == "none" else f"adjusted by {CORRECTIONS[c.correction]}"
        )
        said += f", p {by}"
    if c.first_test is not None:
        said += f"; {c.first_test.name} {p_phrase(c.first_test.outcome.pvalue, alpha)}"
    own: dict[str, Callable[[float], str]] = {}
    alone = ""
    if c.way == "mcnemar":
        own = dict.fromkeys(["only first", "only second"], "{:,.0f}".format)
        alone = "Cases that only the first and only the second classified correctly, and the d"
    if c.cases.trainings[1:]:
        own = {"p this test set": write_every_p(c)["p"]}
        said += (
            "; p this test set is of a t test over trainings alone, which takes these cases for "
        )
        said += "the whole population"
    return pairs_table(
        c,
        Pairs(
            statistic="",
            own=own,
            write=write_scores(c.details()[["estimate", "low", "high"]]),
            caption=f"{alone or 'D'}ifference in {measure}, first minus second, with its own "
            f"interval ({1 - alpha:.4g}, not simultaneous); {said}; bold where the pair differs at "
            f"{alpha:g}.",
        ),
    )


def who_is_right(c: CasesComparison) -> Table:
    """Return the four counts of two models."""
    first, second = c.correct.columns
    table = pd.crosstab(c.correct[first].astype(bool), c.correct[second].astype(bool))
    table = table.reindex(index=[True, False], columns=[True, False], fill_value=0)
    index = pd.Index([f"{first} right", f"{first} wrong"], name="cases")
    columns = [f"{second} right", f"{second} wrong"]
    return Table(
        name="cases",
        title=f"{c.counted} by who is right",
        frame=table.set_axis(index).set_axis(columns, axis=1),
        formats=dict.fromkeys(columns, "{:,.0f}".format),
        caption=f"Cases of {c.dataset} by whether {first} and {second} are right.",
    )


def both_forms(c: CasesComparison) -> Table:
    """Return McNemar's test of two models, exact and by chi-square; of other measures the test."""
    first, second = c.correct.columns
    if c.way != "mcnemar":
        return _one_test(c, first, second)
    right = [c.correct[name].to_numpy() for name in (first, second)]
    more, less = f"p {first} right more often", f"p {first} right less often"
    rows = {}
    for name, exact in (("exact", True), ("chi-square", False)):
        test = mcnemar(*right, exact=exact, confidence=1 - c.settings.alpha)
        rows[f"McNemar's test, {name}"] = {
            "statistic": test.statistic,
            "p": test.pvalue,
            more: test.pvalue_greater,
            less: test.pvalue_less,
            "allowed here?": "decides" if exact else "with ten or more disagreements",
        }
    every_p = write_every_p(c)
    return Table(
        name="tests",
        title="Tests",
        frame=pd.DataFrame.from_dict(rows, orient="index").rename_axis("test"),
        formats={"statistic": significant, **dict.fromkeys(["p", more, less], every_p["p"])},
        caption=f"McNemar's test of {first} against {second} on {c.dataset}.",
    )


def _one_test(c: CasesComparison, first: str, second: str) -> Table:
    (test,) = c.tests.values()
    name = str(test.method)
    more, less = f"p {first} larger", f"p {first} smaller"
    row = {
        "difference": test.estimate,
        "low": test.low,
        "high": test.high,
        "statistic": test.statistic,
        "p": test.pvalue,
        more: test.pvalue_greater,
        less: test.pvalue_less,
    }
    write = write_scores(pd.DataFrame([row])[["difference", "low", "high"]])
    return Table(
        name="tests",
        title="Tests",
        frame=pd.DataFrame.from_dict({name: row}, orient="index").rename_axis("test"),
        formats={
            **dict.fromkeys(["difference", "low", "high"], write),
            "statistic": significant,
            **dict.fromkeys(["p", more, less], write_every_p(c)["p"]),
        },
        caption=f"{first} against {second} in {c.settings.measure} on {c.dataset}, {first} minus "
        f"{second}, with the interval of the same test.",
    )
