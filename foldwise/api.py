"""`compare`: from a data frame, an array, a dict or a file to a comparison that shows itself in a notebook."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from foldwise.cross_validation import results_of_reports
from stats_core.comparison.analyse import analyse
from stats_core.comparison.kinds.benchmarks import BenchmarksComparison
from stats_core.comparison.result import Comparison
from stats_core.core.errors import MissingCells, SettingError
from stats_core.core.formatting import format_set
from stats_core.core.messages import Message, TextCatalog
from stats_core.core.result_types import cached
from stats_core.core.validation import check_kind
from stats_core.data.results import Results
from stats_core.data.settings import Settings, results_and_settings
from stats_core.inference.multiplicity.cliques import compact_letters
from stats_core.io.frames import flattened
from stats_core.io.mapping import NUMBERED
from stats_core.io.mapping import Mapping as ColumnMapping
from stats_core.io.read import explain, read_results
from stats_core.io.text_table import is_in_memory
from stats_core.io.vocabulary import direction_of
from stats_core.report import latex_report, text_report, verdict
from stats_core.report.arguments import Arguments, missing_refused, takes

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from foldwise.figures.spec import FigureSpec
    from foldwise.figures.theme import Style

    NamedFigures = list[tuple[str, FigureSpec]]

_PAIRS = {
    "low": "ci_low",
    "high": "ci_high",
    "interval": "ci_guarantee",
    "p adjusted": "p_adjusted",
    "separated": "significant",
}
_UNNAMED_DATA_SET = "data set named after file"  # a note on a name that data in memory lack
_api_text = TextCatalog("foldwise", "api.toml")


@takes(Arguments)
def compare(data: Any, arguments: Arguments) -> "ComparisonDisplay":
    """Compare algorithms by the tests that fit the data.

    Parameters
    ----------
    data : data frame, dict, array, report of skore, path, list of paths, Results, or comparison
        A data frame of pandas, polars or pyarrow with one row per result, or one column per
        algorithm. A dict of lists, `cv_results_`, or the result of `cross_validate` for each
        algorithm, also for each data set: ``{"iris": {"svm": cv, "rf": cv}, ...}``. Reports of
        skore, also in a dict by data set. A 2-D array with `algorithms`. Files as in
        `read_results`. A comparison is made again, with its settings unless arguments replace them.

    Returns
    -------
    ComparisonDisplay
        Shows itself in a notebook, and has the verdict, tables, figures and reports.

    Raises
    ------
    FoldwiseError
        The data cannot be read without another argument, which the message names; a result is
        missing; an argument is invalid.

    Examples
    --------
    >>> import pandas as pd
    >>> accuracy = pd.DataFrame({"rf": [0.91, 0.84, 0.78, 0.95, 0.7, 0.88], "svm": [0.9, 0.8, 0.76, 0.91, 0.69, 0.83]},
    ...                         index=["iris", "wine", "glass", "zoo", "sonar", "heart"])
    >>> comparison = compare(accuracy, measure="accuracy")
    >>> print(comparison)
    rf is significantly better than svm in accuracy over 6 data sets.
    Wilcoxon signed-rank test over 6 data sets, α = 0.05.
    Groups without significant differences: {rf}, {svm}.
    >>> compare(comparison, source="sign").pairs["p"].tolist()
    [0.03125]
    """
    own = None
    if not isinstance(data, Results) and isinstance(getattr(data, "settings", None), Settings):
        data, own = results_and_settings(data)
    settings = arguments.requested_settings(own)
    results, settings = arguments.complete(_results(data, arguments), settings)
    try:
        comparison = analyse(results, settings)
    except MissingCells as error:
        raise missing_refused(error) from None
    return ComparisonDisplay(comparison=comparison, results=results, settings=settings)


def _results(data: Any, arguments: Arguments) -> Results:
    """Return the results in the data; raise an error that names the missing argument."""
    results = data if isinstance(data, Results) else results_of_reports(data)
    if results is not None:
        arguments.refuse("unused", "rows", "cluster", "roles", "encoding", "algorithms", "mapping")
        return results
    roles = arguments.requested_mapping().roles
    data = flattened(data, str(arguments.measure or ""), roles)
    sources = _sources(data, arguments.algorithms)
    name = str(data.columns.name or "") if isinstance(data, pd.DataFrame) else ""
    is_measure = bool(name) and (arguments.higher_is_better is not None or direction_of(name))
    return arguments.read(
        lambda mapping: read_results(*sources, mapping=_with_row_names(sources, mapping)),
        name if is_measure else None,
    )


def _with_row_names(sources: Sequence[Any], mapping: ColumnMapping) -> ColumnMapping:
    """Return the mapping for which the names of the rows of a wide table are names of what `rows` says."""
    match = explain(sources[0], mapping) if mapping.rows and len(sources) == 1 else None
    wide = (
        []
        if match is None
        else [each for each in (match.taken, *match.near) if each.layout.startswith("wide")]
    )
    names = (
        [column for column, role in wide[0].roles.items() if role in NUMBERED.values()]
        if wide
        else []
    )
    if match is None or len(names) != 1:
        return mapping
    role = NUMBERED[mapping.rows]
    if role == "instance" and not match.table.frame[names[0]].is_unique:
        return mapping  # data sets of several instances each
    shared = {} if match.taken is wide[0] else wide[0].roles  # all roles settle which layout it is
    return replace(mapping, roles={**shared, **mapping.roles, names[0]: role})


def _rereadable(source: Any) -> Any:
    """Return an open file as its name and content, because it may be read more than once."""
    if not hasattr(source, "read"):
        return source
    content = source.read()
    name = str(getattr(source, "name", "results"))
    return name, content.encode() if isinstance(content, str) else content


def _sources(data: Any, algorithms: Sequence[str] | None) -> list[Any]:
    """Return the data as sources of `read_results`; raise SettingError unless `algorithms` fit."""
    if not hasattr(data, "shape") or is_in_memory(data):
        if algorithms is not None:
            raise SettingError(_api_text("errors.algorithms", kind=type(data).__name__))
        named = (
            isinstance(data, tuple) and len(data) == 2 and not isinstance(data[1], str | PathLike)
        )
        several = isinstance(data, list | tuple) and data and not named and not is_in_memory(data)
        return [_rereadable(source) for source in (data if several else [data])]
    if algorithms is None:
        raise SettingError(_api_text("errors.array"))
    names, shape = [str(name) for name in algorithms], tuple(data.shape)
    if len(shape) != 2 or shape[1] != len(names):
        raise SettingError(_api_text("errors.array_shape", n=len(names), shape=shape))
    return [pd.DataFrame(data, columns=names)]


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class ComparisonDisplay:
    """A comparison that shows itself: verdict, tables, figures and reports.

    Attributes
    ----------
    comparison : Comparison
        The comparison, as from `analyse`.
    results : Results
        The results as read, with all algorithms.
    settings : Settings
        The settings as passed; `analyse(results, settings)` returns the comparison again.

    Notes
    -----
    Every function of Foldwise that takes a comparison takes this object. So does every function
    that takes results and settings: it uses these, unless other settings are passed.

    Examples
    --------
    >>> shown = compare({"rf": {"test_r2": [0.9, 0.8, 0.7]}, "svm": {"test_r2": [0.8, 0.6, 0.4]}})
    >>> shown.pairs[["first", "second", "p_adjusted"]].round(3).values.tolist()
    [['rf', 'svm', 0.16]]
    >>> shown.plot.names
    ['intervals', 'folds', 'raincloud', 'paired', 'qq']
    """

    comparison: Comparison
    results: Results
    settings: Settings

    def __repr__(self) -> str:
        """Return three lines (headline, and if anything was tested, tests and groups) and the notes on the file."""
        notes = [_api_text("display.note", note=note) for note in self._file_notes]
        return "\n".join([str(self.verdict), *self._lines_of_tests(), *notes])

    def _lines_of_tests(self) -> list[str]:
        """Return the lines on tests and groups; [] if nothing was tested."""
        c = self.comparison
        if c.obstacle:
            return []
        tests = _api_text(
            "display.tests", test=c.test_name, alpha=c.settings.alpha, over=c.tested_units
        )
        groups = _api_text("display.groups", groups=[format_set(group) for group in self.groups])
        return [tests, groups]

    def _repr_html_(self) -> str:
        """Return the verdict and the first figure as HTML, on white so that it is legible in dark notebooks."""
        specs: list[Any] = self.plot.specs()
        words = self.verdict
        figure = alt = ""
        if specs:
            from foldwise.plot import paper

            drawn = _svg(specs[0], paper(7, serif=False, colour=True, points=9))
            figure, alt = drawn[drawn.index("<svg") :], escape(specs[0].alt)
        notes = [escape(str(note)) for note in words.notes]
        headline, detail = escape(words.headline), escape(words.detail)
        return _api_text(
            "display.html", headline=headline, detail=detail, notes=notes, figure=figure, alt=alt
        )

    @property
    def verdict(self) -> verdict.Verdict:
        """The verdict: `headline`, `detail` and `notes`, also those on the file, as text."""
        words = verdict.verdict(self.comparison)
        return replace(words, notes=tuple(dict.fromkeys([*words.notes, *self._file_notes])))

    @property
    def _file_notes(self) -> tuple[Message, ...]:
        """The notes on how the data were read."""
        return tuple(note for note in self.results.notes if note.code != _UNNAMED_DATA_SET)

    @property
    def pairs(self) -> pd.DataFrame:
        """One row per comparison, smallest adjusted p first, with estimate, interval, p-values and significance."""
        return self.comparison.pairs.to_frame().rename(columns=_PAIRS)

    @property
    def ranks(self) -> pd.Series | None:
        """The average rank of each algorithm, best first; None if no ranks are compared."""
        test = self.comparison.rank_test
        return None if test is None else test.average_ranks.sort_values(kind="stable")

    @property
    def groups(self) -> tuple[tuple[str, ...], ...]:
        """The maximal groups without a significant difference; () unless all pairs are compared."""
        return self.comparison.groups

    @property
    def plot(self) -> "ComparisonPlots":
        """The figures: `plot()` draws the first one, and `plot.cd()`, `plot.pairs()` and so on draw a named one."""
        return ComparisonPlots(self)

    def summary(self) -> str:
        """Return what was compared, the verdict with its notes, and the table of algorithms, as text."""
        line = text_report.comparison_line(self.comparison)
        return f"{line}\n{self.verdict.sentences}\n\n{self.to_frame().to_string()}"

    def to_frame(self) -> pd.DataFrame:
        """Return one row per algorithm, best first: average rank, mean, and letters of the groups, as far as defined."""
        c = self.comparison
        columns = {} if self.ranks is None else {"average rank": self.ranks}
        if len(c.scores) and not c.shape.published:
            means = c.values if isinstance(c, BenchmarksComparison) else c.scores.mean()
            columns[f"mean {c.measure_name}"] = means
        if self.groups:
            columns["groups"] = compact_letters(self.groups)
        return pd.DataFrame(columns, index=pd.Index(c.order, name="algorithm"))

    def to_latex(self) -> str:
        """Return the section of a paper with result, methods, and tables of algorithms and pairs, as LaTeX."""
        return latex_report.to_latex(self.comparison).results

    def save(
        self, path: str | PathLike[str], figure: str = "", *, width: float = 3.5, dpi: int = 300
    ) -> Path:
        """Write a figure as PDF, SVG, PNG, TikZ or HTML, by the ending of the path, and return the path.

        Parameters
        ----------
        path : path
            Ends in .pdf, .svg, .png, .tex or .html. A name such as "pairs.pdf" chooses the figure,
            too.
        figure : str
            One of `plot.names`; by default the one that the file is named after, else the first.
        width : float
            Width in inches, such as 3.5 for one column or 7 for two.
        dpi : int
            Resolution of a PNG.

        Returns
        -------
        Path
            The file.

        Raises
        ------
        SettingError
            Unknown ending or figure; the file cannot be written.

        Examples
        --------
        >>> import tempfile
        >>> shown = compare({"rf": {"test_r2": [0.9, 0.8, 0.7]}, "svm": {"test_r2": [0.8, 0.6, 0.4]}})
        >>> shown.save(tempfile.mkdtemp() + "/intervals.pdf").name
        'intervals.pdf'
        """
        from foldwise.rendering import figure_files

        path = Path(path)
        if path.suffix not in figure_files.FORMAT_OF:
            raise SettingError(
                _api_text("errors.ending", path=str(path), known=list(figure_files.FORMAT_OF))
            )
        check_kind(figure, str, "figure", _api_text("display.names"))
        spec = self.plot.spec(figure or (path.stem if path.stem in _plot_names() else ""))
        panel = figure_files.StylePanel(width_in=width)
        _write(
            {
                path: figure_files.figure_file(
                    spec, panel, figure_files.FORMAT_OF[path.suffix], dpi=dpi
                )
            }
        )
        return path

    def report(self, folder: str | PathLike[str]) -> Path:
        """Write a report into a folder, as HTML and LaTeX with figures, tables and JSON, and return the HTML file."""
        from foldwise.rendering import report_files
        from foldwise.rendering.figure_files import StylePanel

        specs, page = self.plot.specs(curves=True), Path(folder) / "report.html"
        files = report_files.latex_files(self.comparison, StylePanel(), specs)
        files[page.name] = report_files.html_report(self.comparison, specs).encode()
        _write({Path(folder) / name: content for name, content in files.items()})
        return page


def _write(files: Mapping[Path, bytes]) -> None:
    """Write files, with their folders; raise SettingError if one cannot be written."""
    for path, content in files.items():
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        except OSError as error:
            raise SettingError(
                _api_text("errors.not_written", path=path, reason=error.strerror or error)
            ) from None


def _svg(spec: "FigureSpec", style: "Style") -> str:
    """Return a figure as an <svg> element that fits the page, without the fonts, which other figures would replace."""
    from foldwise.rendering import from_plotly

    drawn = from_plotly.export(spec.figure(style), "svg").decode()
    drawn = re.sub(
        r"<metadata>.*?</metadata>|<style>@font-face.*?</style>", "", drawn, flags=re.DOTALL
    )
    return drawn[drawn.index("<svg") :].replace(
        "<svg ", '<svg style="max-width: 100%; height: auto" ', 1
    )


@dataclass(frozen=True)
class ComparisonPlots:
    """Figures of a comparison as Plotly figures, for light pages or with `dark=True` for dark ones.

    Each method raises SettingError if the comparison has no such figure.

    Attributes
    ----------
    display : ComparisonDisplay
        The comparison.
    """

    display: ComparisonDisplay

    def specs(self, *, curves: bool = False) -> "list[FigureSpec]":
        """Return the specifications of the figures, main one first; those of scores and thresholds only with `curves`."""
        return [spec for _, spec in _figures(self.display, curves=curves)]

    @property
    def names(self) -> list[str]:
        """Names of the figures that this comparison has; each is a method."""
        drawn = dict.fromkeys(name for name, _ in _figures(self.display, curves=True))
        return [name for name in drawn if name in _plot_names()]

    def spec(self, name: str = "") -> "FigureSpec":
        """Return the specification of a figure, of the first one by default; raise SettingError if there is none."""
        check_kind(name, str, "figure", _api_text("display.names"))
        for curves in (False, True):
            for each, spec in _figures(self.display, curves=curves):
                if each == name or not name:
                    return spec
        if not self.names:
            raise SettingError(_api_text("errors.no_figure"))
        raise SettingError(_api_text("errors.no_such_figure", name=name, known=self.names))

    def __call__(self, name: str = "", *, dark: bool = False, width: int = 980) -> "go.Figure":
        """Return a figure by name, by default the first of `names`."""
        import plotly.graph_objects as go

        from foldwise.plot import screen

        return go.Figure(self.spec(name).figure(screen(dark, width)))

    def cd(self, **style: Any) -> "go.Figure":
        """Return the critical-difference diagram: average ranks, with a bar over each group without significant differences."""
        return self("cd", **style)

    def order(self, **style: Any) -> "go.Figure":
        """Return the means in order, with a line under each group without significant differences."""
        return self("order", **style)

    def best(self, **style: Any) -> "go.Figure":
        """Return the differences from the best algorithm with their intervals."""
        return self("best", **style)

    def pairs(self, **style: Any) -> "go.Figure":
        """Return the matrix of all pairs: differences and adjusted p-values."""
        return self("pairs", **style)

    def intervals(self, **style: Any) -> "go.Figure":
        """Return the differences of pairs, or of two algorithms on each data set, with intervals."""
        return self("intervals", **style)

    def rank_map(self, **style: Any) -> "go.Figure":
        """Return the rank of each algorithm on each data set."""
        return self("rank_map", **style)

    def rank_intervals(self, **style: Any) -> "go.Figure":
        """Return confidence intervals for the ranks of algorithms on items."""
        return self("rank_intervals", **style)

    def scatter(self, **style: Any) -> "go.Figure":
        """Return the results of two algorithms against each other, one point per data set."""
        return self("scatter", **style)

    def folds(self, **style: Any) -> "go.Figure":
        """Return histograms of the results per fold."""
        return self("folds", **style)

    def raincloud(self, **style: Any) -> "go.Figure":
        """Return the results per fold as densities, points and quartiles."""
        return self("raincloud", **style)

    def paired(self, **style: Any) -> "go.Figure":
        """Return the results of two algorithms, joined by fold."""
        return self("paired", **style)

    def qq(self, **style: Any) -> "go.Figure":
        """Return the normal quantile plot of the residuals."""
        return self("qq", **style)

    def agreement(self, **style: Any) -> "go.Figure":
        """Return the tables of instances on which two algorithms are right or wrong."""
        return self("agreement", **style)

    def wins(self, **style: Any) -> "go.Figure":
        """Return the wins of pairs over data sets."""
        return self("wins", **style)

    def decisions(self, **style: Any) -> "go.Figure":
        """Return published decisions as a graph."""
        return self("decisions", **style)

    def roc(self, **style: Any) -> "go.Figure":
        """Return the ROC curves."""
        return self("roc", **style)

    def pr(self, **style: Any) -> "go.Figure":
        """Return the precision-recall curves."""
        return self("pr", **style)

    def auc(self, **style: Any) -> "go.Figure":
        """Return the areas under the ROC curves with intervals."""
        return self("auc", **style)

    def risks(self, **style: Any) -> "go.Figure":
        """Return the differences in expected cost by threshold."""
        return self("risks", **style)

    def calibration(self, **style: Any) -> "go.Figure":
        """Return the reliability diagram."""
        return self("calibration", **style)

    def thresholds(self, **style: Any) -> "go.Figure":
        """Return the winner at each threshold."""
        return self("thresholds", **style)

    def costs(self, **style: Any) -> "go.Figure":
        """Return the cost curves."""
        return self("costs", **style)

    def confusion(self, **style: Any) -> "go.Figure":
        """Return the confusion matrices."""
        return self("confusion", **style)


@cached
def _figures(display: ComparisonDisplay, curves: bool) -> "NamedFigures":
    """Return the figures of a comparison with their names; those of scores only with `curves`."""
    from foldwise.figures import registry

    results = display.results if curves else None
    return [*registry.named_drawings(registry.to_show(display.comparison, results=results))]


def _plot_names() -> tuple[str, ...]:
    """Return the names of all figures that `ComparisonPlots` draws."""
    from foldwise.figures import registry
    from stats_core.report.entry import Place

    return registry.names_in(Place.PLOT)
