"""Tables of comparisons on several measures on the folds of one data set."""

from typing import Any

import numpy as np
import pandas as pd

from stats_core.comparison.kinds.measure_vectors import OnMeasures, PairOnMeasures, SeveralOnMeasures
from stats_core.core.formatting import capitalize_first, format_number, p_phrase
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
    pairs_table,
    table_text,
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
        frame=name_index(result.tests, "dimensions enough"),
        formats={**dict.fromkeys(result.tests.columns, four_digits), **write_every_p(c)},
        **table_text("measure", "dimension", result=result),
    )


def pairs(c: SeveralOnMeasures) -> ResultTable:
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
        frame=pd.DataFrame.from_dict(rows, orient="index").rename_axis("measure"),
        formats={"F": three_decimals, **write_every_p(c)},
        **table_text("measure", "each_of_all", c=c, capped=capped),
    )
