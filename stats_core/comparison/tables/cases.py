"""Tables of comparisons on the cases of one test set."""

import pandas as pd

from stats_core.comparison.kinds.cases import CasesComparison
from stats_core.comparison.tables.shared import Pairs, pairs_table, write_every_p
from stats_core.comparison.tables.table import Table, significant, write_scores
from stats_core.core.words import p_phrase
from stats_core.inference.families.corrections import CORRECTIONS
from stats_core.inference.paired import mcnemar


def pairs(c: CasesComparison) -> Table:
    """Return every pair: on how many cases each alone is right, difference, p."""
    alpha, said = c.settings.alpha, f"McNemar's exact test on {c.counted}"
    if c.cochran is not None:
        by = (
            "not adjusted" if c.correction == "none" else f"adjusted by {CORRECTIONS[c.correction]}"
        )
        said += f", p {by}; Cochran's Q of all {p_phrase(c.cochran.pvalue, alpha)}"
    return pairs_table(
        c,
        Pairs(
            statistic="",
            own=dict.fromkeys(["only first", "only second"], "{:,.0f}".format),
            write=write_scores(c.details()[["estimate", "low", "high"]]),
            caption="Cases that only the first and only the second classified correctly, and the "
            f"difference of the shares correct with its interval; {said}; bold where the pair "
            f"differs at {alpha:g}.",
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
    """Return McNemar's test of two models, exact and by chi-square."""
    first, second = c.correct.columns
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
