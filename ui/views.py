"""Analyses as figures and tables; what Overview and Many data sets share."""

from collections.abc import Callable
from functools import partial

import pandas as pd
import plotly.graph_objects as go
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from figures import cd_diagram as cd
from figures.differences import alt_differences, differences
from figures.pair_matrix import alt_matrix, pair_matrix
from figures.rank_map import alt_rank_map, rank_map
from figures.scatter import alt_scatter, scatter
from figures.theme import Style
from stats_core.analyse import Analysis, ControlAnalysis, RanksAnalysis, Settings, TwoAnalysis
from stats_core.errors import FoldwiseError
from stats_core.findings import Finding
from stats_core.similar_sets import SimilarSets, similar_sets
from stats_core.wording import count, interval, number, p_text, score_digits
from ui import cached, inputs, show, state
from ui.fold_views import flat, palette
from ui.state import Context

HOW_CD = (
    "Each stem is an algorithm at its average rank over the data sets; 1 is best. A bar joins "
    "algorithms the data do not separate: look for stems that share no bar, those differ. "
    "Sharing a bar does not mean being equal, and a dotted stretch passes algorithms that are "
    "not in the group."
)
HOW_DIFFERENCES = (
    "Each dot is the difference of the two averages on one data set, sorted. Look at how many "
    "lie on each side of the zero line and how far. The dots say nothing about the spread of "
    "folds within a data set."
)
HOW_FOLD_DIFFERENCES = (
    "Each dot is the difference of the two averages on one data set, sorted; its bar holds what "
    "the folds of that data set do not rule out. Look at how many bars leave out zero, and on "
    "which side. The bars are not adjusted for there being many: some leave out zero by chance."
)
HOW_SCATTER = (
    "Each dot is a data set: the first algorithm up, the second across. On the diagonal both "
    "have the same average. Look for dots far from it; a crowd near it is not evidence that the "
    "two are equal."
)
HOW_MATRIX = (
    "Above the diagonal the difference in average rank, \u25b2 where the row is better and \u25bc where "
    "the column is; below it the adjusted p-value, bold where the pair differs. Read a row from "
    "left to right. A small p is not a large difference."
)
HOW_RANKS = (
    "Each cell is the rank of an algorithm on a data set, {best} is best; similar data sets stand "
    "next to each other. Look for blocks: groups of data sets that prefer other algorithms. "
    "A single dark cell is not a finding."
)

MOST_IN_MATRIX = 60  # algorithms
TOP = ("best 60", "best 20", "all")  # what a diagram of many algorithms shows
KINDS_OF_SETS = ("none", "found", *map(str, range(2, 9)))


def choice(label: str, key: str, options: dict[str, str]) -> str:
    """Ask for one of a page's own settings, by its name; kept in the address and across pages."""
    names = {name: option for option, name in options.items()}
    chosen = st.selectbox(
        label,
        list(names),
        key=key,
        bind="query-params",
        persist_state="session",
        width=160,
    )
    return names[chosen]


def compare(context: Context, settings: Settings, card: DeltaGenerator) -> Analysis:
    """Return the analysis, or say in the card why there is none and end the page."""
    try:
        return cached.analysis(context.key, settings, context.results)
    except FoldwiseError as error:
        with card:
            show.refusal("The comparison cannot run yet.", str(error))
        st.stop()


def say(context: Context, analysis: Analysis, card: DeltaGenerator, links: dict[str, str]) -> None:
    """Draw the verdict with what explains it, what would change it and where to go on."""
    with card:
        show.verdict_card(
            cached.words(context.key, analysis.settings, analysis),
            analysis.advice,
            links,
            change=_changes(context.key, analysis),
        )


def finding_link(finding: Finding) -> None:
    """Lead to the page that shows what one measure hides."""
    where = {
        "ds": finding.dataset,
        "together": ", ".join(finding.measures),
        "measure": finding.measure,
    }
    if finding.pair:
        where |= {"who": "two", "a": finding.pair[0], "b": finding.pair[1]}
    else:
        where |= {"mtab": "Cliques"}
    st.page_link(
        "pages/multivariate.py",
        label=show.escape(finding.text),
        icon=":material/arrow_forward:",
        query_params=where,
    )


def _changes(key: str, analysis: Analysis) -> Callable[[], None] | None:
    """Return what draws the verdict under other settings; None where nothing was tested."""
    if type(analysis) is Analysis:
        return None

    def draw() -> None:
        st.dataframe(
            cached.changes(key, analysis.settings, analysis),
            hide_index=True,
            column_order=["setting", "changed", "verdict then"],
            column_config={"changed": st.column_config.CheckboxColumn("changed?")},
        )
        if isinstance(analysis, RanksAnalysis | TwoAnalysis) and _quick(analysis):
            try:
                found = cached.stability(key, analysis.settings, analysis)
            except FoldwiseError:
                pass
            else:
                st.markdown(f"**Without one data set or algorithm.** {show.escape(found.text)}")
        st.caption("Choose a setting before you look, not the one that suits; report which.")

    return draw


def _quick(analysis: Analysis) -> bool:
    """Tell whether leaving out each data set and algorithm takes about a second."""
    scores = analysis.scores
    return scores.shape[1] <= 12 and scores.size <= 1000


def _shown(analysis: RanksAnalysis) -> tuple[pd.Series, tuple[tuple[str, ...], ...]]:
    """Return the average ranks and groups to draw: the best ones of many, by choice all."""
    ranks, groups = analysis.friedman.average_ranks, analysis.groups
    if len(ranks) <= MOST_IN_MATRIX:
        return ranks, groups
    chosen = inputs.option("Shown", "top", TOP)
    if chosen == TOP[-1]:
        return ranks, groups
    best = analysis.order[: int(chosen.split()[1])]
    st.caption(f"{len(ranks)} algorithms: the diagram shows the {chosen} (all in the table).")
    cut = {tuple(name for name in group if name in set(best)) for group in groups}
    kept = [group for group in cut if not any(set(group) < set(other) for other in cut)]
    kept.sort(key=lambda group: ranks[list(group)].mean() if group else 0.0)
    return ranks[best], tuple(group for group in kept if group)


def cd_figure(analysis: RanksAnalysis, highlight: tuple[str, ...], **options) -> None:
    """Draw the critical-difference diagram; clicks select a group or an algorithm."""
    ranks, groups = _shown(analysis)
    hues = palette(analysis.results.algorithms, highlight) if state.families() else None
    ruler = None
    if analysis.critical_difference is not None:
        origin = f"Nemenyi, \u03b1 = {analysis.settings.alpha:g}"
        ruler = (analysis.critical_difference, origin)

    def build(style: Style) -> go.Figure:
        on_screen = style.kind == "screen"
        return cd.cd_diagram(
            ranks,
            groups,
            style=style,
            critical_difference=ruler,
            pvalues=analysis.adjusted,
            selected=state.selection().get("ids", ()) if on_screen else (),
            highlight=highlight,
            colours=hues,
            **options,
        )

    points = show.figure(
        f"Average ranks of {analysis.settings.measure}",
        build,
        name=f"ranks_{analysis.settings.measure}",
        how_to_read=HOW_CD,
        alt=cd.alt(
            ranks,
            groups,
            measure=analysis.settings.measure,
            over=count(analysis.friedman.n, "data set"),
        ),
        data=ranks.rename("average rank").rename_axis("algorithm").sort_values().to_frame(),
        caption=lambda style: cd.caption(ranks, groups, style=style, **options),
        select=True,
    )
    _take_click(points)


def _take_click(points: list[dict]) -> None:
    """Turn a click on a bar or a name into the page's selection, once per click."""
    picked = next((point["customdata"] for point in points if point.get("customdata")), None)
    if picked is None:
        st.session_state["_click"] = None
        return
    ids = flat(picked)
    if st.session_state.get("_click") == ids:
        return
    st.session_state["_click"] = ids
    state.select("group" if len(ids) > 1 else "algorithm", ids)
    st.rerun()


def difference_figure(key: str, analysis: TwoAnalysis) -> None:
    """Draw the sorted differences over data sets, with intervals from folds; a click opens one."""
    table = cached.datasets(key, analysis.settings, analysis)
    has_folds = bool(table["wins"].any())
    drawn = table[["difference", "low", "high", *(["wins"] if has_folds else [])]]

    def build(style: Style) -> go.Figure:
        return differences(
            drawn,
            first=analysis.first,
            second=analysis.second,
            measure=analysis.settings.measure,
            higher_is_better=analysis.higher_is_better,
            style=style,
        )

    points = show.figure(
        f"{analysis.first} against {analysis.second} by data set",
        build,
        name=f"differences_{analysis.settings.measure}",
        how_to_read=HOW_FOLD_DIFFERENCES if has_folds else HOW_DIFFERENCES,
        alt=alt_differences(
            drawn,
            first=analysis.first,
            second=analysis.second,
            measure=analysis.settings.measure,
            higher_is_better=analysis.higher_is_better,
        ),
        data=table,
        select=has_folds,
    )
    picked = next((point["customdata"] for point in points if point.get("customdata")), None)
    if picked is not None:
        inputs.offer_pair([analysis.first, analysis.second], flat(picked)[0])


def scatter_figure(analysis: TwoAnalysis) -> None:
    """Draw one algorithm against the other over data sets."""
    first, second = analysis.first, analysis.second

    def build(style: Style) -> go.Figure:
        return scatter(
            analysis.scores[first],
            analysis.scores[second],
            names=(first, second),
            measure=analysis.settings.measure,
            higher_is_better=analysis.higher_is_better,
            style=style,
        )

    show.figure(
        f"{first} over {second}",
        build,
        name=f"scatter_{analysis.settings.measure}",
        how_to_read=HOW_SCATTER,
        alt=alt_scatter(
            analysis.scores[first],
            analysis.scores[second],
            names=(first, second),
            measure=analysis.settings.measure,
            higher_is_better=analysis.higher_is_better,
        ),
        data=analysis.scores,
    )


def matrix_figure(analysis: RanksAnalysis) -> None:
    """Draw all pairs: effect above the diagonal, adjusted p below."""
    order = analysis.order[:MOST_IN_MATRIX]
    if len(order) < len(analysis.order):
        st.caption(
            f"The matrix shows the best {len(order)} of {len(analysis.order)}; the table has all."
        )
    ranks = analysis.friedman.average_ranks[order]
    adjusted, won = analysis.adjusted.loc[order, order], analysis.wins.loc[order, order]
    effects = pd.DataFrame(
        -(ranks.to_numpy()[:, None] - ranks.to_numpy()), index=ranks.index, columns=ranks.index
    )

    def build(style: Style) -> go.Figure:
        return pair_matrix(
            effects,
            adjusted,
            alpha=analysis.settings.alpha,
            style=style,
            order=order,
            wins=won,
            effect_name="difference in average rank",
        )

    show.figure(
        "All pairs at a glance",
        build,
        name=f"pairs_{analysis.settings.measure}",
        how_to_read=HOW_MATRIX,
        alt=alt_matrix(
            effects,
            adjusted,
            alpha=analysis.settings.alpha,
            order=order,
            measure=analysis.settings.measure,
            over=count(analysis.friedman.n, "data set"),
        ),
        data=analysis.pairs().set_index(["first", "second"]),
        caption=lambda _: (
            "Columns stand in the order of the rows; point at a cell for its pair."
            if len(ranks) > 30
            else ""
        ),
    )


def rank_figure(analysis: RanksAnalysis | ControlAnalysis) -> None:
    """Draw the ranks on each data set as a heat map."""
    order = analysis.order[:MOST_IN_MATRIX]
    if len(order) < len(analysis.order):
        st.caption(
            f"The map shows the best {len(order)} of {len(analysis.order)} algorithms, with their "
            "ranks among themselves."
        )
    ranks, scores = analysis.friedman.ranks[order].rank(axis=1), analysis.scores[order]
    chosen = inputs.option("Groups of similar data sets", "kinds", KINDS_OF_SETS, width=220)
    groups = {}
    if chosen != KINDS_OF_SETS[0]:
        found = _kinds(analysis.friedman.ranks, chosen)
        if found is not None:
            groups = {"groups": found.labels, "concordance": found.concordance}

    def build(style: Style) -> go.Figure:
        return rank_map(ranks, scores, style=style, **groups)

    show.figure(
        "Ranks on each data set",
        build,
        name=f"rank_map_{analysis.settings.measure}",
        how_to_read=HOW_RANKS.format(best="light" if show.is_dark() else "dark"),
        alt=alt_rank_map(ranks),
        data=ranks,
    )


def _kinds(ranks: pd.DataFrame, chosen: str) -> SimilarSets | None:
    """Find groups of data sets that rank alike, and say what was found."""
    try:
        found = similar_sets(ranks, groups=None if chosen == "found" else int(chosen))
    except FoldwiseError as error:
        st.caption(show.escape(error))
        return None
    st.markdown(f"**{show.escape(found.text)}**")
    st.caption(
        "Found by looking at these ranks, so tests within a group of them are not honest. W is "
        "Kendall's concordance within a group."
    )
    return found


def pairs_table(analysis: RanksAnalysis) -> None:
    """Show every pair with effect, interval, raw and adjusted p and win/tie/loss."""
    pairs = analysis.pairs()
    write_p = partial(p_text, alpha=analysis.settings.alpha)
    chosen = state.selection().get("ids")
    if chosen:
        pairs = pairs[_touches(pairs, chosen)]
    table = pd.DataFrame(
        {
            "better ranked": pairs["first"],
            "other": pairs["second"],
            "rank difference": pairs["difference"],
            "interval": [
                interval(low, high) for low, high in zip(pairs["low"], pairs["high"], strict=True)
            ],
            _statistic_name(analysis): pairs["statistic"],
            "p raw": pairs["p raw"],
            "p adjusted": pairs["p adjusted"],
            "W/T/L": [
                f"{wins}/{ties}/{losses}"
                for wins, ties, losses in zip(
                    pairs["wins"], pairs["ties"], pairs["losses"], strict=True
                )
            ],
            "verdict": [
                "better" if separated else "not separated" for separated in pairs["separated"]
            ],
        }
    ).set_index(["better ranked", "other"])
    show.table(
        table,
        title=count(len(table), "pair"),
        name="pairs",
        formats={
            "rank difference": number,
            _statistic_name(analysis): number,
            "p raw": write_p,
            "p adjusted": write_p,
        },
        caption=f"All pairs by {analysis.settings.measure}: difference in average rank with "
        f"simultaneous {1 - analysis.settings.alpha:.0%} interval, p-values, wins/ties/losses.",
    )
    _interval_note(analysis)


def _interval_note(analysis: RanksAnalysis) -> None:
    """Say why an interval may include zero where the procedure separates."""
    if analysis.settings.correction != "nemenyi":
        st.caption(
            "Intervals hold for all pairs at once, by the studentized range. A sharper procedure "
            "can separate a pair whose interval still includes zero."
        )


def _touches(pairs: pd.DataFrame, chosen: list[str]) -> pd.Series:
    """Tell which pairs a selection concerns: within a group, or with an algorithm."""
    first, second = pairs["first"].isin(chosen), pairs["second"].isin(chosen)
    return first & second if len(chosen) > 1 else first | second


def _statistic_name(analysis: RanksAnalysis) -> str:
    return {"ranks": "z", "wilcoxon": "rank-biserial", "sign": "wins - losses"}[
        analysis.settings.source
    ]


def scores_table(analysis: Analysis) -> None:
    """Show the averages that were compared, one row per data set, best bold in LaTeX."""
    scores = analysis.scores
    best = {
        name: tuple(row.sort_values(ascending=not analysis.higher_is_better).index[:2])
        for name, row in scores.iterrows()
    }
    write = partial(number, digits=score_digits(scores))
    show.table(
        scores,
        title=f"{analysis.measure_label} on each data set",
        name="scores",
        formats=dict.fromkeys(scores.columns, write),
        best=best,
        caption=f"Average {analysis.measure_label}; best bold, second underlined.",
    )


def differences_table(analysis: TwoAnalysis) -> None:
    """Show both averages, their difference and its rank for each data set, sorted."""
    table = analysis.differences()
    write = partial(number, digits=score_digits(analysis.scores))
    numeric = [analysis.first, analysis.second, "difference"]
    show.table(
        table,
        title="Differences, sorted",
        name="differences",
        formats={**dict.fromkeys(numeric, write), "rank of size": partial(number, digits=1)},
        caption=f"{analysis.measure_label} of {analysis.first} and {analysis.second}, their "
        "difference and the rank of its size.",
    )


def two_lines(analysis: TwoAnalysis) -> None:
    """Print W+ and W-, both tests and the effect size."""
    test, sign, alpha = analysis.wilcoxon, analysis.sign, analysis.settings.alpha
    wins, ties, losses = analysis.record(analysis.first)
    st.markdown(
        show.escape(
            f"Wilcoxon: W+ {number(test.w_plus, 1)}, W- {number(test.w_minus, 1)}, "
            f"p {p_text(test.pvalue, alpha)}; rank-biserial correlation "
            f"{number(test.rank_biserial)}. Sign test: {analysis.first} wins {wins}, ties {ties}, "
            f"loses {losses}, p {p_text(sign.pvalue, alpha)}."
        )
    )
    st.caption(show.escape(f"{test.method}; {sign.method}."))


def omnibus_lines(analysis: RanksAnalysis | ControlAnalysis) -> None:
    """Name the groups and print Friedman and Iman-Davenport, corrected and as printed in papers."""
    if isinstance(analysis, RanksAnalysis):
        real = [group for group in analysis.groups if len(group) > 1]
        groups = " ".join("{" + ", ".join(group) + "}" for group in real[:12])
        more = f" and {len(real) - 12} more" if len(real) > 12 else ""
        st.markdown(show.escape(f"Groups not separated: {groups or 'none'}{more}"))
    alpha = analysis.settings.alpha
    f, i = analysis.friedman, analysis.omnibus
    df = ", ".join(f"{value:g}" for value in i.df)
    st.markdown(
        show.escape(
            f"Friedman {number(f.statistic, 3)} ({f.df[0]:g}), p {p_text(f.pvalue, alpha)}. "
            f"Iman-Davenport F({df}) = {number(i.statistic, 3)}, p {p_text(i.pvalue, alpha)}. "
            f"Kendall's W {number(f.kendall_w)}."
        )
    )
    st.caption(
        show.escape(
            f"Corrected for ties; without the correction, as most papers print them: Friedman "
            f"{number(f.uncorrected_statistic, 3)}, Iman-Davenport "
            f"{number(i.uncorrected_statistic, 3)}."
        )
    )
