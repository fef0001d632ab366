"""Analyses on the folds of one data set as figures and tables."""

from functools import partial

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from figures.bricks import alt_bricks, bricks, caption_bricks, form_of
from figures.difference_interval import alt_difference_interval, difference_interval
from figures.differences import alt_differences, differences
from figures.ordering_strip import alt_strip, caption_strip, ordering_strip
from figures.pair_matrix import alt_matrix, pair_matrix
from figures.paired_folds import MOST_SLOPES, alt_paired_folds, paired_folds
from figures.qq import alt_qq, qq
from figures.theme import Style, colours
from stats_core.analyse import TUKEY, FoldPairAnalysis, FoldsAnalysis, OnFolds
from stats_core.assumptions import differences_qq, normal_qq
from stats_core.by_measure import changed_decisions
from stats_core.errors import FoldwiseError
from stats_core.fold_tests import PairAnswer
from stats_core.outcome import Outcome
from stats_core.results import Results
from stats_core.verdict import disagreement
from stats_core.wording import count, interval, listed, number, p_phrase, p_text, score_digits
from ui import cached, show, state

HALF = 482  # px of one of two columns
NOTATIONS = ("maximal groups", "underlines", "letters")
HOW_BRICKS = (
    "Each brick is one fold, in bins that all algorithms share; the tick below it is its exact "
    "value, the triangle the mean. Look for how far the piles stand apart compared with their "
    "spread. Piles that overlap can still differ fold by fold, so do not judge by overlap."
)
HOW_PAIRED = (
    "Each line joins the two results of one fold: solid where the first is better, dashed where "
    "the second is. Look for lines that all lean the same way. Steep lines in a few folds are "
    "not a difference in general."
)
HOW_AGAINST = (
    "Each mark is one fold: the first algorithm up, the second across. On the diagonal both have "
    "the same result. Look for marks that all lie on one side. A few far from it are not a "
    "difference in general."
)
HOW_INTERVAL = (
    "Each circle is the difference in one fold, the upright stroke their mean, the bar the "
    "differences that the test does not rule out. Look whether the bar leaves out zero. A bar "
    "that holds zero is not evidence that the two are equal."
)
HOW_STRIP = (
    "Algorithms stand from best to worst mean; a line joins those that the data do not separate. "
    "Look for names that share no line, those differ. Sharing a line does not mean being equal, "
    "and a dotted stretch passes algorithms that are not in the group."
)
HOW_MATRIX = (
    "Above the diagonal how much better the row is, \u25b2 where it is better and \u25bc where the "
    "column is; below it the adjusted p-value, bold where the pair differs. Click a cell to open "
    "the pair. A small p is not a large difference."
)
HOW_INTERVALS = (
    "Each row is a pair: the dot is the difference of the means, the bar its interval. Look for "
    "bars that leave out zero. Intervals of different pairs do not say how those pairs compare "
    "with each other."
)
HOW_QQ = (
    "Each point is one residual against what a normal one would be at its place; the band holds "
    "95 % of simulated ones. Look for points outside it, above all at the ends. With few folds "
    "points inside the band are not evidence of normality."
)


def fold_labels(table: pd.DataFrame | pd.Series) -> pd.DataFrame | pd.Series:
    """Name folds as the figures do: "7", or "2.7" for fold 7 of repetition 2."""
    repetitions = table.index.get_level_values("repetition")
    folds = table.index.get_level_values("fold").astype(str)
    single = repetitions.nunique() < 2
    names = folds if single else repetitions.astype(str) + "." + folds
    return table.set_axis(pd.Index(names, name="fold"))


def selected_folds() -> tuple[str, ...]:
    """Return the folds that are selected, () if something else is."""
    chosen = state.selection()
    return tuple(chosen["ids"]) if chosen.get("kind") == "fold" else ()


def take_fold(points: list[dict], name: str) -> None:
    """Turn a click on a fold into the page's selection, once per click."""
    picked = [point["customdata"] for point in points if point.get("customdata")]
    label = str(picked[0][0] if isinstance(picked[0], list) else picked[0]) if picked else None
    key = f"_click_{name}"
    if label == st.session_state.get(key):
        return
    st.session_state[key] = label
    if label is not None:
        state.select("fold", [label])
        st.rerun()


def _palette(all_algorithms, highlight: tuple[str, ...]) -> dict[str, str]:
    """Give algorithms the colour they have on every page, by their place in all results."""
    return colours(list(all_algorithms), highlight, dark=show.is_dark())


def bricks_figure(
    analysis: OnFolds,
    all_algorithms,
    *,
    form: str = "automatic",
    highlight: tuple[str, ...] = (),
    width: int = 980,
) -> None:
    """Draw the results of every fold as bricks, best algorithm on top."""
    if isinstance(analysis, FoldPairAnalysis):
        names = [analysis.first, analysis.second]
    else:
        names = list(analysis.means.index)
        if len(names) > 8:
            shown = [name for name in names if name in highlight] or names[:8]
            st.caption(f"{len(shown)} of {len(names)} shown: change in Highlight.")
            names = shown
    values = fold_labels(analysis.matrix[names])
    about = {"measure": analysis.settings.measure, "higher_is_better": analysis.higher_is_better}
    palette = _palette(all_algorithms, highlight)

    def build(style: Style) -> go.Figure:
        return bricks(
            values,
            **about,
            style=style,
            form=form,
            colours=palette,
            selected=selected_folds() if style.kind == "screen" else (),
        )

    name = f"folds_{analysis.dataset}_{analysis.settings.measure}"
    points = show.figure(
        f"{analysis.settings.measure} by fold",
        build,
        name=name,
        how_to_read=HOW_BRICKS,
        alt=alt_bricks(values, **about),
        data=values,
        caption=lambda _: caption_bricks(values, measure=about["measure"], form=form),
        select=True,
        width=width,
    )
    if form == "overlaid" and form_of(values, form) != "overlaid":
        st.caption("Overlaying more than two hides bars; rows are used.")
    take_fold(points, name)


def paired_figure(analysis: FoldPairAnalysis, *, width: int = HALF) -> None:
    """Draw the two results of every fold joined by a line."""
    values = fold_labels(analysis.matrix[[analysis.first, analysis.second]])
    about = {"measure": analysis.settings.measure, "higher_is_better": analysis.higher_is_better}

    def build(style: Style) -> go.Figure:
        chosen = selected_folds() if style.kind == "screen" else ()
        return paired_folds(values, **about, style=style, selected=chosen)

    name = f"paired_{analysis.dataset}_{analysis.settings.measure}"
    points = show.figure(
        "Fold by fold",
        build,
        name=name,
        how_to_read=HOW_PAIRED if len(values) <= MOST_SLOPES else HOW_AGAINST,
        alt=alt_paired_folds(values, **about),
        data=values,
        select=True,
        width=width,
    )
    take_fold(points, name)


def interval_figure(analysis: FoldPairAnalysis) -> None:
    """Draw the difference in every fold with the interval of the chosen test and of its twin."""
    folds = fold_labels(analysis.differences)
    keys = list(dict.fromkeys([analysis.test, "corrected t", "paired t"]))
    said = [analysis.answer(key) for key in keys]
    said = [answer for answer in said if answer.outcome is not None]
    if not said:
        return
    mean = float(analysis.differences.mean())
    rows = pd.DataFrame(
        {
            "estimate": [getattr(answer.outcome, "estimate", mean) for answer in said],
            "low": [answer.low for answer in said],
            "high": [answer.high for answer in said],
        },
        index=pd.Index([answer.key for answer in said], name="test"),
    )
    rows.loc[[key for key in rows.index if key.startswith("McNemar")], "estimate"] = mean
    about = {
        "first": analysis.first,
        "second": analysis.second,
        "measure": analysis.settings.measure,
        "higher_is_better": analysis.higher_is_better,
    }

    def build(style: Style) -> go.Figure:
        chosen = selected_folds() if style.kind == "screen" else ()
        return difference_interval(folds, rows, **about, style=style, selected=chosen)

    name = f"difference_{analysis.dataset}_{analysis.settings.measure}"
    points = show.figure(
        f"{analysis.first} \u2212 {analysis.second}, with its {_level(analysis)} interval",
        build,
        name=name,
        how_to_read=HOW_INTERVAL,
        alt=alt_difference_interval(folds, rows, **about),
        data=rows,
        select=True,
    )
    take_fold(points, name)


def _level(analysis: OnFolds) -> str:
    return f"{100 * (1 - analysis.settings.alpha):g} %"


def tests_table(analysis: FoldPairAnalysis) -> None:
    """Show what every test says, those that do not apply with the reason."""
    alpha = analysis.settings.alpha
    write = partial(p_text, alpha=alpha)
    rows = []
    for said in analysis.answers:
        outcome = said.outcome
        rows.append(
            {
                "test": said.name,
                "statistic": number(outcome.statistic, 3) if outcome else "",
                "df": _df(outcome),
                "p": write(outcome.pvalue) if outcome else "",
                f"p {analysis.first} larger": write(outcome.pvalue_greater) if outcome else "",
                f"p {analysis.first} smaller": write(outcome.pvalue_less) if outcome else "",
                "verdict": _decision(outcome, alpha),
                "allowed here?": _allowed(said, decides=said.key == analysis.test),
                "assumes": said.assumes,
            }
        )
    show.table(
        pd.DataFrame(rows).set_index("test"),
        title="Tests",
        name="tests",
        formats={},
        caption=f"Every test of {analysis.first} against {analysis.second} on "
        f"{analysis.dataset}, {analysis.settings.measure}.",
    )


def _df(outcome: Outcome | None) -> str:
    df = getattr(outcome, "df", "")
    return ", ".join(str(part) for part in df) if isinstance(df, tuple) else str(df)


def _decision(outcome: Outcome | None, alpha: float) -> str:
    if outcome is None:
        return ""
    return "differs" if outcome.pvalue <= alpha else "not separated"


def _allowed(said: PairAnswer, *, decides: bool) -> str:
    if said.outcome is None:
        return f"no: {said.reason}"
    if decides:
        return f"decides: {said.reason}" if said.reason else "decides"
    return f"with care: {said.reason}" if said.reason else "yes"


def effects_table(analysis: FoldPairAnalysis) -> None:
    """Show the effect sizes with their intervals."""
    if analysis.effects is None:
        st.caption("The differences do not vary, so there are no effect sizes.")
        return
    digits = score_digits(analysis.matrix)
    table = analysis.effects.to_frame()
    written = pd.DataFrame(
        {
            "estimate": [
                number(value, digits if name == "mean difference" else 2)
                for name, value in table["estimate"].items()
            ],
            f"{_level(analysis)} interval": [
                ""
                if pd.isna(row["low"])
                else interval(row["low"], row["high"], digits if name == "mean difference" else 2)
                for name, row in table.iterrows()
            ],
        },
        index=pd.Index(table.index, name="effect size"),
    )
    show.table(
        written,
        title="Effect sizes",
        name="effects",
        formats={},
        caption=f"Effect sizes of {analysis.first} minus {analysis.second}.",
    )
    wins, ties, losses = analysis.record(analysis.first)
    st.caption(
        show.escape(
            f"Differences are {analysis.first} minus {analysis.second}; the standardised one is in "
            f"standard deviations of the folds' differences. {analysis.first} wins {wins}, ties "
            f"{ties} and loses {losses} of {count(analysis.n_folds, 'fold')}."
        )
    )


def folds_table(analysis: OnFolds) -> None:
    """Show the results fold by fold."""
    table = analysis.matrix
    if isinstance(analysis, FoldPairAnalysis):
        table = table[[analysis.first, analysis.second]].assign(difference=analysis.differences)
    table = fold_labels(table)
    chosen = [name for name in selected_folds() if name in table.index]
    if chosen:
        table = table.loc[chosen]
    write = partial(number, digits=score_digits(analysis.matrix))
    show.table(
        table,
        title=f"{analysis.measure_label}, fold by fold",
        name="folds",
        formats=dict.fromkeys(table.columns, write),
        caption=f"{analysis.measure_label} on {analysis.dataset}, fold by fold.",
    )


def measures_table(table: pd.DataFrame, analysis: FoldPairAnalysis) -> None:
    """Show the same pair by every measure."""
    write_p = partial(p_text, alpha=analysis.settings.alpha)
    show.table(
        table,
        title="By measure",
        name="measures",
        formats={
            **{name: partial(number, digits=4) for name in table.columns[:3]},
            "p": write_p,
        },
        caption=f"{analysis.first} and {analysis.second} on {analysis.dataset} by every measure, "
        "each at its own level.",
    )
    st.caption(
        "Each measure at its own level: looking for one that separates them is a search, so say "
        "how many you looked at."
    )


def ordering_figure(
    analysis: FoldsAnalysis,
    all_algorithms,
    *,
    notation: str = "maximal groups",
    highlight: tuple[str, ...] = (),
    title: str = "",
) -> None:
    """Draw the order by mean with the lines of one notation; clicks select."""
    groups = analysis.underlined if notation == "underlines" else analysis.groups
    letters = analysis.letters if notation == "letters" else None
    drawn = () if notation == "letters" else groups
    about = {"measure": analysis.settings.measure, "higher_is_better": analysis.higher_is_better}
    palette = _palette(all_algorithms, highlight)

    def build(style: Style) -> go.Figure:
        chosen = state.selection()
        on_screen = style.kind == "screen" and chosen.get("kind") in ("group", "algorithm")
        return ordering_strip(
            analysis.means,
            drawn,
            style=style,
            **about,
            letters=letters,
            selected=chosen.get("ids", ()) if on_screen else (),
            highlight=highlight,
            colours=palette,
        )

    name = f"order_{notation}_{analysis.dataset}_{analysis.settings.measure}"
    points = show.figure(
        title or f"Order by mean {analysis.settings.measure}",
        build,
        name=name,
        how_to_read=HOW_STRIP,
        alt=alt_strip(analysis.means, groups, **about),
        data=analysis.letters.to_frame("letters").assign(mean=analysis.means),
        caption=lambda _: caption_strip(
            analysis.means, drawn, higher_is_better=analysis.higher_is_better
        ),
        select=True,
    )
    _take_names(points, name)


def _take_names(points: list[dict], name: str) -> None:
    """Turn a click on a name or a line into the page's selection, once per click."""
    picked = next((point["customdata"] for point in points if point.get("customdata")), None)
    ids = _flat(picked) if picked is not None else None
    key = f"_click_{name}"
    if ids == st.session_state.get(key):
        return
    st.session_state[key] = ids
    if ids:
        state.select("group" if len(ids) > 1 else "algorithm", ids)
        st.rerun()


def _flat(customdata) -> list[str]:
    if isinstance(customdata, str):
        return [customdata]
    return [name for item in customdata for name in _flat(item)]


def orderings(
    analysis: FoldsAnalysis, all_algorithms, notation: str, highlight: tuple[str, ...]
) -> None:
    """Draw the order; where underlines and maximal groups disagree, draw both."""
    if not analysis.notations_disagree or notation == "letters":
        ordering_figure(analysis, all_algorithms, notation=notation, highlight=highlight)
    else:
        for one, title in (
            ("maximal groups", "Order, maximal groups: no pair inside differs"),
            ("underlines", "Order, underlined as published: the two ends do not differ"),
        ):
            ordering_figure(
                analysis, all_algorithms, notation=one, highlight=highlight, title=title
            )
        st.caption(show.escape(disagreement(analysis)))
    notation_lines(analysis)


def other_orderings(
    analysis: FoldsAnalysis, results: Results, key: str, highlight: tuple[str, ...]
) -> None:
    """Draw the order by other measures of the user's choice, and the decisions that change."""
    others = [name for name in results.measures if name != analysis.settings.measure]
    if not others:
        return
    opened = st.expander("The same by other measures", key="other_measures", on_change="rerun")
    if not opened.open:
        return
    with opened:
        preset = [name for name in ("error", "auc", "auc_pr") if name in others] or others[:2]
        chosen = st.multiselect(
            "Measures", others, default=preset[:2], max_selections=4, key="beside"
        )
        done, refused = cached.orders(key, analysis.settings, tuple(chosen), analysis)
        for other in done:
            ordering_figure(other, results.algorithms, highlight=highlight)
        for measure, reason in refused.items():
            st.caption(show.escape(f"{measure}: {reason}"))
        if done:
            _changed_table([analysis, *done])


def _changed_table(analyses: list[FoldsAnalysis]) -> None:
    table = changed_decisions(analyses)
    names = listed([analysis.settings.measure for analysis in analyses], 6)
    if table.empty:
        st.caption(show.escape(f"Every pair is decided alike by {names}."))
        return
    total = len(analyses[0].pairs())
    show.table(
        table,
        title=f"{len(table)} of {count(total, 'pair')} decided differently",
        name="changed",
        formats={},
        caption=f"Pairs that {names} decide differently on {analyses[0].dataset}: who is better.",
    )


def anova_table(analysis: FoldsAnalysis) -> None:
    """Show the analysis of variance, blocked first, and what else looks at all at once."""
    alpha = analysis.settings.alpha
    for model, title in ((analysis.anova, "Folds as blocks"), (analysis.one_way, "One-way")):
        table = model.table
        writes = {"SS": "{:.4g}".format, "MS": "{:.4g}".format, "df": "{:.0f}".format}
        writes |= {name: number for name in table if name[0] == "F"}
        writes |= {name: partial(p_text, alpha=alpha) for name in table if name[0] == "p"}
        table = pd.DataFrame(
            {
                name: ["" if pd.isna(value) else write(value) for value in table[name]]
                for name, write in ((name, writes[name]) for name in table)
            },
            index=table.index,
        )
        show.table(
            table,
            title=f"Analysis of variance: {title.lower()}",
            name=f"anova_{title.split()[0].lower()}",
            formats={},
            caption=f"{title}: {analysis.measure_label} on {analysis.dataset}.",
        )
    st.caption(show.escape(_all_at_once(analysis)))


def _all_at_once(analysis: FoldsAnalysis) -> str:
    alpha, f, model = analysis.settings.alpha, analysis.friedman, analysis.anova
    parts = [
        f"Greenhouse-Geisser (epsilon {number(model.epsilon)}): {p_phrase(model.pvalue_gg, alpha)}",
        f"Friedman over folds {number(f.statistic)} ({f.df[0]:g}), {p_phrase(f.pvalue, alpha)}",
    ]
    if analysis.cochran is not None:
        q = analysis.cochran
        parts.append(
            f"Cochran's Q on {q.n:,} cases {number(q.statistic)} ({q.df}), "
            f"{p_phrase(q.pvalue, alpha)}"
        )
    if model.factor != 1:
        parts.append(
            f"F corrected is F divided by {number(model.factor)}, the factor for training sets "
            "that overlap"
        )
    return ". ".join(parts) + "."


def matrix_figure(analysis: FoldsAnalysis) -> list[str]:
    """Draw all pairs; return the two names of a clicked cell."""
    sign = 1 if analysis.higher_is_better else -1
    means = analysis.means
    effects = pd.DataFrame(
        sign * (means.to_numpy()[:, None] - means.to_numpy()),
        index=means.index,
        columns=means.index,
    )
    wins = _records(analysis)

    def build(style: Style) -> go.Figure:
        return pair_matrix(
            effects,
            analysis.adjusted,
            alpha=analysis.settings.alpha,
            style=style,
            order=analysis.order,
            wins=wins,
            effect_name=f"advantage in {analysis.settings.measure}",
        )

    name = f"pairs_{analysis.dataset}_{analysis.settings.measure}"
    points = show.figure(
        "All pairs at a glance",
        build,
        name=name,
        how_to_read=HOW_MATRIX,
        alt=alt_matrix(
            effects,
            analysis.adjusted,
            alpha=analysis.settings.alpha,
            order=analysis.order,
            measure=analysis.settings.measure,
            over=count(analysis.n_folds, "fold"),
        ),
        data=analysis.pairs().set_index(["first", "second"]),
        select=True,
    )
    picked = next((point["customdata"] for point in points if point.get("customdata")), None)
    return _flat(picked)[:2] if picked is not None else []


def _records(analysis: FoldsAnalysis) -> pd.DataFrame:
    wins, ties = analysis.wins, analysis.ties
    return pd.DataFrame(
        [
            [f"{wins.loc[a, b]}/{ties.loc[a, b]}/{wins.loc[b, a]}" for b in wins.columns]
            for a in wins.index
        ],
        index=wins.index,
        columns=wins.columns,
    )


def intervals_figure(analysis: FoldsAnalysis) -> None:
    """Draw the difference of every pair with its interval, largest first."""
    pairs = analysis.pairs()
    if pairs["low"].isna().all():
        return
    table = pairs[["difference", "low", "high"]].set_axis(
        pd.Index(pairs["first"] + " \u2212 " + pairs["second"], name="pair")
    )
    about = {
        "first": "the first",
        "second": "the second",
        "measure": analysis.settings.measure,
        "higher_is_better": analysis.higher_is_better,
    }

    def build(style: Style) -> go.Figure:
        return differences(table, **about, style=style)

    kind = "simultaneous " if analysis.test == TUKEY else ""
    show.figure(
        f"Differences of all pairs with {kind}{_level(analysis)} intervals",
        build,
        name=f"intervals_{analysis.dataset}_{analysis.settings.measure}",
        how_to_read=HOW_INTERVALS,
        alt=alt_differences(table, **about).replace("data sets", "pairs"),
        data=table,
    )


def pairs_table(analysis: FoldsAnalysis) -> None:
    """Show every pair with its difference, interval, p-values and wins."""
    pairs = analysis.pairs()
    chosen = state.selection()
    if chosen.get("kind") in ("group", "algorithm"):
        inside = pairs[["first", "second"]].isin(chosen["ids"])
        pairs = pairs[inside.all(axis=1) if len(chosen["ids"]) > 1 else inside.any(axis=1)]
    digits = score_digits(analysis.matrix)
    write_p = partial(p_text, alpha=analysis.settings.alpha)
    table = pd.DataFrame(
        {
            "better": pairs["first"],
            "other": pairs["second"],
            "difference": pairs["difference"],
            "interval": [
                "" if pd.isna(low) else interval(low, high, digits)
                for low, high in zip(pairs["low"], pairs["high"], strict=True)
            ],
            "statistic": pairs["statistic"],
            "p raw": pairs["p raw"],
            "p adjusted": pairs["p adjusted"],
        }
    )
    if "p uncorrected" in pairs:
        table["p if folds were independent"] = pairs["p uncorrected"]
    table["W/T/L"] = [
        f"{wins}/{ties}/{losses}"
        for wins, ties, losses in zip(pairs["wins"], pairs["ties"], pairs["losses"], strict=True)
    ]
    table["verdict"] = ["better" if done else "not separated" for done in pairs["separated"]]
    show.table(
        table.set_index(["better", "other"]),
        title=count(len(table), "pair"),
        name="fold_pairs",
        formats={
            "difference": partial(number, digits=digits),
            "statistic": number,
            **{name: write_p for name in table if name.startswith("p ")},
        },
        caption=f"All pairs on {analysis.dataset} by {analysis.settings.measure}: difference of "
        "means with interval, p-values, folds won/tied/lost.",
    )


def assumption_figures(analysis: FoldsAnalysis, all_algorithms) -> None:
    """Draw the residuals against normal ones and by algorithm, with the checks in words."""
    st.markdown("\n".join(f"- {show.escape(line)}" for line in _check_lines(analysis)))
    try:
        points = normal_qq(analysis.matrix)
    except FoldwiseError as error:
        st.caption(show.escape(error))
        return
    labels = [
        f"{name}, {fold}"
        for fold, name in zip(
            fold_labels(points.droplevel(-1)).index, points.index.get_level_values(-1), strict=True
        )
    ]
    points = points.set_axis(pd.Index(labels, name="residual"))
    left, right = st.columns(2)
    with left:
        _qq_figure(analysis, points)
    with right:
        _spread_figure(analysis, all_algorithms)


def _spread_figure(analysis: FoldsAnalysis, all_algorithms) -> None:
    residuals = fold_labels(analysis.anova.residuals)
    about = {"measure": f"residual of {analysis.settings.measure}", "higher_is_better": None}
    palette = _palette(all_algorithms, ())
    shown = residuals[list(analysis.means.index)[:8]]
    show.figure(
        "Spread by algorithm",
        lambda style: bricks(shown, **about, style=style, form="rows", colours=palette),
        name=f"residuals_{analysis.dataset}_{analysis.settings.measure}",
        how_to_read="Each brick is a result less what its algorithm and its fold explain. Look for "
        "algorithms whose bricks spread much wider than others'. With few folds spreads differ by "
        "chance.",
        alt=alt_bricks(shown, **about),
        data=residuals,
        caption=lambda _: caption_bricks(shown, measure=about["measure"], form="rows"),
        width=HALF,
    )


def _qq_figure(analysis: OnFolds, points: pd.DataFrame) -> None:
    check = (
        analysis.normality
        if isinstance(analysis, FoldPairAnalysis)
        else analysis.checks["normality"]
    )
    note = (
        f"W {number(check.statistic, 3)}, {p_phrase(check.pvalue)}"
        if isinstance(check, Outcome)
        else ""
    )
    title = f"{analysis.settings.measure} on {analysis.dataset}"
    show.figure(
        "Residuals against normal ones",
        lambda style: qq({title: points}, notes={title: note}, style=style),
        name=f"qq_{analysis.dataset}_{analysis.settings.measure}",
        how_to_read=HOW_QQ,
        alt=alt_qq({title: points}),
        data=points,
        width=HALF,
    )
    if analysis.n_folds < 8:
        st.caption(f"With {count(analysis.n_folds, 'fold')} no check of normality can say much.")


def differences_qq_figure(analysis: FoldPairAnalysis) -> None:
    """Draw the differences of two algorithms against normal ones."""
    try:
        points = differences_qq(analysis.matrix[analysis.first], analysis.matrix[analysis.second])
    except FoldwiseError as error:
        st.caption(show.escape(error))
        return
    _qq_figure(analysis, fold_labels(points))


def _check_lines(analysis: FoldsAnalysis) -> list[str]:
    words = {
        "normality": "Normal residuals",
        "equal variances": "Equal variances",
        "sphericity": "All pairs vary alike (sphericity)",
    }
    lines = []
    for key, check in analysis.checks.items():
        if not isinstance(check, Outcome):
            lines.append(f"{words[key]}: not checked. {check}")
            continue
        doubt = "doubtful" if check.pvalue <= 0.05 else "nothing speaks against it"
        lines.append(
            f"{words[key]}: {doubt} ({check.method}, statistic {number(check.statistic, 3)}, "
            f"{p_phrase(check.pvalue)})."
        )
    lines.append(
        f"Independent folds: not so, training sets overlap; the factor "
        f"{number(analysis.anova.factor)} allows for that."
        if analysis.anova.factor != 1
        else "Independent folds: taken for granted here."
    )
    return lines


def notation_lines(analysis: FoldsAnalysis) -> None:
    """Name the groups in words, by both procedures where they differ."""
    groups = [group for group in analysis.groups if len(group) > 1]
    named = " ".join("{" + ", ".join(group) + "}" for group in groups[:12]) or "none"
    st.markdown(show.escape(f"Groups not separated: {named}"))
    letters = listed([f"{name} {text}" for name, text in analysis.letters.items()], 40)
    st.caption(show.escape(f"Compact letters, differ where none is shared: {letters}."))
