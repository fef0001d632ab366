"""What the pages about one data set share: folds, their names and colours."""

from functools import partial

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from figures.bricks import alt_bricks, bricks, caption_bricks, form_of
from figures.theme import Style, colours, screen
from stats_core.analyse import Analysis, FoldPairAnalysis, OnFolds
from stats_core.wording import number, score_digits
from ui import show, state

HALF = 482  # px of one of two columns
HOW_BRICKS = (
    "Each brick is one fold, in bins that all algorithms share; the tick below it is its exact "
    "value, the triangle the mean. Look for how far the piles stand apart compared with their "
    "spread. Piles that overlap can still differ fold by fold, so do not judge by overlap."
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


def flat(customdata) -> list[str]:
    """Return the names a mark carries: one name, or a list of them."""
    if isinstance(customdata, str):
        return [customdata]
    return [name for item in customdata for name in flat(item)]


def palette(all_algorithms, highlight: tuple[str, ...]) -> dict[str, str]:
    """Give algorithms the colour they have on every page: by family, or by their place."""
    families = {n: f for n, f in state.families().items() if n in set(all_algorithms)}
    return colours(list(all_algorithms), highlight, dark=show.is_dark(), families=families or None)


def level(analysis: Analysis) -> str:
    """Return the coverage of intervals, for example "95 %"."""
    return f"{100 * (1 - analysis.settings.alpha):g} %"


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
    hues = palette(all_algorithms, highlight)
    chosen = state.selection()
    if chosen.get("kind") in ("group", "algorithm"):  # the others step back
        faint = screen(dark=show.is_dark()).hairline
        hues |= {name: faint for name in names if name not in chosen["ids"]}

    def build(style: Style) -> go.Figure:
        return bricks(
            values,
            **about,
            style=style,
            form=form,
            colours=hues,
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


def plain_bricks(
    values: pd.DataFrame, hues: dict[str, str], *, measure: str, name: str, title: str
) -> None:
    """Draw any values of the folds as bricks, without a direction."""
    shown = values[values.mean().sort_values(kind="stable").index[:8]]
    about = {"measure": measure, "higher_is_better": None}
    show.figure(
        title,
        lambda style: bricks(shown, **about, style=style, form="rows", colours=hues),
        name=name,
        how_to_read=HOW_BRICKS,
        alt=alt_bricks(shown, **about),
        data=values,
        caption=lambda _: caption_bricks(shown, measure=measure, form="rows"),
    )
