"""Several measures at once as figures and tables."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd
import streamlit as st

from foldwise.figures.loadings import formula
from foldwise.figures.theme import GREY
from foldwise.gallery import on_folds, on_measures
from foldwise.gallery.parts import fold_labels
from foldwise.ui import agreement_view, cached, fold_views, inputs, order_views, show, state
from stats_core.comparison.kinds.folds import FoldsComparison
from stats_core.comparison.kinds.measure_pair import PairOnMeasures
from stats_core.comparison.kinds.measures import SeveralOnMeasures
from stats_core.comparison.on_folds import OnFolds
from stats_core.comparison.on_measures import OnMeasures
from stats_core.core.errors import FoldwiseError
from stats_core.core.words import count, interval, number, p_phrase, p_text
from stats_core.curves.thresholds import needs_scores
from stats_core.data.settings import Settings
from stats_core.inference.families.win_counts import Wins
from stats_core.inference.fold_pairs import unit_of
from stats_core.inference.multivariate.learned import LearnedMeasures
from stats_core.inference.multivariate.multinormal import MardiaOutcome
from stats_core.inference.multivariate.shuffles import ShuffleOutcome

SMALLEST_WEIGHT = 0.005  # below, a formula prints 0.00
RULES = {
    "a significant difference of risk": "risk",
    "the multivariate test and lower risk": "thesis",
}


def clouds_figure(
    analysis: OnMeasures,
    all_algorithms,
    levels: tuple[float, ...],
    highlight,
    *,
    pooled: bool,
    width: int,
) -> None:
    """Draw the folds in two measures with contours, or a panel for each pair of measures."""
    chosen = state.selection()
    drawing = on_measures.clouds_drawing(
        analysis,
        levels=levels,
        pooled=pooled,
        colours=fold_views.palette(all_algorithms, highlight),
        selected=fold_views.selected_folds(),
        lit=chosen.get("ids", ()) if chosen.get("kind") in ("group", "algorithm") else (),
    )
    _take(show.figure_of(drawing, select=True, width=width), drawing.name)


def _take(points: list[dict], name: str) -> None:
    """A click on a fold selects the fold, one on a contour its algorithm."""
    picked = next((point["customdata"] for point in points if point.get("customdata")), None)
    key = f"_click_{name}"
    if picked == st.session_state.get(key):
        return
    st.session_state[key] = picked
    if picked is None:
        return
    if isinstance(picked, str):
        state.select("fold", [picked])
    else:
        state.select("algorithm", fold_views.flat(picked))
    st.rerun()


def difference_figure(analysis: PairOnMeasures) -> None:
    """Draw the paired differences of two measures with their region."""
    drawing = on_measures.ellipse_drawing(analysis, selected=fold_views.selected_folds())
    if drawing is not None:
        _take(show.figure_of(drawing, select=True, width=fold_views.HALF), drawing.name)


def one_measure(context: state.Context, settings: Settings) -> None:
    """Draw the histogram of the one measure beside, to see what it cannot tell apart."""
    alone = replace(settings, measures=(), test="")
    try:
        one = cached.analysis(context.key, alone, context.results)
    except FoldwiseError as error:
        st.caption(show.escape(error))
        return
    if isinstance(one, OnFolds):
        fold_views.bricks_figure(one, context.results.algorithms, highlight=context.highlight)


def projected_figure(analysis: PairOnMeasures) -> None:
    """Draw the differences along the direction that separates the two most."""
    w = analysis.after["loading"].rename("difference")
    if not w.any():
        return
    st.markdown(f"`{formula(w)}`")
    drawing = on_folds.plain_bricks_drawing(
        fold_labels(analysis.projected).rename("difference").to_frame(),
        measure=f"{analysis.first} \u2212 {analysis.second} along the direction",
        name=f"projected_{analysis.dataset}",
        title="Differences along the direction in which the two differ most",
        colours={"difference": GREY},
    )
    show.figure_of(drawing)


def pair_tables(analysis: PairOnMeasures) -> None:
    """Show the tests, each measure alone, and covariances."""
    alpha, test = analysis.settings.alpha, analysis.hotelling
    rows = [_hotelling_row("paired Hotelling T2", test, test.statistic, test.pvalue, alpha)]
    if test.factor != 1:
        rows.append(
            _hotelling_row(
                f"as if {unit_of(analysis.design)}s were independent",
                test,
                test.plain_statistic,
                test.plain_pvalue,
                alpha,
            )
        )
    if analysis.two_sample is not None:
        other = analysis.two_sample
        rows.append(
            _hotelling_row(
                "two-sample, as in the thesis",
                other,
                other.statistic,
                other.pvalue,
                alpha,
            )
        )
    show.table(
        pd.DataFrame(rows).set_index("test"),
        title="Tests",
        name="multi_tests",
        formats={},
        caption=f"{analysis.first} and {analysis.second} on {analysis.label}, {analysis.dataset}.",
    )
    after = analysis.after
    table = pd.DataFrame(
        {
            analysis.first: analysis.means.loc[analysis.first],
            analysis.second: analysis.means.loc[analysis.second],
            "difference": after["difference"],
            "interval": [
                "" if np.isnan(low) else interval(low, high, 4)
                for low, high in zip(after["low"], after["high"], strict=True)
            ],
            "p": after["p"],
            "p adjusted": after["p adjusted"],
            "weight in the direction": after["loading"],
        }
    ).rename_axis("measure")
    write_p = partial(p_text, alpha=alpha)
    show.table(
        table,
        title="Each measure alone, and its weight where the two differ most",
        name="multi_after",
        formats={
            **dict.fromkeys(
                [analysis.first, analysis.second, "difference"], partial(number, digits=4)
            ),
            "p": write_p,
            "p adjusted": write_p,
            "weight in the direction": number,
        },
        caption=f"Means of {analysis.first} and {analysis.second}, t tests adjusted over the "
        "measures, and the direction of Hotelling's test at unit length.",
    )


def _hotelling_row(label: str, test, f: float, p: float, alpha: float) -> dict:
    return {
        "test": label,
        "F": number(f, 3),
        "df": f"{test.df[0]}, {test.df[1]}",
        "p": p_text(p, alpha),
        "verdict": "differs" if p <= alpha else "not separated",
        "method": test.method if f == test.statistic else test.method.split(", corrected")[0],
    }


def several_tables(analysis: SeveralOnMeasures) -> None:
    """Show MANOVA, the tests of dimension and each measure alone."""
    alpha, unit = analysis.settings.alpha, unit_of(analysis.design)
    for model, dimension, name, title in (
        (analysis.manova, analysis.dimension, "folds", f"{unit}s as blocks"),
        (analysis.one_way, analysis.dimension_one_way, "one-way", "one-way"),
    ):
        if model is None:
            continue
        show.table(
            _written(model.table, alpha, unit),
            title=f"MANOVA: {title}",
            name=f"manova_{name}",
            formats={},
            caption=f"MANOVA of {analysis.label} on {analysis.dataset}, {title}; Roy's p is a lower "
            "bound.",
        )
        if dimension is not None:
            said = "; ".join(
                f"{r} enough: {p_phrase(row['p'], alpha)}" for r, row in dimension.tests.iterrows()
            )
            st.caption(show.escape(f"Dimension {dimension.label} of {dimension.largest}. {said}."))


def _written(table: pd.DataFrame, alpha: float, unit: str) -> pd.DataFrame:
    writes = {"df1": "{:g}".format, "df2": "{:.4g}".format}
    writes |= {"p": partial(p_text, alpha=alpha), "plain p": partial(p_text, alpha=alpha)}
    cells = {
        name: [
            "" if pd.isna(value) else writes.get(name, partial(number, digits=3))(value)
            for value in table[name]
        ]
        for name in table
    }
    return (
        pd.DataFrame(cells, index=table.index)
        .rename(columns={"plain p": f"p if {unit}s were independent"})
        .rename_axis("statistic")
    )


def means_tables(analysis: OnMeasures) -> None:
    """Show means, pooled covariance and correlation."""
    write = partial(number, digits=4)
    means = analysis.means.rename_axis("algorithm")
    show.table(
        means,
        title="Means",
        name="multi_means",
        formats=dict.fromkeys(means.columns, write),
        caption=f"Mean {analysis.label} on {analysis.dataset}.",
    )
    names = list(analysis.measures)
    covariance = pd.DataFrame(analysis.pooled, index=names, columns=names).rename_axis("covariance")
    scale = np.sqrt(np.diag(analysis.pooled))
    with np.errstate(invalid="ignore", divide="ignore"):
        values = np.nan_to_num(analysis.pooled / np.outer(scale, scale))
    correlation = pd.DataFrame(values, index=names, columns=names).rename_axis("correlation")
    left, right = st.columns(2)
    with left:
        show.table(
            covariance,
            title="Pooled covariance",
            name="pooled_covariance",
            formats=dict.fromkeys(names, "{:.4g}".format),
            caption=f"Covariance of the {unit_of(analysis.design)}s within algorithms, pooled.",
        )
    with right:
        show.table(
            correlation,
            title="Pooled correlation",
            name="pooled_correlation",
            formats=dict.fromkeys(names, number),
            caption=f"Correlation of the {unit_of(analysis.design)}s within algorithms, pooled.",
        )


def clique_list(analysis: SeveralOnMeasures) -> None:
    """List the maximal groups; a click lights one everywhere."""
    st.markdown("### Groups not separated")
    real = [group for group in analysis.groups if len(group) > 1]
    if not real:
        st.caption("Every pair differs.")
    for place, group in enumerate(real[:20]):
        st.button(
            show.escape("{" + ", ".join(group) + "}"),
            key=f"group_{place}",
            type="tertiary",
            on_click=state.select,
            args=("group", list(group)),
        )


def pairs_table(analysis: SeveralOnMeasures) -> None:
    """Show every pair: differences of means, T2, p; a row opens the pair."""
    pairs = analysis.details()
    chosen = state.selection()
    if chosen.get("kind") in ("group", "algorithm"):
        inside = pairs[["first", "second"]].isin(chosen["ids"])
        pairs = pairs[inside.all(axis=1) if len(chosen["ids"]) > 1 else inside.any(axis=1)]
    write_p = partial(p_text, alpha=analysis.settings.alpha)
    table = pairs.rename(columns={"statistic": "T2", "p": "p raw"})
    table = table[["first", "second", *analysis.measures, "T2", "p raw", "p adjusted"]].assign(
        verdict=["differ" if done else "not separated" for done in pairs["separated"]]
    )
    show.table(
        table.set_index(["first", "second"]),
        title=f"{count(len(table), 'pair')} by paired Hotelling T2",
        name="multi_pairs",
        formats={
            **dict.fromkeys(analysis.measures, partial(number, digits=4)),
            "T2": number,
            "p raw": write_p,
            "p adjusted": write_p,
        },
        caption=f"All pairs on {analysis.dataset} by {analysis.label}: differences of means, T2, "
        "p-values.",
    )


def orderings(context: state.Context, analysis: SeveralOnMeasures, settings: Settings) -> None:
    """Draw the order by each measure alone, the one of the sidebar first, to compare with groups."""
    st.markdown("### Each measure alone")
    for measure in dict.fromkeys((settings.measure, *analysis.measures)):
        alone = replace(settings, measure=measure, measures=(), pair=(), test="")
        try:
            one = cached.analysis(context.key, alone, context.results)
        except FoldwiseError as error:
            st.caption(show.escape(f"{measure}: {error}"))
            continue
        if isinstance(one, FoldsComparison):
            order_views.ordering_figure(
                one, context.results.algorithms, highlight=context.highlight
            )


def learned(context_key: str, analysis: OnMeasures, all_algorithms, measures) -> None:
    """Show the learned measures, their two repairs, and the algorithms along them."""
    try:
        found = cached.learned(context_key, analysis.settings, tuple(measures), analysis)
    except FoldwiseError as error:
        st.caption(show.escape(error))
        return
    model, permuted, crossed, groups = found
    for component in model.loadings.columns[:2]:
        st.markdown(f"`{formula(model.loadings[component])}`")
    if model.space.note:
        st.caption(show.escape(model.space.note))
    show.figure_of(on_measures.loadings_drawing(analysis, model))
    alpha, unit = analysis.settings.alpha, unit_of(analysis.design)
    st.markdown(
        show.escape(
            f"Do the algorithms differ along M1? Learned anew for each of {permuted.arrangements:,} "
            f"shuffles within {unit}s: {p_phrase(permuted.pvalue, alpha)}. Each {unit} projected by "
            f"what the others teach: {p_phrase(crossed.pvalue, alpha)}."
        )
    )
    st.caption(
        show.escape(
            f"Naive analysis of variance on M1, learned on the same {unit}s: "
            f"{p_phrase(model.naive.pvalue, alpha)}. It rejects .17 of true null hypotheses with two "
            "measures and .5 with four, so it is no test. The permutation does without normality, not "
            f"without independent {unit}s."
        )
    )
    if isinstance(analysis, SeveralOnMeasures):
        named = " ".join("{" + ", ".join(group) + "}" for group in groups if len(group) > 1)
        st.markdown(show.escape(f"Groups not separated on the learned measures: {named or 'none'}"))
        st.caption(
            f"Learned on the same {unit}s, so pairs differ too easily here: a description, not a test."
        )
    _projected(analysis, model, all_algorithms)


def _projected(analysis: OnMeasures, model: LearnedMeasures, all_algorithms) -> None:
    """Draw the folds along M1 and M2."""
    hues = fold_views.palette(all_algorithms, ())
    drawing = on_measures.learned_drawing(analysis, model, colours=hues)
    if drawing is not None:
        show.figure_of(drawing, width=700)
    folds = on_measures.learned_folds(analysis, model)
    along = on_folds.plain_bricks_drawing(
        pd.DataFrame({name: table["M1"] for name, table in folds.items()}),
        measure=named_with_direction(model.loadings["M1"], analysis.results.direction),
        name=f"m1_{analysis.dataset}",
        title=f"M1 by {unit_of(analysis.design)}",
        colours=hues,
    )
    show.figure_of(along)


def named_with_direction(loadings: pd.Series, direction: Callable[[str], str]) -> str:
    """Name a learned measure, with a direction if all that it is made of agree in it."""
    weights = loadings[loadings.abs() >= SMALLEST_WEIGHT]
    better = {(weight > 0) == (direction(name) == "higher") for name, weight in weights.items()}
    if len(better) != 1:
        return str(loadings.name)
    return f"{loadings.name} (larger is {'better' if better.pop() else 'worse'})"


def assumptions(context_key: str, analysis: OnMeasures) -> None:
    """Show Mardia's tests, distances of the folds, and the permutation test on request."""
    rows = []
    checks = dict(analysis.normality)
    if isinstance(analysis, PairOnMeasures):
        checks = {"differences (what the test uses)": analysis.normality_of_differences, **checks}
    for name, check in checks.items():
        rows.append(_mardia_row(name, check))
    show.table(
        pd.DataFrame(rows).set_index("of"),
        title="Normality: Mardia's tests",
        name="mardia",
        formats={},
        caption=f"Mardia's skewness and kurtosis of {analysis.label} on {analysis.dataset}.",
    )
    st.caption(
        show.escape(
            f"With {count(analysis.n_folds, unit_of(analysis.design))} these tests see "
            + ("gross departures only. " if analysis.n_folds < 30 else "moderate departures. ")
            + "The asymptotic forms printed by most programs almost never reject at ten. Box's M "
            "is not offered: on shared folds it almost never rejects."
        )
    )
    distances = on_measures.distances_drawing(analysis)
    if distances is not None:
        show.figure_of(distances)
    _permutation(context_key, analysis)


def _mardia_row(name: str, check: MardiaOutcome | str) -> dict:
    if isinstance(check, str):
        return {
            "of": name,
            "skewness": "",
            "p skewness": "",
            "kurtosis": "",
            "p kurtosis": "",
            "": check,
        }
    plain = check.asymptotic["p"]
    return {
        "of": name,
        "skewness": number(check.skewness),
        "p skewness": p_text(check.pvalue),
        "kurtosis": number(check.kurtosis),
        "p kurtosis": p_text(check.kurtosis_pvalue),
        "": f"asymptotic p {p_text(plain['skewness'])}, {p_text(plain['kurtosis'])}",
    }


def _permutation(context_key: str, analysis: OnMeasures) -> None:
    st.markdown("### Permutation test")
    st.caption(
        f"Flips whole differences, or shuffles algorithms within {unit_of(analysis.design)}s. It does "
        "without normality, not without independence: training sets that overlap make it reject too "
        "easily."
    )
    if not st.toggle("Run 9,999 permutations", key="permute"):
        return
    test: ShuffleOutcome = cached.shuffled(context_key, analysis.settings, analysis)
    between = "" if test.exact else f", 95 % interval {interval(test.low, test.high, 4)}"
    st.markdown(
        show.escape(f"{p_phrase(test.pvalue, analysis.settings.alpha)}{between} ({test.method}).")
    )


def over_datasets(context, measures: tuple[str, ...], settings) -> None:
    """Show dimensions, agreement of one measure with several, and wins, over all data sets."""
    results = inputs.kept(context)
    if len(results.datasets) < 2:
        st.caption("This needs at least two data sets.")
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        rule = RULES[inputs.option("A win needs", "rule", RULES, width=320)]
        if needs_scores(context.read):
            theta = st.number_input(
                "Weight of a false positive (theta)", 0.05, 0.95, 0.5, 0.05, key="weight"
            )
        else:  # the slider above says it for all pages
            theta = float(st.session_state["theta"])
    key = inputs.kept_key(context)
    dims, agree, won = cached.over_measures(key, settings, measures, rule, theta, results)
    if dims is not None:
        show.table(
            dims,
            title="Dimensions in which the means differ",
            name="dimensions",
            formats={"p": partial(p_text, alpha=settings.alpha)},
            caption=f"Dimension of the means on ({', '.join(measures)}), folds as blocks and one-way.",
        )
    if agree is not None:
        agreement_view.counts_table(agree, settings.measure, f"({', '.join(measures)})")
        st.caption(agreement_view.each_repetition(agree))
    if won is None:
        st.caption("Wins by risk need the counts tp, fp, tn, fn of every fold.")
        return
    _wins_table(won)


def _wins_table(won: Wins) -> None:
    table = won.wins.astype(str)
    for a in table.index:
        table.loc[a, a] = ""
        for b in table.columns:
            if won.beats.loc[a, b]:
                table.loc[a, b] = f"{table.loc[a, b]} *"
    table["total"] = won.total.astype(str)
    show.table(
        table.rename_axis("wins over"),
        title=f"Wins over {count(won.n, 'data set')}",
        name="wins",
        formats={},
        caption="Data sets on which the row wins over the column; total counts data sets with a win "
        f"over anyone; * where the sign test over data sets differs at {won.alpha:g}.",
    )
    st.caption(
        "A win needs that the paired Hotelling test of the measures rejects and that the risk is lower: "
        "significantly lower, too, or by the thesis' rule just lower, which names a winner at random "
        "where risks are equal."
    )
