"""Keyword arguments that `compare` and `gate` share; options of the command are named alike."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from difflib import get_close_matches
from functools import wraps
from inspect import Parameter, Signature, getdoc, signature
from numbers import Real
from typing import Any, Concatenate, Literal, ParamSpec, Protocol, TypeVar, get_args, overload

import numpy as np

from stats_core.core.errors import (
    DataError,
    DesignError,
    FoldwiseError,
    MissingCells,
    NeedsMapping,
    SettingError,
)
from stats_core.core.formatting import measure_name
from stats_core.core.messages import TextCatalog
from stats_core.core.validation import check_kind, check_margin, check_one_of
from stats_core.data.missing import Missing
from stats_core.data.results import Results
from stats_core.data.settings import Correction, Settings, Source
from stats_core.inference.methods import RequestedTest
from stats_core.io.mapping import UNNAMED
from stats_core.io.mapping import Mapping as ColumnMapping
from stats_core.io.vocabulary import Role

Rows = Literal["folds", "seeds", "items", "data sets", "apart"]
# what rows are -> the same as a field of a mapping
ROWS: dict[str, str] = {
    "folds": "folds",
    "seeds": "seeds",
    "items": "cases",
    "data sets": "datasets",
    "apart": "apart",
}
# arguments that set the field of `Settings` of the same name
_OF_SETTINGS = ("alpha", "control", "correction", "source", "test", "pair", "dataset", "margin")
_arguments_text = TextCatalog("stats_core", "report/arguments.toml")
_Values = ParamSpec("_Values")
_Result_co = TypeVar("_Result_co", covariant=True)
_Result = TypeVar("_Result")


@dataclass(frozen=True, kw_only=True)
class Arguments:
    """Arguments of `compare` and `gate`: what is compared, by which tests, and how data are read.

    Attributes
    ----------
    measure : str, optional
        The measure to compare on, or its name in a table that does not name it. By default the
        first measure; in a table of one column per algorithm also the name of the columns,
        `frame.columns.name`.
    higher_is_better : bool, optional
        Direction of the measure, if its name does not determine it.
    alpha : float, optional
        Significance level of all comparisons together; 0.05 by default.
    control : str, optional
        The algorithm that all others are compared with; all pairs by default. A gate compares with
        the baseline, so it takes none.
    correction : str, optional
        Correction for multiple comparisons, such as "holm"; the recommended one by default.
    source : {"ranks", "wilcoxon", "sign"}, optional
        Test of each pair over data sets; the recommended one by default.
    test : str, optional
        Test of each pair on the folds of one data set, such as "corrected t"; the recommended one
        by default.
    pair : two names, optional
        The two algorithms to compare, in this order; all by default. For a gate, the one of `new`
        and the one of `baseline`, if they hold several.
    dataset : str, optional
        The only data set to compare on, by its folds or instances; all data sets by default.
    margin : float, optional
        Largest difference that does not matter, in the measure's units. A comparison then also
        states which pairs are equivalent; a gate allows so large a loss.
    missing : str
        Treatment of missing results: "raise", or a choice of `Results.resolve` such as "drop data
        sets", "drop algorithms", "worst rank" or "present".
    rows : {"folds", "seeds", "items", "data sets", "apart"}, optional
        What the rows are, if no column names them. The rows of predictions are the same instances
        for each algorithm ("items") or different ones ("apart").
    cluster : str, optional
        The column of clusters: items with the same value, such as a document, are dependent.
    roles : dict of column to role, optional
        Roles of columns that their names do not determine, as in `Mapping`: ``{"Estimator":
        "algorithm"}``.
    encoding : str, optional
        The encoding of text files that are not UTF-8, such as "cp1250".
    algorithms : sequence of str, optional
        The names of the columns of an array. A gate takes none.
    mapping : Mapping, optional
        Other answers on how the data are read.
    settings : Settings, optional
        Other settings. An argument must not contradict them, nor `mapping`.
    """

    measure: str | None = None
    higher_is_better: bool | None = None
    alpha: float | None = None
    control: str | None = None
    correction: Correction | None = None
    source: Source | None = None
    test: RequestedTest | None = None
    pair: Sequence[str] | None = None
    dataset: str | None = None
    margin: float | None = None
    missing: Missing = "raise"
    rows: Rows | None = None
    cluster: str | None = None
    roles: Mapping[str, Role] | None = None
    encoding: str | None = None
    algorithms: Sequence[str] | None = None
    mapping: ColumnMapping | None = None
    settings: Settings | None = None

    def __post_init__(self) -> None:
        """Raise SettingError for values that no data allow."""
        if self.measure is not None:
            check_kind(self.measure, str, "measure", 'Use "accuracy"')
            _name(self.measure, "measure")
        if self.higher_is_better is not None:
            check_kind(self.higher_is_better, (bool, np.bool_), "higher_is_better", "Use `True`")
        check_one_of(self.missing, get_args(Missing), "missing")
        if self.rows is not None:
            check_one_of(self.rows, get_args(Rows), "rows")
        if self.roles is not None:
            check_kind(self.roles, Mapping, "roles", 'Use `{"column": "algorithm"}`')
        if self.encoding is not None:
            check_kind(self.encoding, str, "encoding", 'Use "cp1250"')
            _name(self.encoding, "encoding")
        if self.margin is not None:
            check_margin(self.margin)
        if self.mapping is not None:
            check_kind(self.mapping, ColumnMapping, "mapping", "Use `Mapping(...)`")
        if self.settings is not None:
            check_kind(self.settings, Settings, "settings", "Use `Settings(...)`")

    def requested_settings(self, own: Settings | None = None) -> Settings:
        """Return the settings with the arguments that were passed, but the measure.

        The arguments replace `own`, the settings of a comparison that is the data. They must not
        contradict the argument `settings`: SettingError.
        """
        values: dict[str, Any] = {}
        for argument in _OF_SETTINGS:
            value = getattr(self, argument)
            if value is None:
                continue
            if argument == "pair":
                value = _names(value, "pair")
            elif argument not in ("alpha", "margin"):
                value = _name(value, argument)
            values[argument] = value
            self._check_agrees(argument, value, self.settings, argument, Settings())
        plain = Settings() if own is None else own
        base = plain if self.settings is None else self.settings
        return replace(base, **values)

    def requested_mapping(self) -> ColumnMapping:
        """Return the mapping with the arguments that were passed, but measure and direction.

        Raises SettingError if an argument contradicts the argument `mapping`.
        """
        plain = ColumnMapping()
        base = plain if self.mapping is None else self.mapping
        rows = None if self.rows is None else ROWS[self.rows]
        passed: dict[str, Any] = {"rows": rows, "encoding": self.encoding}
        passed = {name: value for name, value in passed.items() if value is not None}
        for name, value in passed.items():
            self._check_agrees(name, value, self.mapping, name, plain)
        roles = dict(self.roles or {})
        if self.cluster is not None:
            roles.setdefault(_name(self.cluster, "cluster"), "cluster")
            if roles[str(self.cluster)] != "cluster":
                raise SettingError(_arguments_text("errors.roles", column=self.cluster))
        for column, role in roles.items():
            if base.roles.get(column, role) != role:
                raise SettingError(_arguments_text("errors.roles", column=column))
        return replace(base, **passed, roles={**base.roles, **roles})

    def _check_agrees(
        self, argument: str, value: Any, record: Any, field: str, default: Any
    ) -> None:
        """Raise SettingError if `settings` or `mapping` set another value than an argument."""
        other = value if record is None else getattr(record, field)
        if other not in (value, getattr(default, field)):
            name = "settings" if isinstance(record, Settings) else "mapping"
            raise SettingError(
                _arguments_text(
                    "errors.contradiction",
                    argument=argument,
                    value=value,
                    name=name,
                    field=field,
                    other=other,
                )
            )

    def refuse(self, reason: str, *names: str) -> None:
        """Raise SettingError for the first of these arguments that was passed."""
        for name in names:
            if getattr(self, name) is not None:
                raise SettingError(_arguments_text(f"errors.{reason}", argument=name))

    def read(
        self, read: Callable[[ColumnMapping], Results], column_name: str | None = None
    ) -> Results:
        """Return the results that `read` reads; a question is an error on the missing argument.

        `column_name` is the name of the measure in a table without one, unless it is passed.
        """
        named = self.measure
        if named is None and column_name:
            named = column_name
        try:
            results = read_measure(
                read,
                self.requested_mapping(),
                named,
                self.higher_is_better,
                renames=bool(self.measure),
            )
        except NeedsMapping as question:
            problem = question.problems[0]
            answers = [f'encoding="{guess.encoding}" ({text})' for text, guess in question.options]
            key = f"errors.{self._missing(question)}"
            values = {"must": problem.must, "found": problem.found, "do": problem.do}
            raise DataError(_arguments_text(key, **values, answers=answers)) from None
        return results

    def _missing(self, question: NeedsMapping) -> str:
        """Return the key of the error on the argument which answers a question."""
        if question.about == "direction":
            unnamed = not self.measure and question.guess.measure_name == UNNAMED
            return "measure_name" if unnamed else "direction"
        if question.about in ("rows", "cases", "encoding"):
            return question.about
        has_layouts = any("result" in guess.roles.values() for _, guess in question.options)
        return "layouts" if has_layouts and not self.rows else "mapping"

    def complete(self, results: Results, settings: Settings) -> tuple[Results, Settings]:
        """Return results with missing ones treated, and settings with the measure.

        Raises SettingError if a direction is passed that is not that of the measure.
        """
        if self.measure is not None:
            name = results.resolve_name(self.measure)
            self._check_agrees("measure", name, self.settings, "measure", Settings())
            settings = replace(settings, measure=name)
        elif not settings.measure:
            settings = replace(settings, measure=results.measures[0])
        better, passed = results.directions.get(settings.measure), self.higher_is_better
        if passed is not None and better and (better == "higher") != passed:
            raise SettingError(
                _arguments_text(
                    "errors.other_direction", measure=measure_name(settings.measure), better=better
                )
            )
        if self.missing != "raise":
            results = results.resolve(self.missing, settings.measure)
        return results, settings


def _read_as(
    read: Callable[[ColumnMapping], Results], mapping: ColumnMapping, question: NeedsMapping
) -> Results:
    """Return the results under a mapping; raise the question if it does not settle it."""
    try:
        return read(mapping)
    except SettingError:
        raise question from None


def read_measure(
    read: Callable[[ColumnMapping], Results],
    mapping: ColumnMapping,
    measure: str | None,
    higher_is_better: bool | None,
    *,
    renames: bool = True,
) -> Results:
    """Return the results that `read` reads; a table without a measure is read with this name.

    With `renames`, so is one whose only measure has another name.
    """
    direction = "higher" if higher_is_better else "lower"

    def mapped(name: str, ignored: Collection[str] = ()) -> ColumnMapping:
        directions = {} if higher_is_better is None else {name: direction}
        return replace(
            mapping,
            measure_name=name or mapping.measure_name,
            directions={**mapping.directions, **directions},
            roles={**mapping.roles, **dict.fromkeys(ignored, "ignore")},
        )

    try:
        results = read(mapped(""))
    except NeedsMapping as question:
        if not measure:
            raise
        if question.about != "direction":
            return _read_as(read, mapped(measure), question)
        return read(mapped(measure, [name for name in question.undirected if name != measure]))
    if renames and measure and len(results.measures) == 1 and not _has(results, measure):
        return read(mapped(measure))
    return results


def _has(results: Results, measure: str) -> bool:
    """Return whether results have a measure, in any spelling."""
    try:
        results.resolve_name(measure)
    except FoldwiseError:
        return False
    return True


def missing_refused(error: MissingCells) -> DesignError:
    """Return an error on missing results that names the argument `missing`."""
    return DesignError(_arguments_text("errors.missing", error=error))


def _name(value: Any, argument: str) -> str:
    """Return a name or number as text; raise SettingError for other values."""
    is_number = isinstance(value, Real) and not isinstance(value, bool | np.bool_)
    if value == "" or not (is_number or isinstance(value, str)):
        raise SettingError(_arguments_text("errors.name", argument=argument, value=value))
    return str(value)


def _names(values: Any, argument: str) -> tuple[str, ...]:
    """Return several names; raise SettingError for other values."""
    if isinstance(values, str) or not np.iterable(values) or not len(list(values)):
        raise SettingError(_arguments_text("errors.names", argument=argument, value=values))
    return tuple(_name(value, argument) for value in values)


class _Takes(Protocol[_Values]):
    """A decorator of functions of one or two sources and a record of arguments."""

    @overload
    def __call__(
        self, function: Callable[[Any, Any], _Result]
    ) -> Callable[Concatenate[Any, _Values], _Result]: ...

    @overload
    def __call__(
        self, function: Callable[[Any, Any, Any], _Result]
    ) -> Callable[Concatenate[Any, Any, _Values], _Result]: ...


def takes(record: Callable[_Values, Arguments]) -> _Takes[_Values]:
    """Return a decorator that turns the last parameter, a record, into keyword arguments.

    Signature and docstring name them as those of any function. A wrong keyword is answered by the
    one that is most like it.
    """
    shared = signature(record).parameters

    def decorate(function: Callable) -> Any:
        sources = [*signature(function).parameters.values()][:-1]
        whole = Signature(
            [*sources, *(each.replace(kind=Parameter.KEYWORD_ONLY) for each in shared.values())],
            return_annotation=signature(function).return_annotation,
        )

        @wraps(function)
        def called(*values: Any, **options: Any) -> Any:
            unknown = [name for name in options if name not in whole.parameters]
            if unknown:
                near = get_close_matches(unknown[0], shared, 1)
                text = _arguments_text(
                    "errors.unknown",
                    function=function.__name__,
                    argument=unknown[0],
                    near=near,
                    known=list(shared),
                )
                raise TypeError(text)
            bound = whole.bind(*values, **options).arguments
            passed: dict[str, Any] = {name: bound[name] for name in bound if name in shared}
            arguments: Any = record
            return function(*(bound[each.name] for each in sources), arguments(**passed))

        called.__signature__ = whole  # type: ignore[attr-defined]
        called.__doc__ = _documented(function, record)
        vars(called).update(arguments=record)
        return called

    return decorate


def _documented(function: Callable, record: Any) -> str:
    """Return the docstring of a function with the arguments of its record as parameters."""
    text, sections = getdoc(function) or "", []
    for kind in record.__mro__:
        if issubclass(kind, Arguments):
            sections.append((getdoc(kind) or "").partition("Attributes\n----------\n")[2])
    head, returns, rest = text.partition("\n\nReturns\n-------\n")
    return head + "".join(f"\n{section.rstrip()}" for section in sections) + returns + rest


def argument_names(record: type[Arguments] = Arguments) -> tuple[str, ...]:
    """Return the names of the arguments of a record."""
    return tuple(field.name for field in fields(record))
