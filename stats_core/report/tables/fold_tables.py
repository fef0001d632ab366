"""Tables of comparisons on the folds of one data set."""

from typing import Any

import numpy as np
import pandas as pd

from stats_core.comparison.kinds.fold_comparisons import FoldsComparison
from stats_core.comparison.kinds.fold_pair import CHECK_LEVEL, FoldPairComparison, OnFolds
from stats_core.comparison.kinds.measure_vectors import (
    OnMeasures,
    PairOnMeasures,
    SeveralOnMeasures,
)
from stats_core.core.formatting import format_number, measure_name
from stats_core.core.validation import significant
from stats_core.inference.anova import AnovaResult
from stats_core.inference.fold_tests import PairAnswer
from stats_core.inference.multivariate import hotelling
from stats_core.inference.multivariate.manova import ManovaResult
from stats_core.report.tables.table import (
    ResultTable,
    best_and_second,
    deviations,
    df_text,
    make_table,
    pairs_table,
    table_text,
    with_equivalence,
    write_scores,
    write_sizes,
)


def means_of_all(c: FoldsComparison) -> ResultTable:
    """Return a table of means, standard deviations, average ranks and compact letters."""
    return _means("means_of_all", c, c.order, c.friedman.average_ranks, c.letters.astype(object))


def means_of_two(c: FoldPairComparison) -> ResultTable:
    """Return a table of means and standard deviations, with wins over folds in the caption."""
    return _means("means_of_two", c, [c.first, c.second], record=describe_record(c))


def describe_record(c: FoldPairComparison) -> str:
    """Return a sentence on the folds that the first algorithm wins, ties and loses."""
    won, tied, lost = c.record(c.first)
    return table_text("folds.record", c=c, won=won, tied=tied, lost=lost)


def _means(
    key: str,
    c: OnFolds,
    names: list[str],
    ranks: pd.Series | None = None,
    letters: pd.Series | None = None,
    **values: Any,
) -> ResultTable:
    """Return a table of mean, standard deviation and range of each algorithm, with ranks and letters if given."""
    matrix = c.matrix[names]
    table = pd.DataFrame({"mean": matrix.mean(), "sd": deviations(matrix)})
    table["smallest"], table["largest"] = matrix.min(), matrix.max()
    if ranks is not None and letters is not None:
        table["average rank"], table["letters"] = ranks[names], letters[names]
    best = best_and_second(table[["mean"]], c.higher_is_better, by_column=True)
    write = write_scores(matrix)
    return make_table(
        key,
        table,
        c,
        name="means",
        index="algorithm",
        write=write,
        best=best,
        names=names,
        **values,
    )


def variance(c: FoldsComparison) -> ResultTable:
    """Return the blocked analysis-of-variance table; other omnibus tests are in the caption."""
    model = c.anova
    fewer_df = model.df[1] if model.df[1] < model.table.at["residual", "df"] else 0
    return _variance("anova", c, model, fewer_df=fewer_df)


def one_way(c: FoldsComparison) -> ResultTable:
    """Return the analysis-of-variance table without folds as blocks."""
    return _variance("anova_one_way", c, c.one_way)


def _variance(key: str, c: FoldsComparison, model: AnovaResult, **values: Any) -> ResultTable:
    return make_table(key, model.table, c, index="source", model=model, **values)


def pairs_on_folds(c: FoldsComparison) -> ResultTable:
    """Return a table of all pairs with the estimates of the test."""
    pairs, method = c.pairs.frame, c.method
    signed = method is None or method.signed
    first, second = (c.means[pairs[name]].to_numpy() for name in ("first", "second"))
    return pairs_table(
        "pairs_on_folds",
        c,
        statistic="q" if method is None else method.symbol or "statistic",
        raw=method is not None,  # Tukey's p-values are already adjusted
        write=write_sizes(c),
        test="Tukey's test" if method is None else method.name,
        intervals=not pairs["low"].isna().all(),
        opposite=int(((first - second) * pairs["statistic"] < 0).sum()) if signed else 0,
    )


def checks(c: FoldsComparison) -> ResultTable:
    """Return a table of the checks of assumptions."""
    rows = {}
    for name, check in c.checks.items():
        if isinstance(check, str):
            rows[name] = (np.nan, np.nan, "", check)
        else:
            result = table_text(
                "checks.doubtful" if significant(check.pvalue, CHECK_LEVEL) else "checks.fine"
            )
            rows[name] = (check.statistic, check.pvalue, result, str(check.method))
    columns = ["statistic", "p", "result", "method"]
    frame = pd.DataFrame.from_dict(rows, orient="index", columns=columns).rename_axis("assumption")
    return make_table("checks", frame, c, factor=c.anova.factor)


def every_test(c: FoldPairComparison) -> ResultTable:
    """Return a table of all tests of a pair; a test that does not apply has a reason instead."""
    rows = {answer.name: _row_of_test(answer, decides=answer.key == c.test) for answer in c.answers}
    frame = pd.DataFrame.from_dict(rows, orient="index").rename_axis("test")
    return make_table(
        "every_test",
        with_equivalence(c, frame, c.chosen.name),
        c,
        name="tests",
        write=write_sizes(c),
        bold={"p": frame.index == c.chosen.name},
        aside=("df", "p greater", "p less", "assumes"),
        first=c.first,
    )


def _row_of_test(answer: PairAnswer, *, decides: bool) -> dict[str, Any]:
    """Return the table row of one test; if the test does not apply, it has the reason in place of numbers."""
    outcome = answer.outcome
    role = (
        "refused"
        if outcome is None
        else "decides"
        if decides
        else "caution"
        if answer.reason
        else "valid"
    )
    return {
        "p": getattr(outcome, "pvalue", np.nan),
        "low": answer.low,
        "high": answer.high,
        "applies": table_text(f"every_test.{role}", reason=answer.reason),
        "statistic": getattr(outcome, "statistic", np.nan),
        "df": df_text(getattr(outcome, "df", None)),
        "p greater": getattr(outcome, "pvalue_greater", np.nan),
        "p less": getattr(outcome, "pvalue_less", np.nan),
        "assumes": answer.assumes,
    }


def effects(c: FoldPairComparison) -> ResultTable | None:
    """Return a table of effect sizes with intervals; None if the differences do not vary."""
    if c.effects is None:
        return None
    frame = c.effects.to_frame().rename(columns={"estimate": "effect size"})
    return make_table("effects", frame, c, index="effect", write=write_sizes(c))


def fold_by_fold(c: OnFolds) -> ResultTable:
    """Return a table of the results of every fold, and of two algorithms also the difference."""
    table = c.matrix
    if c.shape.two:
        first, second = c.pairs.decisions.loc[0, ["first", "second"]]
        table = table[[first, second]].assign(difference=table[first] - table[second])
    return make_table("folds", table, c, own=dict.fromkeys(table, write_sizes(c)))


def means_of_measures(c: OnMeasures) -> ResultTable:
    """Return a table of mean and standard deviation of every measure."""
    table = c.means.rename(columns=measure_name)
    higher = {measure_name(name): c.results.direction(name) == "higher" for name in c.measures}
    return make_table(
        "means_of_measures",
        table,
        c,
        name="means",
        index="algorithm",
        own={name: write_scores(table[[name]]) for name in table},
        best=best_and_second(table, higher, by_column=True),
        spread=pd.DataFrame(c.vectors.std(axis=1, ddof=1), table.index, table.columns),
        names=list(table.index),
    )


def pooled_covariance(c: OnMeasures) -> list[ResultTable]:
    """Return the pooled covariance and correlation matrices of the measures."""
    names = list(map(measure_name, c.measures))
    tables = {
        "covariance": pd.DataFrame(c.pooled, names, names),
        "correlation": pd.DataFrame(c.correlation, names, names),
    }
    writers = {"covariance": write_scores(tables["covariance"]), "correlation": format_number}
    return [
        make_table(
            f"pooled_{what}", frame, c, index="measure", own=dict.fromkeys(names, writers[what])
        )
        for what, frame in tables.items()
    ]


def tests_of_two(c: PairOnMeasures) -> ResultTable:
    """Return a table of the paired Hotelling test, its published and uncorrected forms, and the two-sample test.

    Forms that do not differ, and a two-sample test that is not possible, are omitted.
    """
    test, unpaired = c.hotelling, c.two_sample
    rows = {"paired": (test.t2, test.statistic, test.df, test.pvalue)}
    if c.max_df is not None:
        rows["published"] = (
            test.t2,
            hotelling.f_scale(test.plain_df) * test.t2,
            test.plain_df,
            test.published_pvalue,
        )
    if test.factor != 1:
        rows["uncorrected"] = (
            test.t2 * test.factor,
            test.plain_statistic,
            test.plain_df,
            test.plain_pvalue,
        )
    if unpaired is not None:
        rows["unpaired"] = (unpaired.t2, unpaired.statistic, unpaired.df, unpaired.pvalue)
    index = pd.Index([table_text(f"tests_of_two.{name}") for name in rows], name="test")
    frame = pd.DataFrame(list(rows.values()), index, ["T2", "F", "df", "p"]).assign(
        df=[df_text(r[2]) for r in rows.values()]
    )
    return make_table("tests_of_two", frame, c, name="tests", bold={"p": index == index[0]})


def one_measure(c: PairOnMeasures) -> ResultTable | None:
    """Return a table of the test on the single measure of the settings; None without a result."""
    single = c.on_one_measure
    if single is None or single.chosen.outcome is None:
        return None
    outcome, published = single.chosen.outcome, single.pairs.published_p(c.first, c.second)
    row = {"statistic": outcome.statistic, "p": outcome.pvalue}
    row |= {} if published is None else {"p published": published}
    return make_table(
        "one_measure", pd.DataFrame([row], index=pd.Index([single.chosen.name], name="test")), c
    )


def each_of_two(c: PairOnMeasures) -> ResultTable:
    """Return a table of t tests of each measure, with its weight in the discriminant direction."""
    bold = {"p adjusted": significant(c.after["p adjusted"], c.settings.alpha)}
    frame = c.after.rename(index=measure_name, columns={"loading": "weight"})
    return make_table(
        "each_of_two", frame, c, name="measures", write=write_scores(c.means), bold=bold
    )


def manova(c: SeveralOnMeasures) -> ResultTable:
    """Return a table of the blocked MANOVA."""
    return _manova("manova", c, c.manova, name="tests")


def manova_one_way(c: SeveralOnMeasures) -> ResultTable | None:
    """Return a table of the MANOVA without folds as blocks; None if not possible."""
    return None if c.one_way is None else _manova("manova_one_way", c, c.one_way)


def _manova(key: str, c: SeveralOnMeasures, model: ManovaResult, **about: Any) -> ResultTable:
    frame = model.table.rename(columns={"plain p": "p uncorrected", "published p": "p published"})
    return make_table(key, frame, c, index="statistic", **about)


def dimension(c: SeveralOnMeasures) -> ResultTable:
    """Return a table of the tests of the dimension of the means."""
    return make_table("dimension", c.dimension.tests, c, index="dimensions")


def pairs_of_vectors(c: SeveralOnMeasures) -> ResultTable:
    """Return a table of all pairs with their differences in each measure."""
    own = {name: write_scores(c.means[[name]]) for name in c.measures}
    return pairs_table("pairs_of_vectors", c, size=False, statistic="T2", own=own)


def each_of_all(c: SeveralOnMeasures) -> ResultTable | None:
    """Return a table of the analysis of variance of each measure; None if none is possible."""
    if not c.after:
        return None
    rows = {
        measure_name(name): (result.statistic, df_text(result.df), result.pvalue)
        for name, result in c.after.items()
    }
    frame = pd.DataFrame.from_dict(rows, orient="index", columns=["F", "df", "p"]).rename_axis(
        "measure"
    )
    if c.max_df_of_one is not None:
        frame["p published"] = [result.published_pvalue for result in c.after.values()]
    return make_table("each_of_all", frame, c, name="measures")
