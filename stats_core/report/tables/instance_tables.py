"""Tables of comparisons on the instances of one test set."""

from functools import partial

import pandas as pd

from stats_core.comparison import comparison_text
from stats_core.comparison.kinds import instances, strata
from stats_core.comparison.kinds.benchmarks import BenchmarksComparison
from stats_core.comparison.kinds.instances import ERRORS, CasesComparison
from stats_core.comparison.result import Comparison
from stats_core.core.formatting import format_number, unused_label
from stats_core.core.validation import significant
from stats_core.curves.trained_models import RiskBands
from stats_core.inference.multiplicity import cliques
from stats_core.inference.pair_intervals import guarantee_of
from stats_core.inference.paired import mcnemar
from stats_core.report import effect_text
from stats_core.report.tables import dataset_tables
from stats_core.report.tables.table import (
    PAIR,
    ResultTable,
    best_and_second,
    make_table,
    pairs_table,
    table_text,
    write_sizes,
)

_OF_RUNS = ("p this test set", "variance items", "variance runs")  # columns for several runs


def pairs(c: CasesComparison) -> ResultTable:
    """Return a table of all pairs with difference, interval and p-value."""
    counted = (
        ("only first", "only second", "odds ratio", "odds low", "odds high")
        if c.way == "mcnemar"
        else ()
    )
    rows = c.pairs.frame
    return pairs_table(
        "pairs_of_models",
        c,
        statistic="",
        own=dict.fromkeys(name for name in (*_OF_RUNS, *counted) if name in rows),
        write=write_sizes(c),
        correction=c.correction_name if len(c.tests) > 1 and c.correction != "none" else "",
    )


def models(c: CasesComparison) -> list[ResultTable]:
    """Return a table of each model's mean with its interval; for other measures the table of values."""
    rows = c.models()
    if rows is None:
        return dataset_tables.untested_tables(c)
    frame = rows.rename(columns={"value": c.measure_name, "standard error": "SE"})
    table = make_table(
        "models",
        frame,
        c,
        name="scores",
        index=c.noun,
        write=write_sizes(c),
        own={c.measure_name: write_sizes(c)},
        best=best_and_second(frame[[c.measure_name]], c.higher_is_better, by_column=True),
        share=_on_shares(c),
    )
    return [table]


def _on_shares(c: CasesComparison) -> bool:
    """Return whether the measure is a share of the instances."""
    return c.cases.are_marks or (c.cases.value is None and c.settings.measure in ERRORS)


def risk_difference_ranges(c: CasesComparison) -> ResultTable | None:
    """Return a table of the ranges of theta in which risks differ; None without scores or with one model."""
    if c.scored.score is None or c.cases.positive is None or len(c.cases.names) < 2:
        return None
    return away_of(c.dataset_label, c.risk_bands())


def away_of(dataset: str, bands: RiskBands) -> ResultTable:
    """Return a table of the ranges of theta in which the risks of each pair differ."""
    return make_table(
        "risk_away",
        bands.away().rename_axis(None),
        heads=PAIR,
        bands=bands,
        dataset=dataset,
        noun="model",
    )


def thresholds(c: CasesComparison) -> ResultTable | None:
    """Return a table of each model's best thresholds and their expected performance; None without scores."""
    best = c.best_thresholds()
    if best is None:
        return None
    criteria = [
        table_text(f"criteria.{wish}", amount=n)
        for wish, n in zip(best["wish"], best["amount"], strict=True)
    ]
    # columns measured on the instances the threshold was chosen on
    in_sample = ["recall", "precision", "alerts", "cost"]
    out_of_sample = [name for name in best if name not in ("wish", "amount", *in_sample)]
    labels = {name: f"in-sample {name}" for name in in_sample} | {
        f"new {name}": f"cross-validated {name}" for name in in_sample
    }
    frame = best[[*out_of_sample, *in_sample]].rename(columns=labels).rename_axis(None)
    frame.insert(0, "target", criteria)
    return make_table(
        "best_thresholds",
        frame,
        c,
        own=dict.fromkeys(frame.columns[2:].difference(["low", "high"]), "{:.3f}".format),
        write=partial(format_number, digits=3),
        heads=("target", "algorithm"),
        aside=tuple(f"in-sample {name}" for name in in_sample),
    )


def calibration(c: CasesComparison) -> ResultTable | None:
    """Return a table of observed shares of positives by predicted probability; None without probabilities."""
    rates = c.calibration()
    if rates is None:
        return None
    return make_table(
        "calibration",
        rates.rename_axis(None),
        write=partial(format_number, digits=3),
        heads=("algorithm", "bin"),
        c=c,
    )


def losses(c: CasesComparison) -> ResultTable | None:
    """Return a table of tests of Brier score and log loss for every pair; None if they cannot be tested."""
    tests = c.losses()
    if tests is None:
        return None
    names = {"brier": "Brier score", "logloss": "log loss"}
    frame = tests.assign(loss=tests["loss"].map(names)).rename_axis(None)
    several = c.guarantee.comparisons > 1
    frame = frame.rename(columns={"p": "p raw"}) if several else frame.drop(columns="p adjusted")
    decisive = "p adjusted" if several else "p"
    return make_table(
        "losses",
        frame,
        c,
        name="probability_losses",
        write=partial(format_number, digits=4),
        bold={decisive: significant(frame[decisive], c.settings.alpha)},
        heads=("loss", *PAIR),
        test=comparison_text(
            f"tests.{instances.instance_test_for(c.cases, 'brier')}", plural=False
        ),
        correction=c.correction_name if several and c.correction != "none" else "",
        omitted=set(names) - set(tests["loss"]),
    )


_OF_BENCHMARKS = ("macro", "macro low", "macro high", "macro p", "heterogeneity p")


def pairs_over_benchmarks(c: BenchmarksComparison) -> ResultTable:
    """Return a table of all pairs with both differences, intervals and p-values."""
    return pairs_table(
        "pairs_of_benchmarks",
        c,
        statistic="",
        own={name: None for name in _OF_BENCHMARKS if not c.pairs.frame[name].isna().all()},
        write=write_sizes(c),
        correction=c.correction_name
        if c.guarantee.comparisons > 1 and c.correction != "none"
        else "",
    )


def disagreements(c: CasesComparison, pair: tuple[str, str] | None = None) -> list[ResultTable]:
    """Return tables of the instances on which two models disagree, and of all clusters; by default of the two best."""
    first, second = c.compared_pairs()[0] if pair is None else pair
    if not c.has_one_answer:
        return []
    frame = c.disagreements(first, second).rename(columns={"correct": "correct model"})
    tables = [
        make_table(
            "disagreements",
            frame,
            c,
            own=dict.fromkeys(frame, str),
            heads=("instance",),
            first=first,
            second=second,
        )
    ]
    clusters = c.by_cluster(first, second)
    if clusters is not None:
        clusters = clusters.rename(
            columns={"of first": "accuracy first", "of second": "accuracy second"}
        )
        tables.append(
            make_table("by_cluster", clusters, c, index="cluster", first=first, second=second)
        )
    return tables


def difficulty(c: CasesComparison) -> ResultTable:
    """Return a table of all instances with the number of models that are correct, hardest first."""
    frame = c.by_difficulty()
    own = dict.fromkeys(frame.columns.drop("right"), str)
    return make_table("difficulty", frame, c, own=own, heads=("instance",))


def benchmarks(c: Comparison) -> list[ResultTable]:
    """Return the stratified comparison of the two best models over benchmarks, and of all pairs; [] without instances."""
    strata_of_two = strata.stratified_of(c)
    if strata_of_two is None:
        return []
    frame = strata_of_two.frame.rename(
        columns={"of first": "mean first", "of second": "mean second"}
    )
    for row, name in (
        (strata_of_two.pooled, "all instances"),
        (strata_of_two.macro, "mean of benchmarks"),
    ):
        frame.loc[unused_label(name, list(frame.index))] = row
    frame.loc[frame.index[-2], "instances"] = frame["instances"].sum()
    of_two = make_table(
        "benchmarks",
        frame,
        c,
        index="benchmark",
        write=write_sizes(c),
        first=strata_of_two.first,
        second=strata_of_two.second,
        opposite=strata_of_two.opposite,
        test=strata_of_two,
    )
    pairs_of_all = strata.stratified_pairs(c) if c.shape.over == "data sets" else None
    if pairs_of_all is None:
        return [of_two]
    differs = significant(pairs_of_all["p adjusted"], c.settings.alpha)
    correction = pairs_of_all.attrs["correction"]
    guarantees = {guarantee_of(correction, separated=bool(each)) for each in differs}
    return [
        of_two,
        make_table(
            "pairs_over_instances",
            pairs_of_all[[*PAIR, "estimate", "low", "high", "p", "p adjusted", "macro"]]
            .rename(columns={"p": "p raw"})
            .rename_axis(None),
            c,
            write=write_sizes(c),
            bold={"p adjusted": differs},
            heads=PAIR,
            intervals=effect_text.guaranteed_ci(c.settings.alpha, guarantees),
            n=int(strata_of_two.frame["instances"].sum()),
            test=strata_of_two,
        ),
    ]


def both_forms(c: CasesComparison) -> ResultTable:
    """Return a table of McNemar's test, exact and by chi-square; if another test is used, of that test."""
    first, second = c.correct.columns
    if c.way != "mcnemar":
        return _one_test(c, first, second)
    right = [c.correct[name].to_numpy() for name in (first, second)]
    rows = {}
    for name in ("exact", "chi-square"):
        test = mcnemar(*right, exact=name == "exact", confidence_level=1 - c.settings.alpha)
        role = table_text("both_forms.decides" if name == "exact" else "both_forms.approximate")
        rows[f"McNemar's test, {name}"] = (
            test.statistic,
            test.pvalue,
            test.pvalue_greater,
            test.pvalue_less,
            role,
        )
    columns = ["statistic", "p", "p more often", "p less often", "applies"]
    frame = pd.DataFrame.from_dict(rows, orient="index", columns=columns).rename_axis("test")
    return make_table("both_forms", frame, c, name="tests", first=first, second=second)


def _one_test(c: CasesComparison, first: str, second: str) -> ResultTable:
    """Return the table of the test of the only pair, with its interval."""
    (test,) = c.tests.values()
    row = {
        "difference": test.estimate,
        "low": test.low,
        "high": test.high,
        "statistic": test.statistic,
        "p": test.pvalue,
        "p greater": test.pvalue_greater,
        "p less": test.pvalue_less,
    }
    frame = pd.DataFrame([row], index=pd.Index([str(test.method)], name="test"))
    return make_table(
        "one_test", frame, c, name="tests", write=write_sizes(c), first=first, second=second
    )


def ranks(c: CasesComparison | BenchmarksComparison) -> ResultTable | None:
    """Return a table of ranks with intervals and the letters of groups; None for two models."""
    result = c.rank_intervals()
    if result is None:
        return None
    letters = cliques.compact_letters(result.groups())
    frame = result.table.drop(columns="error").rename(
        columns={"value": c.measure_name, "low": "rank low", "high": "rank high"}
    )
    frame.insert(frame.columns.get_loc("rank"), "group letters", letters.reindex(frame.index))
    own = {c.measure_name: write_sizes(c)}
    return make_table(
        "rank_intervals",
        frame,
        c,
        index=c.noun,
        own=own,
        best_set=result.best(),
        runs=c.n_trainings if isinstance(c, BenchmarksComparison) else len(c.cases.trainings),
        write=write_sizes(c),
    )
