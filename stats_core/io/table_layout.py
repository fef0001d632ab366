"""Inference of a table's layout, questions about it, and reading of rows by it."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from collections.abc import Mapping as Dictionary
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd

from stats_core.core.errors import NeedsMapping, Problem
from stats_core.core.formatting import join_names, quote
from stats_core.core.messages import Message, message
from stats_core.data import predictions, row_checks
from stats_core.data.predictions import EMPTY
from stats_core.data.published import MEASURED, Published
from stats_core.io import text_cells, text_table, vocabulary
from stats_core.io.layouts import (
    clusters,
    crossings,
    item_tables,
    long_table,
    not_results,
    prediction_tables,
    wide_table,
)
from stats_core.io.mapping import NUMBERED, Mapping
from stats_core.io.problems import (
    TEXTS,
    Question,
    current_limits,
    data_error,
    phrase,
    problem_of,
    question_of,
    role_reason,
    setting_error,
)
from stats_core.io.profile import FEW, LEAD, LEAST, LayoutEvidence, LayoutHypothesis, Profile
from stats_core.io.text_cells import TextTable
from stats_core.io.vocabulary import ROLES

# a new layout needs a module in `layouts` and a reader here
_PROPOSERS: tuple[Callable[[Profile], Iterator[LayoutHypothesis]], ...] = (
    long_table.match_long_table,
    prediction_tables.match_long_predictions,
    item_tables.match_long_items,
    item_tables.match_wide_items,
    wide_table.match_grid_search,
    wide_table.match_multi_header,
    wide_table.match_fold_columns,
    prediction_tables.match_wide_predictions,
    wide_table.match_wide_table,
    not_results.match_published_summary,
    not_results.match_not_results,
)
_PREVIEW_ROWS = 8
_LONGEST_TEXT, _MOST_TEXT = (
    300,
    30_000_000,
)  # characters kept of the text of an instance, and of all rows


@dataclass(frozen=True, kw_only=True, eq=False)
class LayoutMatch:
    """Table with its most likely layout and alternatives.

    Attributes
    ----------
    table : TextTable
        The rows that are used.
    taken : LayoutHypothesis
        The chosen layout.
    notes : tuple of Message
        Rows and cells that were left out or rearranged before.
    near : tuple of LayoutHypothesis
        Other layouts with almost the weight of `taken`, most likely first.
    """

    table: TextTable
    taken: LayoutHypothesis
    notes: tuple[Message, ...] = ()
    near: tuple[LayoutHypothesis, ...] = field(default=())

    @property
    def roles(self) -> dict[str, str]:
        """The role of every column."""
        return dict(self.taken.roles)

    @property
    def evidence(self) -> tuple[LayoutEvidence, ...]:
        """The evidence for and against the chosen layout."""
        return self.taken.evidence

    @property
    def sentence(self) -> str:
        """Description of the layout in a sentence."""
        return _describe_layout(self.table.frame, self.taken)

    def columns(self) -> pd.DataFrame:
        """Return a table with column, meaning (its role), reason and example; "" if there is no reason or example."""
        table = pd.DataFrame({"column": list(self.table.frame)})
        table["meaning"] = [self.taken.roles.get(name, "ignore") for name in table["column"]]
        table["reason"] = [str(self.taken.reasons.get(name, "")) for name in table["column"]]
        table["example"] = [
            next(filter(None, self.table.frame[name]), "") for name in table["column"]
        ]
        return table


def _describe_layout(frame: pd.DataFrame, hypothesis: LayoutHypothesis) -> str:
    """Return a description of a table under a given layout, or the finding of its refusal."""
    if hypothesis.refusal is not None:
        return f"{hypothesis.refusal.found}."
    layout, published = hypothesis.layout, hypothesis.published
    by_role = {role: vocabulary.with_role(hypothesis.roles, role) for role in ROLES}
    results = by_role["result"]
    algorithms: Iterable[str] = (
        results if layout in ("wide table", "wide folds", "wide items") else ()
    )
    if layout == "crossed headers":
        algorithms = dict.fromkeys(name for name, _ in wide_table.headers_of(results).values())
    elif layout == "wide predictions":
        algorithms = prediction_tables.models_of(
            results, frame, frame[by_role["true"][0]], by_role["predicted"]
        )
    keys = {
        key: by_role[key] + by_role[f"part of {key}"] * bool(by_role[key])
        for key in ("algorithm", "dataset")
    }
    measures = [hypothesis.measure] if hypothesis.measure else by_role["measure"]
    directions = [
        hypothesis.directions.get(name) or vocabulary.direction_of(name) for name in measures
    ]
    measures = [vocabulary.split_declared_role(name)[0] for name in measures]
    n_algorithms = row_checks.distinct_rows(frame, keys["algorithm"]) if keys["algorithm"] else 1
    n_units = (
        row_checks.distinct_rows(frame, by_role["instance"]) if layout == "items" else len(frame)
    )
    are_units = layout in ("predictions", "wide predictions", "items", "wide items")
    are_units |= NUMBERED.get(hypothesis.rows) in ("dataset", "instance")
    return phrase(
        "layout",
        layout=TEXTS["layouts"][
            "wide table" if layout == "wide folds" and hypothesis.rows else layout
        ],
        published=published.names if published else (),
        algorithms=_unlike_first(algorithms),
        algorithm_keys=keys["algorithm"],
        algorithm_names=_names_in(frame, keys["algorithm"]),
        n_algorithms=n_algorithms,
        instances=n_units // (n_algorithms if hypothesis.rows else 1) if are_units else 0,
        datasets=_unlike_first(results) if layout == "transposed table" else (),
        dataset_keys=keys["dataset"],
        dataset_names=_names_in(frame, keys["dataset"]),
        n_datasets=row_checks.distinct_rows(frame, keys["dataset"]) if keys["dataset"] else 1,
        resamples=by_role["resample"] if layout == "resamples" else (),
        folds=by_role["fold"] + by_role["repetition"],
        truth=by_role["true"][:1],
        measures=[
            f"{m} ({d} is better)" if d else m for m, d in zip(measures, directions, strict=True)
        ],
        rows=TEXTS["rows"].get(hypothesis.rows, ""),
    )


def _names_in(frame: pd.DataFrame, keys: Sequence[str]) -> list[str]:
    """Return the distinct names in columns of keys, with parts joined by " / "."""
    if not keys:
        return []
    distinct = frame[list(keys)].drop_duplicates()
    return [" / ".join(row) for row in distinct.itertuples(index=False, name=None)]


def _unlike_first(names: Iterable[str]) -> list[str]:
    """Return names with up to three in front that are unlike most: costs, sizes, summaries."""
    names = list(names)
    unlike = [
        name
        for name in names
        if vocabulary.known_cost(name)
        or vocabulary.is_descriptive(name)
        or vocabulary.names_summary(name)
        or vocabulary.is_spread(name)
    ]
    first = unlike[:3] if 2 * len(unlike) < len(names) else []
    return [*first, *(name for name in names if name not in first)]


def infer_layout(table: TextTable, mapping: Mapping, *, several: bool) -> LayoutMatch:
    """Return the most likely layout of a table, with alternatives and evidence; NeedsMapping if none is likely."""
    table, notes = _prepared(table, mapping)
    profile = Profile(table, mapping, several)
    hypotheses = _hypotheses(profile)
    if not hypotheses:
        raise _nothing_known(profile)
    first, *others = hypotheses
    rivals = tuple(hypothesis for hypothesis in others if hypothesis.weight > first.weight - LEAD)
    if profile.declared:
        first = _with_own_reasons(first, profile)
    return LayoutMatch(table=table, taken=first, notes=tuple(notes), near=rivals)


def _hypotheses(profile: Profile) -> list[LayoutHypothesis]:
    """Return the sufficiently supported layouts, most likely first; all if the user set roles or a kind of summary."""
    settings = (profile.mapping, profile.several)
    for mapped, hypotheses in profile.table.layouts:
        if mapped == settings:
            return hypotheses
    declared = profile.mapping.holds
    proposers = (not_results.match_published_summary,) if declared else _PROPOSERS
    hypotheses = [hypothesis for propose in proposers for hypothesis in propose(profile)]
    if any(hypothesis.layout == "wide items" for hypothesis in hypotheses):  # marks are no averages
        hypotheses = [
            h
            for h in hypotheses
            if h.layout not in ("wide table", "wide folds", "transposed table")
        ]
    likely = [
        hypothesis
        for hypothesis in hypotheses
        if hypothesis.weight >= LEAST or profile.declared or declared
    ]
    likely.sort(key=lambda hypothesis: -hypothesis.weight)
    hypotheses = [_completed(profile, hypothesis) for hypothesis in likely]
    profile.table.layouts.append((settings, hypotheses))
    return hypotheses


def _completed(profile: Profile, hypothesis: LayoutHypothesis) -> LayoutHypothesis:
    """Return the hypothesis with the roles of tags, times and clusters."""
    return clusters.with_clusters(profile, _with_time(profile, with_tags(profile, hypothesis)))


def _with_time(profile: Profile, hypothesis: LayoutHypothesis) -> LayoutHypothesis:
    """Return the hypothesis with the role "time" for an unused column of distinct times of the instances, if any."""
    roles, frame = dict(hypothesis.roles), profile.frame
    if hypothesis.layout not in _OF_INSTANCES or "time" in roles.values():
        return hypothesis
    keys = [n for n, role in roles.items() if role in ("dataset", "instance")]
    n = profile.distinct_rows(keys) if "instance" in roles.values() else len(frame)
    sets = [key for key in keys if roles[key] == "dataset"]
    for name in vocabulary.with_role(roles, "ignore"):
        if name in profile.declared or not vocabulary.is_listed(name, "times of instances"):
            continue
        is_order = profile.distinct_rows([*sets, name]) == profile.distinct_rows([*keys, name]) == n
        if is_order and text_cells.times_of(frame[name]) is not None:
            reasons = {**hypothesis.reasons, name: role_reason("time")}
            return replace(hypothesis, roles=roles | {name: "time"}, reasons=reasons)
    return hypothesis


def _with_own_reasons(hypothesis: LayoutHypothesis, profile: Profile) -> LayoutHypothesis:
    """Return the hypothesis with the inferred reason for each role that the user confirmed.

    An accepted guess sets the role of every column, although the user chose few of them.
    """
    for inferred in _hypotheses(replace(profile, mapping=replace(profile.mapping, roles={})))[:1]:
        alike = inferred.roles.items() & hypothesis.roles.items()
        confirmed = {
            n: inferred.reasons[n]
            for n, _ in alike
            if n in profile.declared and n in inferred.reasons
        }
        return replace(hypothesis, reasons={**hypothesis.reasons, **confirmed})
    return hypothesis


def _prepared(table: TextTable, mapping: Mapping) -> tuple[TextTable, list[Message]]:
    """Return the table with nested runs, lists and measures spread out, only with test results, and notes."""
    notes: list[Message] = []
    steps = (
        *(
            text_cells.read_grades,
            text_cells.split_test_rows,
            text_cells.nested_runs,
            text_cells.spread_cells,
        ),
        text_cells.pinball_losses,
        text_cells.without_marks,
    )
    for prepare in steps:
        table, step_notes = prepare(table)
        notes += step_notes
    declared = {name: role for name, role in mapping.roles.items() if name in table.frame}
    table, measure_notes = text_cells.spread_measures(
        table, {**vocabulary.guess_roles([n for n in table.frame if n not in declared]), **declared}
    )
    table, summary_notes = text_cells.without_summary_rows(table)
    return table, [*notes, *measure_notes, *summary_notes]


def accept_or_ask(understanding: LayoutMatch, mapping: Mapping) -> LayoutMatch:
    """Return the match if it is clear; otherwise raise NeedsMapping with a question or with the refusal."""
    accepted, table = understanding.taken, understanding.table
    if accepted.refusal is not None:
        raise NeedsMapping(
            [accepted.refusal.problem(table.name)],
            guess=mapping,
            preview=table.frame.head(_PREVIEW_ROWS),
            question=phrase("not results"),
            about="nothing",
        )
    rivals = [
        h
        for h in understanding.near
        if h.refusal or (dict(h.roles), h.rows) != (dict(accepted.roles), accepted.rows)
    ]
    asking = [h for h in rivals if h.asks and accepted.asks and h.refusal is None]
    alike = [
        h
        for h in asking
        if h.layout == accepted.layout or h.asks[0].about == accepted.asks[0].about == "rows"
    ]
    rivals = [h for h in rivals if h not in alike]
    if rivals and not mapping.roles:
        if refusal := rivals[0].refusal:
            doubt = question_of("results in doubt", must=refusal.must, found=refusal.found)
            raise _asking(table, mapping, [doubt], [accepted])
        offered = [
            accepted,
            *(rival for rival in rivals if rival.layout == rivals[0].layout and not rival.refusal),
        ]
        raise _asking(table, mapping, [_which_way(accepted, rivals[0]), *accepted.asks], offered)
    if accepted.asks:
        raise _asking(table, mapping, accepted.asks, [accepted, *alike])
    return understanding


def _which_way(accepted: LayoutHypothesis, rival: LayoutHypothesis) -> Question:
    """Return the question that asks which of two layouts is correct."""
    if {accepted.layout, rival.layout} == {"wide table", "transposed table"}:
        rows = next((n for n, r in rival.roles.items() if r in ("algorithm", "dataset")), "")
        labels = join_names(vocabulary.with_role(accepted.roles, "result"), 2)
        return question_of("columns or rows", labels=labels, rows=rows)
    return question_of(
        "two layouts",
        first=TEXTS["layouts"][accepted.layout],
        second=TEXTS["layouts"][rival.layout],
    )


def _asking(
    table: TextTable,
    mapping: Mapping,
    asks: Sequence[Question],
    layouts: Sequence[LayoutHypothesis],
) -> NeedsMapping:
    """Return the error that asks the first question, direction first if there is one layout, and offers the layouts."""
    if len(layouts) == 1:  # its roles are confirmed with the direction
        asks = sorted(asks, key=lambda ask: ask.about != "direction")
    first = asks[0]
    is_open = first.about != "direction" and any(ask.about == "direction" for ask in asks)
    answers = [replace(layout, directions={}) for layout in layouts] if is_open else list(layouts)
    unknown = [_undirected(layout) for layout in layouts]
    crossed = is_open and len(layouts) <= 2 and all(len(names) == 1 for names in unknown)
    if crossed:  # each layout with both directions
        pairs = list(zip(answers, unknown, strict=True))
        answers = [
            replace(a, directions={names[0]: way})
            for way in ("higher", "lower")
            for a, names in pairs
        ]
    kinds = (
        [first.about] if first.about == "published" else ["direction"] * bool(crossed)
    )  # that one answer settles
    at_once = [
        ask for ask in asks if ask is first or first.about == "direction" or ask.about in kinds
    ]
    guess, undirected = _as_mapping(layouts[0], mapping), list[str]()
    if first.about == "direction":
        undirected = guess.undirected
        guess = _without_undirected(guess)
    return NeedsMapping(
        [ask.problem(table.name) for ask in asks],
        guess=guess,
        preview=table.frame.head(_PREVIEW_ROWS),
        question=" ".join(dict.fromkeys(ask.question for ask in at_once)),
        about=asks[0].about,
        fields=tuple(undirected or (ask.field for ask in asks if ask.field)),
        options=tuple(
            (_describe_layout(table.frame, layout), _as_mapping(layout, mapping))
            for layout in answers
        ),
    )


def _without_undirected(guess: Mapping) -> Mapping:
    """Return the guess without measures of unknown direction, if others are known."""
    unknown = [name for name in guess.undirected if name not in guess.directions]
    directed = [
        n for n in vocabulary.with_role(guess.roles, "measure") if n not in guess.undirected
    ]
    ignored = dict.fromkeys(unknown if directed else (), "ignore")
    return replace(guess, roles={**guess.roles, **ignored}) if ignored else guess


def _undirected(layout: LayoutHypothesis) -> list[str]:
    """Return measures whose names do not determine their directions; if a table has one measure only, that measure."""
    measures = [layout.measure] if layout.measure else vocabulary.with_role(layout.roles, "measure")
    return [name for name in measures if layout.measure or not vocabulary.direction_of(name)]


def _as_mapping(accepted: LayoutHypothesis, mapping: Mapping) -> Mapping:
    """Return the mapping that selects a given layout."""
    if accepted.published is not None:
        return replace(mapping, holds=accepted.layout)
    return replace(
        mapping,
        roles=dict(accepted.roles),
        directions={**accepted.directions, **mapping.directions},
        measure_name=accepted.measure
        if any(ask.about == "direction" for ask in accepted.asks)
        else mapping.measure_name,
        rows=accepted.rows,
    )


def _nothing_known(profile: Profile) -> NeedsMapping:
    """Return the error for a table without any likely layout."""
    if "algorithm" in profile.named.values():
        code = "measure unknown"
    else:
        code = "nothing known" if profile.texts else "numbers only"
    options = _options(profile, _other_readings(profile))
    return NeedsMapping(
        [problem_of(code, profile.table.name, names=list(profile.frame.columns))],
        guess=options[0][1] if options else profile.mapping,
        preview=profile.frame.head(_PREVIEW_ROWS),
        question=phrase("unknown columns"),
        about="columns",
        options=options,
    )


def other_readings(
    table: TextTable, mapping: Mapping, *, several: bool
) -> tuple[tuple[str, Mapping], ...]:
    """Return readings that the design of a table allows, each with its description."""
    profile = Profile(_prepared(table, mapping)[0], mapping, several)
    return _options(profile, _other_readings(profile))


def _other_readings(profile: Profile) -> list[LayoutHypothesis]:
    """Return readings of little support by names, most plausible first."""
    weak = [
        hypothesis
        for propose in _PROPOSERS
        for hypothesis in propose(profile)
        if 0 <= hypothesis.weight < LEAST and hypothesis.refusal is None
        if not wide_table.are_measures(vocabulary.with_role(hypothesis.roles, "result"))
        if not any(each.note.code == "seen: scales apart" for each in hypothesis.evidence)
    ]
    weak.sort(key=lambda hypothesis: -hypothesis.weight)
    readings = [*weak, *crossings.match_crossings(profile)]
    return [_completed(profile, reading) for reading in readings]


def _options(
    profile: Profile, readings: Sequence[LayoutHypothesis]
) -> tuple[tuple[str, Mapping], ...]:
    """Return the description and the mapping of each reading."""
    return tuple(
        (_describe_layout(profile.frame, reading), _as_mapping(reading, profile.mapping))
        for reading in readings
    )


def left_out(understanding: LayoutMatch) -> list[Message]:
    """Return notes on the columns that are not used, one per reason, [] if there are none."""
    by_reason: dict[str, list[str]] = {}
    notes = understanding.taken.notes
    noted = [each["column"] for each in notes if each.code in NAMING]
    noted += [n for each in notes if each.code == "more possible clusters" for n in each["columns"]]
    for name, role in understanding.roles.items():
        if role == "ignore" and name in understanding.taken.reasons and name not in noted:
            by_reason.setdefault(str(understanding.taken.reasons[name]), []).append(name)
    return [
        message("columns left out", because=because, columns=tuple(names))
        for because, names in by_reason.items()
    ]


_SUGGESTED = (
    "clusters suggested",
    "categories",
    "other clusters",
)  # notes on columns of possible clusters
NAMING = (*_SUGGESTED, "items within units")  # notes on columns that are used without a role
KEY_ROLES = ("dataset", "algorithm", "repetition", "fold")
_NUMBER_ROLES = ("tp", "fp", "tn", "fn", "n_train", "n_test")
# names that no measure may have, as they are columns of the rows
RESERVED = (*KEY_ROLES, *_NUMBER_ROLES, "instance", "true", "predicted", "line", "file", "column")
_WHOLE = re.compile(r"^(\d+)\.0+$")


# layouts whose rows belong to data sets; only the first rows of predictions may be known
_OF_INSTANCES = ("predictions", "wide predictions", "items", "wide items")
_LAYOUTS = (
    *("fold scores", "confusion counts", "wide table", "wide folds"),
    *("resamples", "crossed headers"),
)


@dataclass(kw_only=True)
class FileTable:
    """Rows and metadata of one file under canonical names, before files are combined.

    Attributes
    ----------
    rows : DataFrame
        Text keys as far as the file has them, numbers, "line" and "file" for messages;
        for predictions also true and, as far as known, instance, cluster, predicted, score or class
        probabilities; for items their measure.
    layout : str
        The layout, or the kind of published summary.
    design : str
        The resampling design that the file declares or column names imply, else "".
    directions : dict of measure to direction
        The measures among the columns of `rows`.
    costs : list of str
        The costs among the columns of `rows`.
    percent : set of str
        The measures whose numbers have a percent sign or unit.
    notes : list of Message
        Assumptions made while reading.
    problems : list of Problem
        Problems to raise together with those of other files.
    tags : DataFrame
        Tags of data sets: one row per data set, one text column per tag.
    published : Published or None
        The published summary that the file holds instead of results, None without one.
    called : str
        The algorithm by the name of a file of resamples, "" for other layouts.
    instance_column : str
        The column of instance IDs, "" if there is none.
    answers : bool
        Whether repetitions are answers of a model to each instance, and no runs shared by instances.
    """

    rows: pd.DataFrame
    layout: str = ""
    design: str = ""
    directions: dict[str, str] = field(default_factory=dict)
    costs: list[str] = field(default_factory=list)
    percent: set[str] = field(default_factory=set)
    notes: list[Message] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    tags: pd.DataFrame = field(default_factory=pd.DataFrame)
    published: Published | None = None
    called: str = ""
    instance_column: str = ""
    answers: bool = False

    def numbers(self, table: TextTable, column: str, measure: str = "") -> pd.Series:
        """Return a column as numbers; record its problems and, given a measure, percent signs."""
        numbers, problems, percent = text_cells.to_numbers(table, column)
        self.problems += problems
        if measure and percent:
            self.percent.add(measure)
        return numbers


def read_layout(
    table: TextTable, roles: dict[str, str], hypothesis: LayoutHypothesis, mapping: Mapping
) -> FileTable:
    """Return the results of a table under the chosen layout.

    Raise SettingError if the measure of a wide, transposed or resample table has a reserved name.
    """
    measure, directions = hypothesis.measure, hypothesis.directions
    if hypothesis.published is not None:
        return _read_published(table, hypothesis.published)
    match hypothesis.layout:
        case "fold scores" | "confusion counts":
            return _read_long(table, roles, mapping, directions)
        case "predictions":
            return _with_possible_clusters(_read_predictions(table, roles), table, hypothesis)
        case "wide predictions":
            return _with_possible_clusters(_read_wide_predictions(table, roles), table, hypothesis)
        case "items" | "wide items":
            piece = _read_items(table, roles, mapping, directions)
            return _with_possible_clusters(piece, table, hypothesis)
        case "grid search" | "crossed headers":
            return _read_crossed(table, roles, hypothesis)
    check_measure_name(measure)
    piece = _read_one_measure(table, roles, hypothesis.layout, measure, directions[measure])
    return _with_possible_clusters(piece, table, hypothesis)


def _with_possible_clusters(
    piece: FileTable, table: TextTable, hypothesis: LayoutHypothesis
) -> FileTable:
    """Return the predictions with columns that notes name: possible clusters, or units."""
    for note in hypothesis.notes:
        if note.code not in NAMING:
            continue
        values = piece.rows["line"].map(table.frame[note["column"]])
        if note.code in _SUGGESTED:
            piece.rows[predictions.POSSIBLE_CLUSTER + note["column"]] = values
        else:
            names = piece.rows["instance"].astype(str)
            piece.rows["instance"] = values.astype(str).str.cat(names, sep=" / ")
    return piece


def check_measure_name(measure: str) -> None:
    """Raise SettingError for a measure name that is reserved for a column of `Results`."""
    if measure in RESERVED:
        raise setting_error("reserved name", measure=measure)


def _read_long(
    table: TextTable, roles: dict[str, str], mapping: Mapping, guessed: Dictionary[str, str]
) -> FileTable:
    """Return fold scores or confusion counts, one row per result."""
    layout = (
        "confusion counts" if set(roles.values()) >= {"tp", "fp", "tn", "fn"} else "fold scores"
    )
    piece = FileTable(rows=_keys(table, roles), layout=layout)
    for column in table.frame.columns:
        role = roles.get(column, "")
        direction = (
            mapping.direction_of(column) or guessed.get(column, "") if role == "measure" else ""
        )
        _add_column(piece, table, column, role, direction)
    _drop_one_class_counts(piece, table)
    return piece


def _drop_one_class_counts(piece: FileTable, table: TextTable) -> None:
    """Drop the counts of a file of Weka, which are for one class against all others, in place, if it has measures."""
    weka = any(vocabulary.normalized_name(name) == "keyscheme" for name in table.frame.columns)
    counts = [name for name in ("tp", "fp", "tn", "fn") if name in piece.rows]
    if weka and counts and piece.directions:
        piece.rows = piece.rows.drop(columns=counts)
        piece.layout = "fold scores"
        piece.notes.append(message("counts of Weka"))


def _cases(
    table: TextTable, roles: dict[str, str], *others: str, numbered: bool = False
) -> FileTable:
    """Return keys, cases, clusters and other roles of predictions; cases without a column are counted if `numbered`."""
    keys = _keys(table, roles)
    if numbered and "instance" not in roles.values():
        keys["instance"] = [str(i + 1) for i in range(len(keys))]
    longest = min(_LONGEST_TEXT, _MOST_TEXT // max(len(keys), 1))
    for role in ("instance", "cluster", "text", *others):
        for column in vocabulary.with_role(roles, role):
            keys[role] = (
                table.frame[column].str[:longest] if role == "text" else table.frame[column]
            )
    _number_within_clusters(keys)
    instance, declared = (vocabulary.first_with_role(roles, role) for role in ("instance", "time"))
    is_answer = bool(vocabulary.with_role(roles, "answer"))
    is_answer &= not vocabulary.with_role(roles, "repetition")
    piece = FileTable(rows=keys, layout="predictions", instance_column=instance, answers=is_answer)
    column = declared or (instance if vocabulary.is_listed(instance, "times of instances") else "")
    if column and (times := text_cells.times_of(table.frame[column])) is not None:
        keys[predictions.TIME] = times
    elif declared:
        piece.problems.append(
            problem_of("unclear times", table.name, None, declared, column=declared)
        )
    return piece


def _number_within_clusters(keys: pd.DataFrame) -> None:
    """Put the cluster before the instance in place if instances are numbered within clusters."""
    if not {"instance", "cluster"} <= {*keys}:
        return
    if keys.duplicated([n for n in (*KEY_ROLES, "instance") if n in keys]).any():
        keys["instance"] = keys["cluster"].str.cat(keys["instance"], sep=" / ")


def _read_predictions(table: TextTable, roles: dict[str, str]) -> FileTable:
    """Return predictions, one row per instance: true label, and score, class scores or predicted label."""
    piece = _cases(table, roles, "true", "predicted")
    scores = vocabulary.with_role(roles, "score")
    if len(scores) == 1:
        numbers, problems, percent = text_cells.to_numbers(table, scores[0])
        piece.rows["score"] = numbers = numbers / 100 if percent else numbers
        piece.problems += problems
        low, high = numbers.min(), numbers.max()
        if (
            "predicted" not in roles.values() and low >= 0 and high > 1
        ):  # neither probabilities nor around 0
            piece.problems.append(
                problem_of("unclear scores", table.name, None, scores[0], min=low, max=high)
            )
    elif scores:
        _score_classes(piece, table, scores)
    piece.problems += _missing_true_labels(table, vocabulary.with_role(roles, "true")[0])
    return piece


def _missing_true_labels(table: TextTable, column: str) -> list[Problem]:
    """Return a list with the problem of rows without a true label, [] if every row has one."""
    blank = table.frame[column].str.lower().isin(EMPTY)
    values = {"n": int(blank.sum())}
    return (
        [problem_of("true label missing", table.name, int(blank.idxmax()), column, **values)]
        if blank.any()
        else []
    )


def _read_published(table: TextTable, published: Published) -> FileTable:
    """Return a published summary, one row per algorithm."""
    measure, direction = MEASURED[published.what]
    values = published.values
    rows = pd.DataFrame({"algorithm": values.index, measure: values.to_numpy()})
    rows = rows.assign(dataset="all data sets", line=range(2, len(rows) + 2), file=table.name)
    return FileTable(
        rows=rows, layout=published.what, directions={measure: direction}, published=published
    )


def _score_classes(piece: FileTable, table: TextTable, columns: list[str]) -> None:
    """Add class scores to `piece`, and the likeliest class if it has no labels; a note or problem if unclear."""
    numbers = pd.DataFrame({name: piece.numbers(table, name) for name in columns})
    labels = row_checks.natural_order(piece.rows["true"].unique())
    classes = prediction_tables.by_class(columns, labels)
    if not classes and "predicted" in piece.rows:
        piece.notes.append(message("class columns unused", columns=tuple(columns)))
        return
    if not classes:
        values = {"columns": columns, "n": len(columns), "example": labels[0]}
        values["labels"] = join_names([quote(label) for label in labels], 4)
        piece.problems.append(problem_of("unknown classes", table.name, **values))
        return
    if any(predictions.plain_label(label) not in name for name, label in classes.items()):
        piece.notes.append(
            message("class columns", columns=tuple(classes), classes=tuple(classes.values()))
        )
    for name, label in classes.items():
        piece.rows[predictions.CLASS_SCORE + label] = numbers[name]
    if "predicted" in piece.rows:
        return
    has_number = numbers.notna().any(axis=1)
    likeliest = numbers[has_number].idxmax(axis=1).map(classes)
    piece.rows["predicted"] = likeliest.reindex(numbers.index).fillna("").astype(str)
    piece.notes.append(message("likeliest class predicted"))


# layout with one measure -> role of the columns of results, and what their names are
_HEADERS = {
    "wide table": ("result", "algorithm"),
    "wide folds": ("result", "algorithm"),
    "transposed table": ("result", "dataset"),
    "resamples": ("resample", "fold"),
}


def _read_one_measure(
    table: TextTable, roles: dict[str, str], layout: str, measure: str, direction: str
) -> FileTable:
    """Return the results of one measure if headers are the values of one key; raise DataError for too many columns."""
    role, key = _HEADERS[layout]
    names = vocabulary.with_role(roles, role)
    if key == "algorithm" and len(names) > current_limits().algorithms:
        raise data_error(
            "too many columns of results",
            table.name,
            limit=current_limits().algorithms,
            n=len(names),
        )
    keys = _keys(table, roles)
    for role in ("instance", "cluster"):
        if column := vocabulary.first_with_role(roles, role):
            keys[role] = table.frame[column]
    _number_within_clusters(keys)
    table, n_spreads = text_cells.without_spread(table, names)
    rows = keys.iloc[np.tile(np.arange(len(keys)), len(names))].reset_index(drop=True)
    piece = FileTable(rows=rows, directions={measure: direction})
    numbers = np.concatenate([piece.numbers(table, name, measure).to_numpy() for name in names])
    headers = pd.Series(np.repeat(names, len(keys)), dtype=text_table.text_type(0))
    piece.rows = rows.assign(**{key: headers, measure: numbers, "column": headers})
    piece.layout = "wide folds" if {"fold", "repetition"} & set(piece.rows) else "wide table"
    if layout == "resamples":  # the file name is the algorithm
        piece.called = vocabulary.without_measure(vocabulary.file_stem(table.name))
    if n_spreads:
        piece.notes.append(message("spread left out", cells=n_spreads))
    return piece


def _read_crossed(
    table: TextTable, roles: dict[str, str], hypothesis: LayoutHypothesis
) -> FileTable:
    """Return the results of a table whose headers combine algorithm or split with measure."""
    if hypothesis.layout == "grid search":
        matches = {column: wide_table.SPLIT.fullmatch(column) for column in table.frame.columns}
        key, headers = (
            "fold",
            {column: (str(int(m[1]) + 1), m[2]) for column, m in matches.items() if m},
        )
    else:
        key, headers = "algorithm", wide_table.headers_of(vocabulary.with_role(roles, "result"))
    keys = _keys(table, roles)
    blocks: dict[str, pd.DataFrame] = {}
    piece = FileTable(rows=keys, layout="wide folds" if key == "fold" else "fold scores")
    for column, (value, kind) in headers.items():
        measure = hypothesis.measure or kind
        name, direction = vocabulary.known_measure(kind) or (
            measure,
            hypothesis.directions.get(measure, "higher"),
        )
        piece.directions[name] = direction
        block = blocks.setdefault(value, keys.assign(**{key: value}))
        block[name] = piece.numbers(table, column, name)
    piece.rows = pd.concat(blocks.values(), ignore_index=True)
    return piece


def number_rows(piece: FileTable, rows: str) -> None:
    """Number rows with equal keys in place, in file order, unless a column numbers them already.

    `rows` is what such rows are, as in `Mapping`.

    "cases" of one measure become predictions without labels, those of several measures data sets.
    """
    one_measure = len(piece.directions) == 1
    key = NUMBERED[rows] if rows != "cases" or one_measure else "dataset"
    if key not in piece.rows:
        keys = [key for key in KEY_ROLES if key in piece.rows]
        index = piece.rows.groupby(keys, sort=False).cumcount() if keys else range(len(piece.rows))
        piece.rows[key] = pd.Series(index, index=piece.rows.index).add(1).astype(str)
        piece.notes.append(
            message("rows are numbered", n=int(piece.rows[key].nunique()), what=TEXTS["rows"][rows])
        )
        piece.notes += [message("rows are instances")] * (rows == "cases" and key == "dataset")
    if key == "instance":
        piece.rows = piece.rows.assign(true="").drop(columns="column", errors="ignore")
        piece.layout = "predictions"
    if piece.layout == "wide table" and key in ("fold", "repetition"):
        piece.layout = "wide folds"
    if rows == "seeds":
        piece.design = "seeds"


def _read_wide_predictions(table: TextTable, roles: dict[str, str]) -> FileTable:
    """Return predictions from a table with label and score columns for each algorithm, one row per instance."""
    piece = _cases(table, roles, numbered=True)
    truth = vocabulary.with_role(roles, "true")[0]
    keys, true = piece.rows, table.frame[truth]
    blocks = []
    columns, numbers = (vocabulary.with_role(roles, role) for role in ("result", "predicted"))
    for name, model in prediction_tables.models_of(columns, table.frame, true, numbers).items():
        block = keys.assign(algorithm=name, true=true)
        if model.label:
            block["predicted"] = table.frame[model.label]
        if model.score:
            score = piece.numbers(table, model.score)
            if model.of_class and not model.label and len(set(true)) == 2:
                (other,) = set(true) - {model.of_class}
                for label, part in ((model.of_class, score), (other, 1 - score)):
                    block[predictions.CLASS_SCORE + label] = part
            else:
                block["score"] = score
        blocks.append(block)
    piece.rows = pd.concat(blocks)
    piece.problems += _missing_true_labels(table, truth)
    return piece


def _read_items(
    table: TextTable, roles: dict[str, str], mapping: Mapping, guessed: Dictionary[str, str]
) -> FileTable:
    """Return the mark or score of each algorithm on each item as predictions with values; marks give accuracy."""
    piece = _cases(table, roles, numbered=True)
    keys = piece.rows.assign(true="correct")
    columns = vocabulary.with_role(roles, "result")
    names = {name: {"algorithm": name} for name in columns} or {
        n: {} for n in vocabulary.with_role(roles, "measure")
    }
    marks = {column: text_cells.marks_of(table.frame[column]) for column in names}
    is_accuracy = all(value is not None for value in marks.values()) and (
        columns or len(names) == 1
    )
    blocks = (
        [keys.assign(**algorithm) for algorithm in names.values()]
        if columns
        else [keys] * len(names)
    )
    for position, (column, value) in enumerate(marks.items()):
        name = next(iter(guessed)) if columns else column
        direction = mapping.direction_of(name) or guessed.get(name, "higher")
        usual = vocabulary.known_measure(name) if len(names) > 1 else None
        measure = (
            "accuracy"
            if is_accuracy
            else usual[0]
            if usual
            else vocabulary.split_declared_role(name)[0]
        )
        if value is None:
            value = piece.numbers(table, column, measure)
        elif is_accuracy and direction == "lower":
            value = 1 - value
        check_measure_name(measure)
        piece.directions[measure] = "higher" if is_accuracy else direction
        blocks[position][measure] = value
    piece.rows = pd.concat(blocks) if columns else keys
    return piece


def _keys(table: TextTable, roles: Dictionary[str, str]) -> pd.DataFrame:
    """Return line, file and the available keys of each row; several columns of one key are joined by " / "."""
    lines = table.frame.index
    rows = {"line": lines, "file": predictions.same(table.name, len(lines))}
    for role in KEY_ROLES:
        others = ("answer",) if role == "repetition" else (f"part of {role}",)
        first, *parts = [
            name for each in (role, *others) for name in vocabulary.with_role(roles, each)
        ] or [""]
        if not first:
            continue
        codes, names = text_cells.coded(table, first)
        if parts:
            joined = table.frame[first].str.cat([table.frame[part] for part in parts], sep=" / ")
            codes, names = pd.factorize(joined)
        if role in ("fold", "repetition"):
            current_limits().check(table.name, "folds", len(names))
            names = [_WHOLE.sub(r"\1", name) for name in names]
        rows[role] = predictions.to_category(codes, names)
    return pd.DataFrame(rows, index=lines)


def _add_column(piece: FileTable, table: TextTable, column: str, role: str, direction: str) -> None:
    """Add a numeric column to the rows as count, size, measure or cost, in place; do nothing for other roles."""
    if role in _NUMBER_ROLES:
        numbers, problems, percent = text_cells.to_numbers(table, column)
        if percent:
            problems = [*problems, problem_of("percentages for counts", table.name, None, column)]
        piece.problems += problems
        piece.rows[role] = numbers
        return
    if role not in ("measure", "cost"):
        return
    known_as = vocabulary.known_measure(column) if role == "measure" else None
    name = known_as[0] if known_as else role == "cost" and vocabulary.known_cost(column) or column
    is_taken = name in piece.rows or name in RESERVED or (name != column and name in table.frame)
    name = column if is_taken else name
    piece.rows[name] = piece.numbers(table, column, name if role == "measure" else "")
    if role == "cost":
        piece.costs.append(name)
        return
    piece.directions[name] = direction
    if vocabulary.in_percent(column):
        piece.percent.add(name)


def with_tags(profile: Profile, hypothesis: LayoutHypothesis) -> LayoutHypothesis:
    """Return the hypothesis with unused columns as tags if these are constant within data sets, else unchanged.

    A column with the name of a tag is ignored if it differs between all data sets, unless it is a
    size or its header ends in "(group)".
    """
    keys = vocabulary.with_role(hypothesis.roles, "dataset") + vocabulary.with_role(
        hypothesis.roles, "part of dataset"
    )
    if hypothesis.layout not in _LAYOUTS or not keys:
        return hypothesis
    n = profile.distinct_rows(keys)
    roles, reasons = dict(hypothesis.roles), dict(hypothesis.reasons)
    for name, role in hypothesis.roles.items():
        if name in profile.declared or n < 2:
            continue
        tags = role == "ignore" or (role == "cost" and _is_size(name))
        if role == "group" and profile[name].distinct >= n and not _is_size(name):
            if vocabulary.split_declared_role(name)[1] != "group":
                roles[name], reasons[name] = "ignore", role_reason("no group")
        elif tags and _may_tag(profile, name, n):
            if profile.distinct_rows([*keys, name]) == n:
                roles[name] = "group"
                reasons[name] = role_reason("tags" if profile[name].distinct < n else "size")
            elif role == "ignore" and profile[name].is_text:
                reasons[name] = role_reason("varies")
    return replace(hypothesis, roles=roles, reasons=reasons)


def _may_tag(profile: Profile, name: str, n: int) -> bool:
    """Return whether a column may define groups of data sets: few shared values, or a size."""
    column = profile[name]
    if column.distinct < 2 or vocabulary.is_spread(name) or column.counts_up:
        return False
    if column.is_number and _is_size(name):
        return True
    shared = column.distinct < n and column.distinct <= FEW
    repeated = len(profile.frame) > n
    return shared and (column.is_text or repeated and column.is_whole)


def _is_size(name: str) -> bool:
    return vocabulary.is_descriptive(name) and not vocabulary.mentions(name, "times", "no sizes")


def tags_of(
    table: TextTable, roles: dict[str, str], layout: str
) -> tuple[pd.DataFrame, list[Problem]]:
    """Return the tags, data set x tag, and problems of tag columns; both are empty without such columns.

    The index holds the data sets. If no column names these, it is "" for the only data set of the
    file.
    """
    columns = [name for name in table.frame if roles.get(name) == "group"]
    if columns and layout == "transposed table":
        return pd.DataFrame(), [
            problem_of("nothing to tag", table.name, None, name) for name in columns
        ]
    keys = {name: role for name, role in roles.items() if role.endswith("dataset")}
    names = _keys(table, keys).get("dataset") if columns else None
    tags, problems = {}, []
    for column in columns:
        numbers = text_cells.numbers_of(table, column)  # in a uniform format
        texts = (
            table.frame[column]
            if numbers is None
            else numbers.map(lambda x: f"{x:.12g}" if x == x else "")
        )
        pairs = pd.DataFrame({"value": texts}).assign(name="" if names is None else names)
        pairs = pairs[pairs["value"] != ""].drop_duplicates()
        repeated = pairs[pairs.duplicated("name", keep=False)]
        if len(repeated):
            name = repeated["name"].iloc[0]
            values = join_names(list(repeated.loc[repeated["name"] == name, "value"]), 3)
            described = {"name": name, "named": bool(name), "values": values}
            problems.append(problem_of("tag varies", table.name, None, column, **described))
            continue
        tags[vocabulary.split_declared_role(column)[0]] = pairs.set_index("name")["value"]
    return pd.DataFrame(tags), problems


def tags_together(pieces: Sequence[FileTable]) -> tuple[pd.DataFrame, list[Message]]:
    """Return the tags of all files, data set x tag, and notes; contradictory tags are dropped; empty without tags."""
    tables = [piece.tags for piece in pieces if len(piece.tags.columns)]
    if not tables:
        return pd.DataFrame(), []
    combined = pd.concat(tables)
    consistent, notes = {}, []
    for tag in combined:
        pairs = combined[tag].dropna().rename_axis("name").reset_index().drop_duplicates()
        if contradicted := sorted(pairs.loc[pairs["name"].duplicated(), "name"].unique()):
            notes.append(message("tag contradicted", tag=tag, datasets=tuple(contradicted)))
        else:
            consistent[tag] = pairs.set_index("name")[tag]
    if consistent:
        notes.append(message("tagged", tags=tuple(consistent)))
    return pd.DataFrame(consistent), notes
