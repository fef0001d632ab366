"""Tables of comparisons on the instances of one test set."""

from collections.abc import Callable

import numpy as np
import pandas as pd

from stats_core.comparison.kinds.instances import WAYS, CasesComparison, instance_test_for
from stats_core.core.formatting import p_phrase
from stats_core.core.validation import significant
from stats_core.curves.trained_models import RiskBands
from stats_core.inference.multiplicity.adjust import CORRECTIONS
from stats_core.inference.paired import mcnemar
from stats_core.report.effect_text import ci
from stats_core.report.tables.table import (
    Pairs,
    ResultTable,
    four_decimals,
    four_digits,
    pairs_table,
    table_text,
    three_decimals,
    with_row_numbers,
    write_every_p,
    write_p,
    write_sizes,
)


def pairs(c: CasesComparison) -> ResultTable:
    """Return all pairs with difference, interval and p-value."""
    alpha, measure = c.settings.alpha, c.settings.measure
    details = f"{c.how.short} on {c.counted}"
    if len(c.tests) > 1:
        by = "not adjusted" if c.correction == "none" else f"adjusted by {CORRECTIONS[c.correction]}"
        details += f", p {by}"
    if c.first_test is not None:
        details += f"; {c.first_test.name} {p_phrase(c.first_test.outcome.pvalue, alpha)}"
    own: dict[str, Callable[[float], str]] = {}
    only_counts = ""
    if c.way == "mcnemar":
        own = dict.fromkeys(["only first", "only second"], "{:,.0f}".format)
        only_counts = "Cases that only the first and only the second classified correctly, and the d"
    identical = ""
    if c.way == "mcnemar" and any(np.isnan(test.low) for test in c.tests.values()):
        identical = "; the interval of two that never disagree is Agresti and Min's"
    if c.cases.trainings[1:]:
        own = {"p this test set": write_every_p(c)["p"]}
        details += "; p this test set is of a t test over trainings alone, which takes these cases for "
        details += "the whole population"
    return pairs_table(
        c,
        Pairs(
            statistic="",
            own=own,
            write=write_sizes(c),
            **table_text(
                "instance",
                "pairs",
                only_counts=only_counts,
                measure=measure,
                c=c,
                details=details,
                identical=identical,
                alpha=alpha,
            ),
        ),
    )


# criterion for the best threshold -> its text with the number
_WISHED = {
    "cost": "least cost at ratio {:g}",
    "recall": "recall of {:g} or more",
    "precision": "precision of {:g} or more",
    "alerts": "alerts of {:g} or less",
}
_LOSS = {"brier": "Brier score", "logloss": "log loss"}


def risk_difference_ranges(c: CasesComparison) -> ResultTable | None:
    """Return the ranges of theta in which pairs differ in risk; None without scores."""
    if c.cases.score is None or c.cases.positive is None or len(c.cases.names) < 2:
        return None
    return away_of(c.dataset, c.risk_bands())


def away_of(dataset: str, bands: RiskBands) -> ResultTable:
    """Return the ranges of theta in which each pair differs in risk."""
    draws_text = f"{bands.draws:,} draws of {bands.unit}s"
    return ResultTable(
        name="risk_away",
        frame=with_row_numbers(bands.away()),
        heads=("first", "second"),
        **table_text("instance", "away_of", found=bands, dataset=dataset, draws_text=draws_text),
    )


def thresholds(c: CasesComparison) -> ResultTable | None:
    """Return the best threshold of each model with its expected performance on new instances."""
    best = c.best_thresholds()
    if best is None:
        return None
    criteria = [_WISHED[wish].format(n) for wish, n in zip(best["wish"], best["amount"], strict=True)]
    # columns measured on the instances the threshold was chosen on
    in_sample = ["recall", "precision", "alerts", "cost"]
    out_of_sample = [name for name in best if name not in ("wish", "amount", *in_sample)]
    frame = best[[*out_of_sample, *in_sample]]
    frame.insert(0, "wished", criteria)
    unit = "clusters" if c.n_clusters else "cases"
    trainings = "; of several trainings the first counts" if c.cases.trainings[1:] else ""
    return ResultTable(
        name="best_thresholds",
        frame=with_row_numbers(frame),
        formats=dict.fromkeys(frame.columns[2:], three_decimals),
        heads=("wished", "algorithm"),
        aside=tuple(in_sample),
        **table_text("instance", "thresholds", c=c, unit=unit, trainings=trainings),
    )


def calibration(c: CasesComparison) -> ResultTable | None:
    """Return observed shares of positive instances by predicted probability."""
    rates = c.calibration()
    if rates is None:
        return None
    repeated = c.cases.trainings[1:]
    groups = "cluster" if c.n_clusters else "instance"
    kind = f"95% CI, clustered by {groups}" if c.n_clusters or repeated else "exact 95% CI"
    binned = "predictions" if repeated else "instances"
    return ResultTable(
        name="calibration",
        frame=with_row_numbers(rates),
        formats=dict.fromkeys(["said", "found", "low", "high"], three_decimals),
        heads=("algorithm", "bin"),
        **table_text("instance", "calibration", binned=binned, c=c, kind=kind),
    )


def losses(c: CasesComparison) -> ResultTable | None:
    """Return tests of Brier score and log loss for every pair."""
    tests = c.losses()
    if tests is None:
        return None
    alpha = c.settings.alpha
    frame = tests.assign(loss=tests["loss"].map(_LOSS)).rename(columns={"estimate": "difference", "p": "p raw"})
    adjustment = "not adjusted"
    if c.correction != "none":
        adjustment = f"adjusted by {CORRECTIONS[c.correction]} for each loss"
    write = dict.fromkeys(["of first", "of second", "difference", "low", "high"], four_decimals)
    infinite = set(_LOSS) - set(tests["loss"])
    omitted = " No log loss: a model was sure and wrong." if infinite else ""
    return ResultTable(
        name="probability_losses",
        frame=with_row_numbers(frame),
        formats={**write, **dict.fromkeys(["p raw", "p adjusted"], write_p(alpha))},
        best={i: (["p adjusted"], []) for i, p in enumerate(frame["p adjusted"], 1) if significant(p, alpha)},
        heads=("loss", "first", "second"),
        **table_text(
            "instance",
            "losses",
            c=c,
            by_loss=_by_loss(c),
            adjustment=adjustment,
            ci=ci(alpha),
            alpha=alpha,
            omitted=omitted,
        ),
    )


def _by_loss(c: CasesComparison) -> str:
    """Return the name of the test of losses."""
    return WAYS[instance_test_for(c.cases, "brier")].short


def agreement_counts(c: CasesComparison) -> ResultTable:
    """Return the 2 x 2 table of correct predictions of two models."""
    first, second = c.correct.columns
    table = pd.crosstab(c.correct[first].astype(bool), c.correct[second].astype(bool))
    table = table.reindex(index=[True, False], columns=[True, False], fill_value=0)
    index = pd.Index([f"{first} right", f"{first} wrong"], name="cases")
    columns = [f"{second} right", f"{second} wrong"]
    return ResultTable(
        name="cases",
        frame=table.set_axis(index).set_axis(columns, axis=1),
        formats=dict.fromkeys(columns, "{:,.0f}".format),
        **table_text("instance", "agreement_counts", c=c, first=first, second=second),
    )


def both_forms(c: CasesComparison) -> ResultTable:
    """Return McNemar's test, exact and by chi-square; for other measures their test."""
    first, second = c.correct.columns
    if c.way != "mcnemar":
        return _one_test(c, first, second)
    right = [c.correct[name].to_numpy() for name in (first, second)]
    more_often, less_often = f"p {first} right more often", f"p {first} right less often"
    rows = {}
    for name, exact in (("exact", True), ("chi-square", False)):
        test = mcnemar(*right, exact=exact, confidence=1 - c.settings.alpha)
        rows[f"McNemar's test, {name}"] = {
            "statistic": test.statistic,
            "p": test.pvalue,
            more_often: test.pvalue_greater,
            less_often: test.pvalue_less,
            "allowed here?": "decides" if exact else "with ten or more disagreements",
        }
    every_p = write_every_p(c)
    return ResultTable(
        name="tests",
        frame=pd.DataFrame.from_dict(rows, orient="index").rename_axis("test"),
        formats={"statistic": four_digits, **dict.fromkeys(["p", more_often, less_often], every_p["p"])},
        **table_text("instance", "both_forms", first=first, second=second, c=c),
    )


def _one_test(c: CasesComparison, first: str, second: str) -> ResultTable:
    (test,) = c.tests.values()
    name = str(test.method)
    larger, smaller = f"p {first} larger", f"p {first} smaller"
    row = {
        "difference": test.estimate,
        "low": test.low,
        "high": test.high,
        "statistic": test.statistic,
        "p": test.pvalue,
        larger: test.pvalue_greater,
        smaller: test.pvalue_less,
    }
    write = write_sizes(c)
    return ResultTable(
        name="tests",
        frame=pd.DataFrame.from_dict({name: row}, orient="index").rename_axis("test"),
        formats={
            **dict.fromkeys(["difference", "low", "high"], write),
            "statistic": four_digits,
            **dict.fromkeys(["p", larger, smaller], write_every_p(c)["p"]),
        },
        **table_text("instance", "one_test", first=first, second=second, c=c),
    )
