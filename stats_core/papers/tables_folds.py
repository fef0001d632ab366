"""Tables of comparisons on the folds of one data set."""

import numpy as np
import pandas as pd

from stats_core.comparison.kinds.fold_pair import FoldPairComparison
from stats_core.comparison.kinds.folds import FoldsComparison
from stats_core.comparison.kinds.measure_pair import PairOnMeasures
from stats_core.comparison.kinds.measures import SeveralOnMeasures
from stats_core.comparison.on_folds import OnFolds
from stats_core.comparison.on_measures import OnMeasures
from stats_core.core.words import count, number
from stats_core.data.settings import TUKEY
from stats_core.inference.fold_pairs import unit_of
from stats_core.inference.fold_tests import PAIR_TESTS
from stats_core.papers.report_parts import (
    ReportTable,
    best_and_second,
    deviations,
    differing,
    groups_table,
    indexed,
    numbered,
    records,
    significant,
    three_decimals,
    write_p,
    write_scores,
)

_P = ("p", "plain p", "p raw", "p adjusted", "p uncorrected", "p corrected")


def tables_of_folds(analysis: FoldsComparison) -> list[ReportTable]:
    """Means with letters, the analysis of variance, pairs and groups."""
    alpha = analysis.settings.alpha
    return [
        _means(analysis, analysis.order, letters=analysis.letters),
        _variance(analysis),
        _pairs(analysis),
        groups_table(analysis, analysis.groups, analysis.means, "mean"),
        ReportTable(
            name="checks",
            title="What the analysis of variance assumes",
            frame=_checks(analysis),
            formats={"statistic": three_decimals, "p": write_p(alpha)},
            caption="A check that finds nothing on few folds shows little.",
        ),
    ]


def tables_of_fold_pair(analysis: FoldPairComparison) -> list[ReportTable]:
    """Both means, every test, effect sizes."""
    won, tied, lost = analysis.record(analysis.first)
    means = _means(
        analysis,
        [analysis.first, analysis.second],
        more=f" {analysis.first} is better in {won}, ties in {tied} and is worse in {lost} of "
        f"{count(analysis.n_folds, analysis.unit)}.",
    )
    return [means, _every_test(analysis), *_effects(analysis)]


def tables_of_pair_on_measures(analysis: PairOnMeasures) -> list[ReportTable]:
    """Means of every measure, the Hotelling test, the test of one measure, each measure alone."""
    test, write = analysis.hotelling, write_scores(analysis.means)
    unit = unit_of(analysis.design)
    rows = {"paired Hotelling T2": test}
    if analysis.two_sample is not None:
        rows["two-sample T2, pairing forgotten"] = analysis.two_sample
    return [
        _vector_means(analysis),
        ReportTable(
            name="tests",
            title="Tests of all measures together",
            frame=pd.DataFrame(
                {
                    "T2": [said.t2 for said in rows.values()],
                    "F": [said.statistic for said in rows.values()],
                    "df": [", ".join(f"{df:g}" for df in said.df) for said in rows.values()],
                    "p": [said.pvalue for said in rows.values()],
                    "plain p": [said.plain_pvalue for said in rows.values()],
                },
                index=pd.Index(list(rows), name="test"),
            ),
            formats={**dict.fromkeys(["T2", "F"], three_decimals), **_all_p(analysis)},
            caption=f"{analysis.first} against {analysis.second} on {analysis.label}, "
            f"{count(analysis.n_folds, unit)}; the paired test decides. Plain p: {unit}s taken as "
            "independent.",
        ),
        *_one_measure(analysis),
        ReportTable(
            name="measures",
            title="Each measure alone",
            frame=analysis.after,
            formats={
                **dict.fromkeys(["difference", "low", "high"], write),
                "loading": number,
                **_all_p(analysis),
            },
            best={
                name: (["p adjusted"], [])
                for name, p in analysis.after["p adjusted"].items()
                if p <= analysis.settings.alpha
            },
            caption=f"{analysis.first} − {analysis.second} with the interval of the t test, p "
            "before and after adjusting over the measures, and the weight of the measure in the "
            "direction that separates the two most.",
        ),
    ]


def _one_measure(analysis: PairOnMeasures) -> list[ReportTable]:
    """Return the test that the sentence on all measures compares with."""
    alone = analysis.on_one_measure
    if alone is None or alone.chosen.outcome is None:
        return []
    measure, outcome = analysis.settings.measure, alone.chosen.outcome
    return [
        ReportTable(
            name="one_measure",
            title=f"{_capital(measure)} without the other measures",
            frame=pd.DataFrame(
                {"statistic": [outcome.statistic], "p": [outcome.pvalue]},
                index=pd.Index([alone.chosen.name], name="test"),
            ),
            formats={"statistic": significant, **_all_p(analysis)},
            caption=f"What {measure} alone shows of {analysis.first} and {analysis.second}, by the "
            "test advised for it; not adjusted.",
        )
    ]


def tables_of_several_on_measures(analysis: SeveralOnMeasures) -> list[ReportTable]:
    """Means of every measure, MANOVA, dimension, pairs, groups, each measure alone."""
    unit = unit_of(analysis.design)
    return [
        _vector_means(analysis),
        ReportTable(
            name="tests",
            title="Multivariate analysis of variance",
            frame=indexed(analysis.manova.table, "statistic"),
            formats={
                **dict.fromkeys(["value", "F or chi2"], significant),
                **dict.fromkeys(["df1", "df2"], significant),
                **_all_p(analysis),
            },
            caption=f"{_capital(unit)}s as blocks, {count(analysis.n_folds, unit)}, "
            f"{count(analysis.space.dimension, 'effective dimension')}; Wilks by Rao's F decides. "
            f"Plain p: {unit}s taken as independent.",
        ),
        ReportTable(
            name="dimension",
            title="Dimension of the means",
            frame=indexed(analysis.dimension.tests, "dimensions enough"),
            formats={
                **dict.fromkeys(analysis.dimension.tests.columns, significant),
                **_all_p(analysis),
            },
            caption="The first number of dimensions that is not rejected holds the means: "
            f"{analysis.dimension.label} of at most {analysis.dimension.largest}.",
        ),
        _vector_pairs(analysis),
        groups_table(analysis, analysis.groups, None, ""),
        *_after(analysis),
    ]


def _all_p(analysis) -> dict:
    return dict.fromkeys(_P, write_p(analysis.settings.alpha))


def _means(
    analysis: OnFolds, order: list[str], *, letters: pd.Series | None = None, more: str = ""
) -> ReportTable:
    matrix = analysis.matrix[order]
    table = pd.DataFrame({"mean": matrix.mean(), "sd": deviations(matrix)})
    table["smallest"], table["largest"] = matrix.min(), matrix.max()
    if isinstance(analysis, FoldsComparison):
        table["average rank"] = analysis.friedman.average_ranks[order]
    if letters is not None:
        table["letters"] = letters[order].astype(object)
        more += " Algorithms without a common letter differ."
    marks = best_and_second(table[["mean"]], analysis.higher_is_better, by_column=True)
    said = "best bold, second underlined" if len(order) > 2 else "the better one bold"
    return ReportTable(
        name="means",
        title=f"{_capital(analysis.settings.measure)} on {analysis.dataset}",
        frame=table.rename_axis("algorithm"),
        formats={
            **dict.fromkeys(["mean", "sd", "smallest", "largest"], write_scores(matrix)),
            "average rank": number,
        },
        best=marks,
        caption=f"Mean {analysis.measure_label} over "
        f"{count(analysis.n_folds, analysis.unit)}, standard deviation and range; {said}.{more}",
    )


def _variance(analysis: FoldsComparison) -> ReportTable:
    table = indexed(analysis.anova.table, "source")
    numbers = [name for name in table if name not in ("F", "p", "F corrected", "p corrected")]
    note = ""
    if "p corrected" in table:
        note = (
            f" Corrected: F divided by {analysis.anova.factor:.4g}, for training sets that overlap."
        )
    return ReportTable(
        name="anova",
        title="Analysis of variance",
        frame=table,
        formats={
            **dict.fromkeys(numbers, significant),
            **dict.fromkeys(["F", "F corrected"], three_decimals),
            **_all_p(analysis),
        },
        caption=f"{_capital(analysis.unit)}s as blocks.{note} {_omnibus(analysis)}",
    )


def _omnibus(analysis: FoldsComparison) -> str:
    """Say which test of all at once decides."""
    if analysis.omnibus is None:
        return "The tests of pairs stand alone here."
    if analysis.omnibus is analysis.anova:
        return "It decides whether the algorithms differ at all."
    p = write_p(analysis.settings.alpha)(analysis.omnibus.pvalue)
    other = "Friedman's test" if analysis.omnibus is analysis.friedman else "Cochran's Q"
    return f"{other} decides whether the algorithms differ at all (p {p})."


def _pairs(analysis: FoldsComparison) -> ReportTable:
    pairs, alpha = analysis.details(), analysis.settings.alpha
    table = pairs.rename(columns={"estimate": "difference", "p": "p raw"})
    if "p uncorrected" in table:
        table.insert(8, "p uncorrected", table.pop("p uncorrected"))
    table["won/tied/lost"] = records(pairs)
    table["differs"] = np.where(pairs["separated"], "yes", "no")
    table = table.drop(columns=["wins", "ties", "losses", "separated"])
    table = table.dropna(axis=1, how="all")  # tests without intervals
    if analysis.test == TUKEY:
        table = table.drop(columns="p raw")  # adjusted by nature
    name = "Tukey's test" if analysis.test == TUKEY else PAIR_TESTS[analysis.test].name
    uncorrected = (
        " Uncorrected: as if training sets did not overlap." if "p uncorrected" in table else ""
    )
    write = write_scores(analysis.matrix)
    return ReportTable(
        name="pairs",
        title="All pairs",
        frame=numbered(table),
        formats={
            **dict.fromkeys(["difference", "low", "high"], write),
            "statistic": number,
            **_all_p(analysis),
        },
        best=differing(pairs),
        caption=f"{_capital(name)}: first less second; adjusted p bold where the pair differs at "
        f"{alpha:g}; {analysis.unit}s won, tied and lost by the first.{uncorrected}{_sides(pairs, analysis.test)}",
    )


def _sides(pairs: pd.DataFrame, test: str) -> str:
    """Say where the statistic and the difference of means have different signs, and why."""
    if test == "5x2 cv F":
        return " The difference is that of means; F has no sign."
    other = int((pairs["estimate"] * pairs["statistic"] < 0).sum())
    if not other:
        return ""
    return (
        f" In {count(other, 'pair')} the statistic and the difference of means point to different "
        "sides: this test does not compare means."
    )


def _checks(analysis: FoldsComparison) -> pd.DataFrame:
    rows = {}
    for name, check in analysis.checks.items():
        if isinstance(check, str):
            rows[name] = {"statistic": np.nan, "p": np.nan, "remark": check}
        else:
            rows[name] = {"statistic": check.statistic, "p": check.pvalue, "remark": check.method}
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("assumption")


def _every_test(analysis: FoldPairComparison) -> ReportTable:
    rows = {}
    for said in analysis.answers:
        outcome = said.outcome
        rows[said.name] = {
            "statistic": np.nan if outcome is None else outcome.statistic,
            "p": np.nan if outcome is None else outcome.pvalue,
            "low": said.low,
            "high": said.high,
            "decides": "yes" if said.key == analysis.test else "",
            "remark": said.reason,
        }
    write = write_scores(analysis.matrix)
    return ReportTable(
        name="tests",
        title="Every test of the two",
        frame=pd.DataFrame.from_dict(rows, orient="index").rename_axis("test"),
        formats={"statistic": significant, "low": write, "high": write, **_all_p(analysis)},
        best={analysis.chosen.name: (["p"], [])},
        caption=f"Two-sided tests of {analysis.first} − {analysis.second}, with intervals for the "
        f"difference where a test has one; {analysis.chosen.name} decides.",
    )


def _effects(analysis: FoldPairComparison) -> list[ReportTable]:
    if analysis.effects is None:
        return []
    return [
        ReportTable(
            name="effects",
            title="Effect sizes",
            frame=indexed(analysis.effects.to_frame(), "effect"),
            formats=dict.fromkeys(["estimate", "low", "high"], write_scores(analysis.matrix)),
            caption=f"{analysis.first} − {analysis.second}; standardised by the standard deviation "
            f"of the {analysis.unit}s' differences. {analysis.effects_by}",
        )
    ]


def _vector_means(analysis: OnMeasures) -> ReportTable:
    means = analysis.means
    spread = pd.DataFrame(
        analysis.vectors.std(axis=1, ddof=1), index=means.index, columns=means.columns
    )
    higher = {name: analysis.results.direction(name) == "higher" for name in means}
    marks = best_and_second(means, higher, by_column=True)
    said = "best bold, second underlined" if len(means) > 2 else "the better one bold"
    return ReportTable(
        name="means",
        title=f"Means of {analysis.label} on {analysis.dataset}",
        frame=indexed(means, "algorithm"),
        formats=dict.fromkeys(means.columns, write_scores(means)),
        best=marks,
        caption=f"Means ± standard deviation over "
        f"{count(analysis.n_folds, unit_of(analysis.design))}; {said} in "
        "each column.",
        spread=spread,
    )


def _vector_pairs(analysis: SeveralOnMeasures) -> ReportTable:
    pairs = analysis.details()
    table = pairs.rename(columns={"statistic": "T2", "p": "p raw"})
    table = table[["first", "second", *analysis.measures, "T2", "p raw", "p adjusted"]]
    table["differs"] = np.where(pairs["separated"], "yes", "no")
    return ReportTable(
        name="pairs",
        title="All pairs",
        frame=numbered(table),
        formats={
            **dict.fromkeys(analysis.measures, write_scores(analysis.means)),
            "T2": number,
            **_all_p(analysis),
        },
        best=differing(pairs),
        caption="Paired Hotelling tests: difference of means in each measure, first less second; "
        f"adjusted p bold where the pair differs at {analysis.settings.alpha:g}.",
    )


def _after(analysis: SeveralOnMeasures) -> list[ReportTable]:
    if not analysis.after:
        return []
    rows = {
        name: {"F": said.statistic, "df": ", ".join(f"{df:g}" for df in said.df), "p": said.pvalue}
        for name, said in analysis.after.items()
    }
    return [
        ReportTable(
            name="measures",
            title="Each measure alone",
            frame=pd.DataFrame.from_dict(rows, orient="index").rename_axis("measure"),
            formats={"F": three_decimals, **_all_p(analysis)},
            caption="Analysis of variance of one measure, "
            f"{unit_of(analysis.design)}s as blocks; not adjusted for the number of measures.",
        )
    ]


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
