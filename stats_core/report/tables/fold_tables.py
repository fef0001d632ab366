"""Tables of comparisons on the folds of one data set."""

from dataclasses import replace

import numpy as np
import pandas as pd

from stats_core.comparison.kinds.fold_comparisons import FoldsComparison
from stats_core.comparison.kinds.fold_pair import CHECK_LEVEL, FoldPairComparison, OnFolds
from stats_core.core.formatting import capitalize_first, format_count, format_number, p_phrase
from stats_core.core.significance import significant
from stats_core.data.settings import TUKEY
from stats_core.inference.anova import AnovaResult
from stats_core.inference.fold_tests import PAIR_TESTS, PairAnswer
from stats_core.report.effect_text import interval_words, region_caption
from stats_core.report.tables.table import (
    ResultTable,
    best_and_second,
    deviations,
    four_digits,
    name_index,
    three_decimals,
    write_ends,
    write_scores,
    write_sizes,
)
from stats_core.report.tables.table_parts import (
    Pairs,
    df_text,
    groups_table,
    p_words,
    pairs_table,
    published_caption,
    with_equivalence,
    write_every_p,
)


def means_of_all(c: FoldsComparison) -> ResultTable:
    """Return means, spread, average ranks and compact letters."""
    means = _means(c, c.order)
    ranks, letters = c.friedman.average_ranks[c.order], c.letters[c.order].astype(object)
    return replace(
        means,
        frame=means.frame.assign(**{"average rank": ranks, "letters": letters}),
        caption=f"{means.caption} {capitalize_first(c.noun)}s without a common letter differ.",
    )


def means_of_two(c: FoldPairComparison) -> ResultTable:
    """Return means and spread, with the folds won by each algorithm in the caption."""
    means = _means(c, [c.first, c.second])
    return replace(means, caption=f"{means.caption} {describe_record(c)}")


def describe_record(c: FoldPairComparison) -> str:
    """Return a sentence with the folds that the first algorithm wins, ties and loses."""
    won, tied, lost = c.record(c.first)
    return f"{c.first} is better in {won}, ties in {tied} and is worse in {lost} of {c.counted}."


def _means(c: OnFolds, names: list[str]) -> ResultTable:
    matrix = c.matrix[names]
    table = pd.DataFrame({"mean": matrix.mean(), "sd": deviations(matrix)})
    table["smallest"], table["largest"] = matrix.min(), matrix.max()
    marks = "best bold, second underlined" if len(names) > 2 else "the better one bold"
    return ResultTable(
        name="means",
        title=f"{capitalize_first(c.settings.measure)} on {c.dataset}",
        frame=table.rename_axis("algorithm"),
        formats={**dict.fromkeys(table, write_scores(matrix)), "average rank": format_number},
        best=best_and_second(table[["mean"]], c.higher_is_better, by_column=True),
        caption=f"Mean {c.measure_label} over {c.counted}, standard deviation and range; {marks}.",
    )


def variance(c: FoldsComparison) -> ResultTable:
    """Return the analysis of variance with folds as blocks; other omnibus tests in the caption."""
    f, model, alpha = c.friedman, c.anova, c.settings.alpha
    published = published_caption("p published" in model.table)
    other_tests = [
        f"Greenhouse-Geisser (epsilon {format_number(model.epsilon)}): {p_phrase(model.pvalue_gg, alpha)}",
        f"Friedman over {c.unit}s{_as_if(c)} {format_number(f.statistic)} ({f.df[0]:g}), {p_phrase(f.pvalue, alpha)}",
    ]
    if c.cochran is not None:
        q = c.cochran
        other_tests.append(
            f"Cochran's Q on {format_count(q.n, 'case')} {format_number(q.statistic)} ({q.df}), "
            f"{p_phrase(q.pvalue, alpha)}"
        )
    note = ""
    if model.factor != 1:
        fewer = model.df[1] < model.table.at["residual", "df"]
        freedom = f", on {model.df[1]} df of residuals" if fewer else ""
        note = f" Corrected: F divided by {model.factor:.4g}{freedom}, for training sets that overlap."
    caption = f"{capitalize_first(c.unit)}s as blocks.{note} {_deciding(c)} {'. '.join(other_tests)}.{published}"
    return _variance(c, model, "anova", "Analysis of variance", caption)


def one_way(c: FoldsComparison) -> ResultTable:
    """Return the analysis of variance without folds as blocks."""
    title = "Analysis of variance: one-way"
    return _variance(c, c.one_way, "anova_one_way", title, f"As if no two shared a {c.unit}.")


def _variance(c: FoldsComparison, model: AnovaResult, name: str, title: str, caption: str) -> ResultTable:
    table = name_index(model.table, "source")
    return ResultTable(
        name=name,
        title=title,
        frame=table,
        formats={
            **dict.fromkeys(table, four_digits),
            **dict.fromkeys(["F", "F corrected"], three_decimals),
            **write_every_p(c),
        },
        caption=caption,
    )


def _deciding(c: FoldsComparison) -> str:
    """Return a sentence that names the omnibus test that decides."""
    if c.omnibus is None:
        return "The tests of pairs decide; this test stands beside them."
    if c.omnibus is c.anova:
        return "It decides whether the algorithms differ at all."
    name = "Friedman's test" if c.omnibus is c.friedman else "Cochran's Q"
    p = p_phrase(c.omnibus.pvalue, c.settings.alpha)
    return f"{name} decides{_as_if(c)} whether the algorithms differ at all ({p})."


def _as_if(c: FoldsComparison) -> str:
    """Return a phrase that the test assumes independent folds, "" if they are."""
    return "" if c.test_fraction is None else f", which takes {c.unit}s as independent,"


def pairs_on_folds(c: FoldsComparison) -> ResultTable:
    """Return all pairs with their differences of means."""
    name = "Tukey's test" if c.test == TUKEY else PAIR_TESTS[c.test].name
    return pairs_table(
        c,
        Pairs(
            raw=c.test != TUKEY,  # Tukey's p-values are already adjusted
            write=write_sizes(c),
            unit=c.unit,
            caption=f"{capitalize_first(name)}: first less second{_intervals(c)}; {p_words(c)}, bold where the pair "
            f"differs at {c.settings.alpha:g}; {c.unit}s won, tied and lost by the first.{_sides(c)}",
        ),
    )


def _intervals(c: FoldsComparison) -> str:
    """Return a phrase that describes the intervals, "" if the test has none."""
    if c.pairs()["low"].isna().all():
        return ""
    return f" with {interval_words(c)}"


def _sides(c: FoldsComparison) -> str:
    """Return a sentence on pairs whose statistic and mean difference differ in sign."""
    if c.test == "5x2 cv F":
        return " The difference is that of means; F has no sign."
    pairs = c.pairs()
    n_opposite = int((pairs["estimate"] * pairs["statistic"] < 0).sum())
    if not n_opposite:
        return ""
    return (
        f" In {format_count(n_opposite, 'pair')} the statistic and the difference of means point to different "
        "sides: this test does not compare means."
    )


def groups_on_folds(c: FoldsComparison) -> ResultTable:
    """Return the groups with the means of their first and last members."""
    return groups_table(c, c.means, "mean")


def checks(c: FoldsComparison) -> ResultTable:
    """Return the checks of the assumptions of the analysis of variance."""
    rows = {
        name: {"remark": check}
        if isinstance(check, str)
        else {
            "statistic": check.statistic,
            "p": check.pvalue,
            "found": "doubtful" if significant(check.pvalue, CHECK_LEVEL) else "nothing speaks against it",
            "remark": str(check.method),
        }
        for name, check in c.checks.items()
    }
    factor = c.anova.factor
    independent = (
        f"are not independent, as training sets overlap; the factor {format_number(factor)} allows for that"
        if factor != 1
        else "are taken for independent"
    )
    return ResultTable(
        name="checks",
        title="What the analysis of variance assumes",
        frame=pd.DataFrame.from_dict(rows, orient="index", columns=["statistic", "p", "found", "remark"]).rename_axis(
            "assumption"
        ),
        formats={"statistic": three_decimals, **write_every_p(c)},
        caption=f"A check that finds nothing on few {c.unit}s shows little. The {c.unit}s {independent}.",
    )


def every_test(c: FoldPairComparison) -> ResultTable:
    """Return all tests of the pair; those that do not apply with the reason."""
    rows, larger, smaller = {}, f"p {c.first} larger", f"p {c.first} smaller"
    for answer in c.answers:
        outcome = answer.outcome
        rows[answer.name] = {
            "p": np.nan if outcome is None else outcome.pvalue,
            "low": answer.low,
            "high": answer.high,
            "allowed here?": _allowed(answer, decides=answer.key == c.test),
            "statistic": np.nan if outcome is None else outcome.statistic,
            "df": df_text(getattr(outcome, "df", None)),
            larger: np.nan if outcome is None else outcome.pvalue_greater,
            smaller: np.nan if outcome is None else outcome.pvalue_less,
            "assumes": answer.assumes,
        }
    write, every_p = write_sizes(c), write_every_p(c)
    return ResultTable(
        name="tests",
        title="Every test of the two",
        frame=with_equivalence(c, pd.DataFrame.from_dict(rows, orient="index").rename_axis("test"), c.chosen.name),
        formats={
            "statistic": four_digits,
            **dict.fromkeys(["low", "high"], write_ends(write)),
            **every_p,
            **dict.fromkeys([larger, smaller], every_p["p"]),
        },
        best={c.chosen.name: (["p"], [])},
        caption=f"Two-sided tests of {c.first} − {c.second}, with intervals for the difference where "
        f"a test has one; {c.chosen.name} decides.{region_caption(c)}",
        aside=("df", larger, smaller, "assumes"),
    )


def _allowed(answer: PairAnswer, *, decides: bool) -> str:
    if answer.outcome is None:
        return f"no: {answer.reason}"
    if decides:
        return f"decides: {answer.reason}" if answer.reason else "decides"
    return f"with care: {answer.reason}" if answer.reason else "yes"


def effects(c: FoldPairComparison) -> ResultTable | None:
    """Return effect sizes with their intervals; None if the differences do not vary."""
    if c.effects is None:
        return None
    return ResultTable(
        name="effects",
        title="Effect sizes",
        frame=name_index(c.effects.to_frame(), "effect"),
        formats=dict.fromkeys(["estimate", "low", "high"], write_sizes(c)),
        caption=f"{c.first} − {c.second}; standardised by the standard deviation of the {c.unit}s' "
        f"differences. {c.effects_by}",
    )


def fold_by_fold(c: OnFolds) -> ResultTable:
    """Return the results of every fold, with the difference for two algorithms."""
    table = c.matrix
    if c.shape.two:
        first, second = c.pairs().loc[0, ["first", "second"]]
        table = table[[first, second]].assign(difference=table[first] - table[second])
    return ResultTable(
        name="folds",
        title=f"{c.measure_label}, {c.unit} by {c.unit}",
        frame=table,
        formats=dict.fromkeys(table.columns, write_sizes(c)),
        caption=f"{c.measure_label} on {c.dataset}, {c.unit} by {c.unit}.",
    )
