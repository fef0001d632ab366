"""Tables of comparisons on the folds of one data set."""

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from stats_core.comparison.kinds.fold_comparisons import FoldsComparison
from stats_core.comparison.kinds.fold_pair import CHECK_LEVEL, FoldPairComparison, OnFolds
from stats_core.comparison.kinds.measure_vectors import OnMeasures, PairOnMeasures, SeveralOnMeasures
from stats_core.core.formatting import capitalize_first, format_count, format_number, p_phrase
from stats_core.core.validation import significant
from stats_core.data.settings import TUKEY
from stats_core.inference.anova import AnovaResult
from stats_core.inference.fold_tests import PAIR_TESTS, PairAnswer
from stats_core.inference.multivariate.hotelling import f_scale
from stats_core.inference.multivariate.manova import DimensionResult, ManovaResult
from stats_core.report.effect_text import interval_words
from stats_core.report.tables.table import (
    Pairs,
    ResultTable,
    best_and_second,
    deviations,
    df_text,
    four_digits,
    groups_table,
    if_independent,
    name_index,
    pairs_table,
    published_caption,
    table_text,
    three_decimals,
    with_equivalence,
    write_ends,
    write_every_p,
    write_scores,
    write_sizes,
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
        frame=table.rename_axis("algorithm"),
        formats={**dict.fromkeys(table, write_scores(matrix)), "average rank": format_number},
        best=best_and_second(table[["mean"]], c.higher_is_better, by_column=True),
        **table_text("fold", "means", c=c, marks=marks),
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
            **table_text("fold", "pairs_on_folds", name=name, intervals=_intervals(c), c=c, sides=_sides(c)),
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
        frame=pd.DataFrame.from_dict(rows, orient="index", columns=["statistic", "p", "found", "remark"]).rename_axis(
            "assumption"
        ),
        formats={"statistic": three_decimals, **write_every_p(c)},
        **table_text("fold", "checks", c=c, independent=independent),
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
        frame=with_equivalence(c, pd.DataFrame.from_dict(rows, orient="index").rename_axis("test"), c.chosen.name),
        formats={
            "statistic": four_digits,
            **dict.fromkeys(["low", "high"], write_ends(write)),
            **every_p,
            **dict.fromkeys([larger, smaller], every_p["p"]),
        },
        best={c.chosen.name: (["p"], [])},
        aside=("df", larger, smaller, "assumes"),
        **table_text("fold", "every_test", c=c),
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
        frame=name_index(c.effects.to_frame(), "effect"),
        formats=dict.fromkeys(["estimate", "low", "high"], write_sizes(c)),
        **table_text("fold", "effects", c=c),
    )


def fold_by_fold(c: OnFolds) -> ResultTable:
    """Return the results of every fold, with the difference for two algorithms."""
    table = c.matrix
    if c.shape.two:
        first, second = c.pairs().loc[0, ["first", "second"]]
        table = table[[first, second]].assign(difference=table[first] - table[second])
    return ResultTable(
        name="folds",
        frame=table,
        formats=dict.fromkeys(table.columns, write_sizes(c)),
        **table_text("fold", "fold_by_fold", c=c),
    )


def means_of_measures(c: OnMeasures) -> ResultTable:
    """Return the mean and standard deviation of every measure."""
    table = c.means
    spread = pd.DataFrame(c.vectors.std(axis=1, ddof=1), table.index, table.columns)
    higher = {name: c.results.direction(name) == "higher" for name in table}
    marks = "best bold, second underlined" if len(table) > 2 else "the better one bold"
    return ResultTable(
        name="means",
        frame=name_index(table, "algorithm"),
        formats=dict.fromkeys(table.columns, write_scores(table)),
        best=best_and_second(table, higher, by_column=True),
        spread=spread,
        **table_text("measure", "means", c=c, marks=marks),
    )


def pooled_covariance(c: OnMeasures) -> list[ResultTable]:
    """Return covariance and correlation of the measures, pooled over the algorithms."""
    names, scale = list(c.measures), np.sqrt(np.diag(c.pooled))
    with np.errstate(invalid="ignore", divide="ignore"):
        correlation = np.nan_to_num(c.pooled / np.outer(scale, scale))
    return [
        ResultTable(
            name=f"pooled_{what}",
            title=f"Pooled {what}",
            frame=name_index(pd.DataFrame(values, names, names), what),
            formats=dict.fromkeys(names, write),
            caption=f"{capitalize_first(what)} of the {c.unit}s within algorithms, pooled.",
        )
        for what, values, write in (("covariance", c.pooled, four_digits), ("correlation", correlation, format_number))
    ]


def tests_of_two(c: PairOnMeasures) -> ResultTable:
    """Return Hotelling's test: corrected, uncorrected and unpaired."""
    test, unpaired = c.hotelling, c.two_sample
    rows = {"paired Hotelling T2": (test.t2, test.statistic, test.df, test.pvalue)}
    if c.max_df is not None:
        published = (test.t2, f_scale(test.plain_df) * test.t2, test.plain_df)
        rows["published df"] = (*published, test.published_pvalue)
    if test.factor != 1:
        plain = (test.t2 * test.factor, test.plain_statistic, test.plain_df, test.plain_pvalue)
        rows[f"as if {c.unit}s were independent"] = plain
    if unpaired is not None:
        rows["two-sample T2, pairing forgotten"] = (unpaired.t2, unpaired.statistic, unpaired.df, unpaired.pvalue)
    return ResultTable(
        name="tests",
        frame=pd.DataFrame(
            {
                "T2": [t2 for t2, *_ in rows.values()],
                "F": [f for _, f, *_ in rows.values()],
                "df": [df_text(df) for *_, df, _ in rows.values()],
                "p": [p for *_, p in rows.values()],
            },
            index=pd.Index(list(rows), name="test"),
        ),
        formats={**dict.fromkeys(["T2", "F"], three_decimals), **write_every_p(c)},
        best={"paired Hotelling T2": (["p"], [])},
        **table_text("measure", "tests_of_two", c=c, test=test),
    )


def one_measure(c: PairOnMeasures) -> ResultTable | None:
    """Return the test on the single measure of the settings; None if it has no result."""
    single = c.on_one_measure
    if single is None or single.chosen.outcome is None:
        return None
    measure, outcome = c.settings.measure, single.chosen.outcome
    published = single.published_p(c.first, c.second)
    return ResultTable(
        name="one_measure",
        frame=pd.DataFrame(
            {
                "statistic": [outcome.statistic],
                "p": [outcome.pvalue],
                **({} if published is None else {"p published": [published]}),
            },
            index=pd.Index([single.chosen.name], name="test"),
        ),
        formats={"statistic": four_digits, **write_every_p(c)},
        **table_text("measure", "one_measure", measure=measure, c=c, published=published),
    )


def each_of_two(c: PairOnMeasures) -> ResultTable:
    """Return the test of each measure and its weight in the discriminating direction."""
    weight, alpha = "weight in the direction", c.settings.alpha
    return ResultTable(
        name="measures",
        frame=c.after.rename(columns={"loading": weight}),
        formats={
            **dict.fromkeys(["difference", "low", "high"], write_scores(c.means)),
            weight: format_number,
            **write_every_p(c),
        },
        best={name: (["p adjusted"], []) for name, p in c.after["p adjusted"].items() if significant(p, alpha)},
        **table_text("measure", "each_of_two", c=c, alpha=alpha),
    )


def manova(c: SeveralOnMeasures) -> ResultTable:
    """Return the multivariate analysis of variance with folds as blocks."""
    return _manova(c, c.manova, name="tests", **table_text("measure", "manova", c=c))


def manova_one_way(c: SeveralOnMeasures) -> ResultTable | None:
    """Return the MANOVA without folds as blocks; None if it is not possible."""
    if c.one_way is None:
        return None
    caption = f"As if no two shared a {c.unit}. {_describe_dimension(c, c.dimension_one_way)}".strip()
    title = "Multivariate analysis of variance: one-way"
    return _manova(c, c.one_way, name="manova_one_way", title=title, caption=caption)


def _manova(c: SeveralOnMeasures, model: ManovaResult, **about: Any) -> ResultTable:
    headings = {"plain p": if_independent(c.unit), "published p": "p published"}
    table = model.table.rename(columns=headings)
    return ResultTable(
        frame=name_index(table, "statistic"),
        formats={**dict.fromkeys(table, four_digits), **write_every_p(c, c.unit)},
        **about,
    )


def _describe_dimension(c: SeveralOnMeasures, result: DimensionResult | None) -> str:
    if result is None:
        return ""
    tests = "; ".join(f"{r} enough: {p_phrase(row['p'], c.settings.alpha)}" for r, row in result.tests.iterrows())
    return f"Dimension {result.label} of {result.largest}. {tests}."


def dimension(c: SeveralOnMeasures) -> ResultTable:
    """Return the tests of the dimension of the means."""
    result = c.dimension
    return ResultTable(
        name="dimension",
        frame=name_index(result.tests, "dimensions enough"),
        formats={**dict.fromkeys(result.tests.columns, four_digits), **write_every_p(c)},
        **table_text("measure", "dimension", result=result),
    )


def pairs_of_vectors(c: SeveralOnMeasures) -> ResultTable:
    """Return all pairs with their differences in each measure."""
    return pairs_table(
        c,
        Pairs(
            estimate="",
            statistic="T2",
            own=dict.fromkeys(c.measures, write_scores(c.means)),
            **table_text("measure", "pairs", c=c),
        ),
    )


def groups_of_vectors(c: SeveralOnMeasures) -> ResultTable:
    """Return the groups, without values since vectors have no order."""
    return groups_table(c)


def each_of_all(c: SeveralOnMeasures) -> ResultTable | None:
    """Return the analysis of variance of each measure; None if none is possible."""
    if not c.after:
        return None
    rows = {
        name: {"F": result.statistic, "df": df_text(result.df), "p": result.pvalue} for name, result in c.after.items()
    }
    capped = c.max_df_of_one is not None
    for name, result in c.after.items() if capped else ():
        rows[name]["p published"] = result.published_pvalue
    return ResultTable(
        name="measures",
        frame=pd.DataFrame.from_dict(rows, orient="index").rename_axis("measure"),
        formats={"F": three_decimals, **write_every_p(c)},
        **table_text("measure", "each_of_all", c=c, capped=capped),
    )
