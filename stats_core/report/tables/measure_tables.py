"""Tables of comparisons on several measures on the folds of one data set."""

from typing import Any

import numpy as np
import pandas as pd

from stats_core.comparison.kinds.measure_vectors import OnMeasures, PairOnMeasures, SeveralOnMeasures
from stats_core.core.formatting import capitalize_first, format_count, format_number, p_phrase
from stats_core.core.significance import significant
from stats_core.inference.multivariate.hotelling import f_scale
from stats_core.inference.multivariate.manova import DimensionResult, ManovaResult
from stats_core.report.tables.table import (
    ResultTable,
    best_and_second,
    four_digits,
    name_index,
    three_decimals,
    write_scores,
)
from stats_core.report.tables.table_parts import (
    Pairs,
    df_text,
    groups_table,
    if_independent,
    p_words,
    pairs_table,
    published_caption,
    write_every_p,
)


def means(c: OnMeasures) -> ResultTable:
    """Return the mean and standard deviation of every measure."""
    table = c.means
    spread = pd.DataFrame(c.vectors.std(axis=1, ddof=1), table.index, table.columns)
    higher = {name: c.results.direction(name) == "higher" for name in table}
    marks = "best bold, second underlined" if len(table) > 2 else "the better one bold"
    return ResultTable(
        name="means",
        title=f"Means of {c.label} on {c.dataset}",
        frame=name_index(table, "algorithm"),
        formats=dict.fromkeys(table.columns, write_scores(table)),
        best=best_and_second(table, higher, by_column=True),
        caption=f"Means ± standard deviation over {c.counted}; {marks} in each column.",
        spread=spread,
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
        title="Tests of all measures together",
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
        caption=f"{c.first} against {c.second} on {c.label}, {c.counted}; the paired test decides ({test.method}).",
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
        title=f"{capitalize_first(measure)} without the other measures",
        frame=pd.DataFrame(
            {
                "statistic": [outcome.statistic],
                "p": [outcome.pvalue],
                **({} if published is None else {"p published": [published]}),
            },
            index=pd.Index([single.chosen.name], name="test"),
        ),
        formats={"statistic": four_digits, **write_every_p(c)},
        caption=f"What {measure} alone shows of {c.first} and {c.second}, by the test recommended for "
        f"it; not adjusted.{published_caption(published is not None)}",
    )


def each_of_two(c: PairOnMeasures) -> ResultTable:
    """Return the test of each measure and its weight in the discriminating direction."""
    weight, alpha = "weight in the direction", c.settings.alpha
    return ResultTable(
        name="measures",
        title="Each measure alone, and its weight where the two differ most",
        frame=c.after.rename(columns={"loading": weight}),
        formats={
            **dict.fromkeys(["difference", "low", "high"], write_scores(c.means)),
            weight: format_number,
            **write_every_p(c),
        },
        best={name: (["p adjusted"], []) for name, p in c.after["p adjusted"].items() if significant(p, alpha)},
        caption=f"{c.first} − {c.second} with the interval of the t test, p before and after "
        f"adjusting over the measures (bold where the measure differs at {alpha:g}), and the weight "
        "of the measure in the direction that separates the two most, at unit length."
        f"{published_caption('p published' in c.after)}",
    )


def manova(c: SeveralOnMeasures) -> ResultTable:
    """Return the multivariate analysis of variance with folds as blocks."""
    return _manova(
        c,
        c.manova,
        name="tests",
        title="Multivariate analysis of variance",
        caption=f"{capitalize_first(c.unit)}s as blocks, {c.counted}, "
        f"{format_count(c.space.dimension, 'effective dimension')}; Wilks by Rao's F decides, Roy's p is a "
        "lower bound.",
    )


def one_way(c: SeveralOnMeasures) -> ResultTable | None:
    """Return the MANOVA without folds as blocks; None if it is not possible."""
    if c.one_way is None:
        return None
    caption = f"As if no two shared a {c.unit}. {_dimension_said(c, c.dimension_one_way)}".strip()
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


def _dimension_said(c: SeveralOnMeasures, result: DimensionResult | None) -> str:
    if result is None:
        return ""
    tests = "; ".join(f"{r} enough: {p_phrase(row['p'], c.settings.alpha)}" for r, row in result.tests.iterrows())
    return f"Dimension {result.label} of {result.largest}. {tests}."


def dimension(c: SeveralOnMeasures) -> ResultTable:
    """Return the tests of the dimension of the means."""
    result = c.dimension
    return ResultTable(
        name="dimension",
        title="Dimension of the means",
        frame=name_index(result.tests, "dimensions enough"),
        formats={**dict.fromkeys(result.tests.columns, four_digits), **write_every_p(c)},
        caption="The first number of dimensions that is not rejected holds the means: "
        f"{result.label} of at most {result.largest}.",
    )


def pairs(c: SeveralOnMeasures) -> ResultTable:
    """Return all pairs with their differences in each measure."""
    return pairs_table(
        c,
        Pairs(
            estimate="",
            statistic="T2",
            own=dict.fromkeys(c.measures, write_scores(c.means)),
            caption="Paired Hotelling tests: difference of means in each measure, first less second; "
            f"{p_words(c)}, bold where the pair differs at {c.settings.alpha:g}.",
        ),
    )


def groups(c: SeveralOnMeasures) -> ResultTable:
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
        title="Each measure alone",
        frame=pd.DataFrame.from_dict(rows, orient="index").rename_axis("measure"),
        formats={"F": three_decimals, **write_every_p(c)},
        caption=f"Analysis of variance of one measure, {c.unit}s as blocks; not adjusted for the "
        f"number of measures.{published_caption(capped)}",
    )
