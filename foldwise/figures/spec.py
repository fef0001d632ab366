"""`FigureSpec`, the base class of figures with their texts and numbers, and functions that several figures share."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields, replace
from functools import partial
from inspect import Parameter, Signature, getdoc
from typing import TYPE_CHECKING, Any, ClassVar, TypedDict

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from foldwise.figures import axis_parts, text, theme, traces
from foldwise.figures.theme import Style
from stats_core.comparison.result import Comparison, PairComparison, Units, has_comparison
from stats_core.core.formatting import format_count, format_percent
from stats_core.core.messages import TextCatalog
from stats_core.core.result_types import cached
from stats_core.curves.curve_comparison import DataCurves

Colours = Mapping[str, str] | None

figure_text = TextCatalog("foldwise.figures", "texts.toml")


@dataclass(frozen=True, kw_only=True, eq=False)
class FigureSpec:
    """Specification of a figure: its numbers and options, from which it is drawn and described.

    Subclasses add their numbers and options as fields, define `draw`, and have
    the attributes `alt`, alternative text for screen readers, `data`, the table of the numbers
    drawn, and `how_to_read`, a text on the meaning of the marks and on invalid conclusions.

    Attributes
    ----------
    name : str
        Start of its file names; unique within an analysis.
    title : str
        Title: the kind of plot, or the finding.
    tested : str
        Test, level and number of results in one line, "" if nothing is tested.
    counted : str
        Number of results in words, if the caption has none otherwise.
    papers : tuple of str
        Keys of publications on the methods drawn, if no methods paragraph cites them.
    colours : mapping of str to str, optional
        Colour per algorithm, of its marks and its name; mid-grey counts as no colour.
    text_below : str
        Caption of a figure without one of its own, or text that a caption inserts.
    zoom : {"", "x", "y", "xy"}
        The axes that zoom on the screen.
    """

    if TYPE_CHECKING:  # fields, or cached properties, of each subclass

        @property
        def alt(self) -> str: ...  # noqa: D102 - the class documents its fields
        @property
        def data(self) -> pd.DataFrame: ...  # noqa: D102 - the class documents its fields

    zoom: ClassVar[str] = ""
    name: str = ""
    title: str = ""
    tested: str = ""
    counted: str = ""
    papers: tuple[str, ...] = ()
    colours: Colours = None
    text_below: str = ""

    @cached
    def figure(self, style: Style) -> go.Figure:
        """Return the Plotly figure as displayed, with selection and zoom where the style has them.

        The figure is cached: copy it before changing it.
        """
        shown = self.as_shown(style)
        hues = theme.colours_on_page(self.colours, style)
        shown = shown if hues == shown.colours else replace(shown, colours=hues)
        fig = shown.draw(style)
        if hues and style.colour:
            traces.connect_names(fig, hues, style)
        if self.zoom and not style.printed:
            axis_parts.enable_zoom(fig, self.zoom)
        return fig

    def draw(self, style: Style) -> go.Figure:
        """Return the Plotly figure without zoom; subclasses define this."""
        raise NotImplementedError

    def as_shown(self, style: Style) -> "FigureSpec":
        """Return the figure to draw, without selection where the style has none."""
        return self if style.selects else self.without_selection()

    def without_selection(self) -> "FigureSpec":
        """Return the figure without emphasis on selected items."""
        return replace(self, selected=()) if getattr(self, "selected", ()) else self  # type: ignore[call-arg] # a field of some subclasses

    def caption(self, style: Style) -> str:
        """Return the caption: `text_below`, unless a subclass defines another."""
        return self.text_below

    def describe(self, key: str, **values: Any) -> str:
        """Return a text of the catalog, with the attributes of the figure on one line and other values inserted."""
        fields = {
            name: text.plain_text(each) if isinstance(each, str) else each
            for name, each in vars(self).items()
        }
        return figure_text(key, **{**fields, **values})

    def has_data(self) -> bool:
        """Return whether the figure has a table of numbers."""
        return len(self.data) > 0

    def numbers(self) -> pd.DataFrame:
        """Return all numbers of the figure, including those not drawn."""
        return self.data

    def fixed(self) -> "FigureSpec":
        """Return the figure without its slider, for pages that replace the slider by a widget."""
        return self

    @cached
    def on_page(self) -> "FigureSpec":
        """Return the figure without a slider of its own, cached with this one."""
        return self.fixed()

    def form_in(self, style: Style) -> str:
        """Return the form of the figure in a style, "diagram" or "list"; "" if it has one form only.

        A figure with two forms has the field `form`.
        """
        return ""

    @cached
    def with_form(self, form: str) -> "FigureSpec":
        """Return the figure in a form, cached with this one."""
        return replace(self, form=form)  # type: ignore[call-arg] # a field of subclasses with two forms

    @cached
    def in_colours(self, colours: Colours) -> "FigureSpec":
        """Return the figure in the given colours unless it has colours, cached with this one."""
        return (
            self if self.colours is not None or colours is None else replace(self, colours=colours)
        )

    def with_selected(self, algorithms: tuple[str, ...]) -> "FigureSpec":
        """Return the figure with selected algorithms if a field has them that pages do not set."""
        return self


def drawing_function(
    spec: type[FigureSpec],
    name: str,
    find: Callable[[Any, type[FigureSpec], str], FigureSpec] | None = None,
) -> Callable[..., go.Figure]:
    """Return the public function `foldwise.name`, which draws a figure of numbers.

    With `find`, it also takes a comparison, and draws the figure of this kind that `find` returns.
    """
    required = [
        each.name
        for each in fields(spec)
        if each.default is MISSING and each.default_factory is MISSING
    ]

    def draw(*values: Any, style: Style | None = None, **options: Any) -> go.Figure:
        if find is not None and len(values) == 1 and has_comparison(values[0]):
            figure = replace(find(values[0], spec, name), **options)
        else:
            figure = spec(**dict(zip(required[: len(values)], values, strict=True)), **options)
        return figure.draw(style or theme.screen())

    positional = [Parameter(each, Parameter.POSITIONAL_OR_KEYWORD) for each in required]
    style = Parameter("style", Parameter.KEYWORD_ONLY, default=None, annotation=Style | None)
    options = Parameter("options", Parameter.VAR_KEYWORD)
    signature = Signature([*positional, style, options])
    classes = [each for each in spec.__mro__ if each not in (FigureSpec, object)]
    about = "\n\n".join(getdoc(each) or "" for each in classes)
    also = "" if find is None else " (or a comparison is the only one)"
    styles = "and `style` is `screen()` or `paper()` of `foldwise.plot`."
    draw.__doc__ = f"{about}\n\nThe attributes are the arguments{also}, {styles}"
    draw.__name__ = draw.__qualname__ = name
    draw.__module__ = "foldwise.plot"
    vars(draw).update(kind=spec, __signature__=signature)
    return draw


def cached_figure(
    function: Callable[..., Any] | None = None, *, at_every_level: bool = False
) -> Callable[..., Any]:
    """Return a drawing function with a cache per analysis; with `at_every_level`, all significance levels share it."""
    if function is None:
        return partial(cached_figure, at_every_level=at_every_level)
    drawing = cached(function, across_alpha=at_every_level)
    vars(drawing).update(at_every_level=at_every_level)
    return drawing


def thinned(n: int, noun: str, n_series: int = 1) -> str:
    """Return the sentences, after a space, on `n` marks of which only some are drawn; "" if all are drawn."""
    most = traces.most_marks(n_series)
    return "" if n <= most else " " + figure_text("spec.thinned", drawn=most, n=n, noun=noun)


MOST_NAMES = 60  # largest number of algorithms in a matrix or a heat map


def fold_labels(table: pd.DataFrame | pd.Series) -> pd.DataFrame | pd.Series:
    """Return a table with folds labelled by `fold_names`, such as "7", or "2.7" in repetition 2."""
    names = fold_names(table.index.to_frame(index=False))
    return table.set_axis(pd.Index(names, name="fold"))


def fold_names(folds: pd.DataFrame) -> list[str]:
    """Return fold labels: "7", "2.7" if there are several repetitions, or the repetition if each has one fold."""
    names = folds["fold"].astype(str)
    if folds["repetition"].nunique() < 2:
        return names.to_numpy(dtype=object).tolist()  # ten times as fast as iterating
    if folds["fold"].nunique() < 2:  # runs differ in the repetition only
        return list(folds["repetition"].astype(str))
    return list(folds["repetition"].astype(str) + "." + names)


class PairFields(TypedDict):
    """The fields common to figures of two algorithms."""

    first: str
    second: str
    measure: str
    higher_is_better: bool
    region: float | None


def pair_fields(analysis: PairComparison) -> PairFields:
    """Return the fields common to figures of two algorithms."""
    return {
        "first": analysis.first,
        "second": analysis.second,
        "measure": analysis.measure_name,
        "higher_is_better": analysis.higher_is_better,
        "region": analysis.settings.margin,
    }


def coverage_text(analysis: Comparison) -> str:
    """Return the coverage of intervals as text, such as "95%"."""
    return format_percent(1 - analysis.settings.alpha)


def colors_of(
    colours: Colours, algorithms: Sequence[str], highlight: Collection[str], style: Style
) -> dict[str, str]:
    """Return the colour of each algorithm: `colours` if given, else by position in `algorithms`."""
    if colours is not None:
        return dict(colours)
    return theme.colours(list(algorithms), highlight, dark=style.dark)


def tested_line(analysis: Comparison) -> str:
    """Return test, level and sample size as one line for a figure.

    For example "Wilcoxon signed-rank tests with Holm adjustment, alpha = 0.05, 38 data sets".
    """
    test = analysis.test_name.replace(f" over {analysis.counted}", "")
    units = _units_in(analysis, analysis.tested_units)
    return f"{test}, \u03b1 = {analysis.settings.alpha:g}, {units}"


def counted_in(analysis: Comparison) -> str:
    """Return the sample size as text, such as "10 folds of zoo", "38 data sets" or "40 instances of d in 5 runs"."""
    return _units_in(analysis, analysis.counted)


def _units_in(analysis: Comparison, units: Units) -> str:
    """Return a number of units with their data set and runs."""
    on_one, runs = getattr(analysis, "dataset", ""), getattr(analysis, "n_trainings", 0)
    counted = f"{units} of {analysis.dataset_label}" if on_one else str(units)
    return f"{counted} in {format_count(runs, 'run')}" if runs > 1 else counted


def aligned(table: pd.DataFrame, names: Sequence[str]) -> np.ndarray:
    """Return a table's values with rows and columns in the order of names."""
    rows, columns = ([str(label) for label in axis] for axis in table.axes)
    row_of = {label: index for index, label in enumerate(rows)}
    column_of = {label: index for index, label in enumerate(columns)}
    picked = np.ix_([row_of[name] for name in names], [column_of[name] for name in names])
    return table.to_numpy()[picked]


def size_of_test_set(data: DataCurves) -> str:
    """Return the size of a single test set, such as "500 instances, 197 positive"; "" with several folds."""
    if len(data.folds) > 1:
        return ""
    positive = int(data.positives[0])
    return f"{format_count(positive + int(data.negatives[0]), 'instance')}, {positive:,} positive"


def alt_head(kind: str, count: int, measure: str, over: str) -> str:
    """Return the start of an alternative text: figure, measure, numbers of algorithms and units."""
    of = f" of {measure}" if measure else ""
    return f"{kind}{of} for {count} algorithms" + (f" on {over}" if over else "")
