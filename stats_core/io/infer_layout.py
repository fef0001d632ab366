"""Inference of a table's layout: accept it, ask a question, or refuse the table."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import pandas as pd

from stats_core.core.errors import NeedsMapping
from stats_core.core.formatting import capitalize_first, format_count, join_names
from stats_core.core.messages import Message, message
from stats_core.data.published import DECISIONS, RANKS, WINS
from stats_core.data.row_checks import distinct_rows
from stats_core.io import parse_layout, reshape
from stats_core.io.layouts import long_table, not_results, prediction_tables, published_summary, wide_table
from stats_core.io.mapping import Mapping
from stats_core.io.problems import Question, problem_of, question_of
from stats_core.io.profile import LEAD, LEAST, LayoutEvidence, LayoutHypothesis, Profile
from stats_core.io.text_cells import TextTable
from stats_core.io.vocabulary import direction_of, guess_roles, with_role

# a new layout needs a module in `layouts` and a reader in parse_layout.py
_PROPOSERS: tuple[Callable[[Profile], Iterator[LayoutHypothesis]], ...] = (
    long_table.match_long_table,
    prediction_tables.match_long_predictions,
    wide_table.match_grid_search,
    wide_table.match_multi_header,
    wide_table.match_fold_columns,
    prediction_tables.match_wide_predictions,
    wide_table.match_wide_table,
    published_summary.match_published_summary,
    not_results.match_not_results,
)
_PREVIEW_ROWS = 8
_IN_WORDS = {
    "fold scores": "one row per result",
    "confusion counts": "counts, one row per result",
    "predictions": "predictions, one row per case and algorithm",
    "wide predictions": "predictions, one column per algorithm",
    "grid search": "a grid search, one column per split",
    "resamples": "one algorithm, one column per resample",
    "wide table": "one column per algorithm",
    "wide folds": "one column per algorithm, one row per fold",
    "transposed table": "one column per data set",
    "crossed headers": "one column per algorithm and measure",
    RANKS: "average ranks",
    WINS: "wins",
    DECISIONS: "decisions",
}


@dataclass(frozen=True, kw_only=True, eq=False)
class LayoutMatch:
    """A table with its most likely layout and the alternatives.

    Attributes
    ----------
    table : NumericTable
        The rows that are used.
    taken : LayoutHypothesis
        The chosen layout.
    others : tuple of LayoutHypothesis
        Other layouts, most likely first.
    notes : tuple of Message
        Rows and cells that were left out or rearranged before.
    """

    table: TextTable
    taken: LayoutHypothesis
    others: tuple[LayoutHypothesis, ...] = ()
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
        """The layout described in one sentence."""
        return _describe_layout(self.table.frame, self.taken)

    def columns(self) -> pd.DataFrame:
        """Return every column with its role, the reason, and an example."""
        table = pd.DataFrame({"column": list(self.table.frame)})
        table["meaning"] = [self.taken.roles.get(name, "ignore") for name in table["column"]]
        table["reason"] = [str(self.taken.reasons.get(name, "")) for name in table["column"]]
        table["example"] = [next(filter(None, self.table.frame[name]), "") for name in table["column"]]
        return table


def _describe_layout(frame: pd.DataFrame, hypothesis: LayoutHypothesis) -> str:
    """Return one sentence on the content of a table in a given layout."""
    if hypothesis.refusal is not None:
        return f"{hypothesis.refusal.found}."
    layout = capitalize_first(_IN_WORDS[hypothesis.layout])
    if hypothesis.published is not None:
        return f"{layout} of {_named('algorithm', hypothesis.published.names)}."
    by_role = {role: with_role(hypothesis.roles, role) for role in hypothesis.roles.values()}
    text = f"{layout}: {_algorithms_phrase(frame, hypothesis, by_role)}{_where(frame, hypothesis, by_role)}"
    if "true" in by_role:
        text += f'; "{by_role["true"][0]}" is the truth'
    measures = [hypothesis.measure] if hypothesis.measure else by_role.get("measure", [])
    if measures:
        directions = [hypothesis.directions.get(m) or direction_of(m) for m in measures]
        better = [f"{m}, {d} is better" if d else m for m, d in zip(measures, directions, strict=True)]
        text += f"; {join_names(better, 6)}"
    return f"{text}; rows that nothing tells apart are folds." if hypothesis.rows == "folds" else f"{text}."


def _named(noun: str, names: Iterable[str]) -> str:
    """Return a count with its noun and, in brackets, the names counted."""
    names = list(dict.fromkeys(names))
    return f"{format_count(len(names), noun)} ({join_names(names)})"


def _algorithms_phrase(frame: pd.DataFrame, hypothesis: LayoutHypothesis, by_role: dict[str, list[str]]) -> str:
    results = by_role.get("result", [])
    match hypothesis.layout:
        case "wide table" | "wide folds":
            return _named("algorithm", results)
        case "crossed headers":
            return _named("algorithm", (name for name, _ in wide_table.headers_of(results).values()))
        case "wide predictions":
            return _named("model", prediction_tables.models_of(results, frame, frame[by_role["true"][0]]))
    if "algorithm" in by_role:
        keys = by_role["algorithm"] + by_role.get("part of algorithm", [])
        return f"{format_count(distinct_rows(frame, keys), 'algorithm')} named by {join_names(keys)}"
    return "one algorithm, named after the file"


def _where(frame: pd.DataFrame, hypothesis: LayoutHypothesis, by_role: dict[str, list[str]]) -> str:
    if hypothesis.layout in ("predictions", "wide predictions"):
        return f" on {format_count(len(frame), 'row')}"
    folds = by_role.get("fold", []) + by_role.get("repetition", [])
    by = f", folds by {join_names(folds)}" if folds else ""
    if hypothesis.layout == "transposed table":
        return f" on {_named('data set', by_role['result'])}{by}"
    if "dataset" not in by_role:
        return f" on one data set{by}"
    keys = by_role["dataset"] + by_role.get("part of dataset", [])
    if hypothesis.layout == "resamples":
        by = f", {format_count(len(by_role['resample']), 'resample')} each"
    return f" on {format_count(distinct_rows(frame, keys), 'data set')} named by {join_names(keys)}{by}"


def infer_layout(table: TextTable, mapping: Mapping, *, several: bool) -> LayoutMatch:
    """Return the most likely layout of a table, with alternatives and evidence."""
    table, notes = _prepared(table, mapping)
    profile = Profile(table, mapping, several)
    hypotheses = _hypotheses(profile)
    if not hypotheses:
        raise _nothing_known(profile)
    first, *others = hypotheses
    rivals = tuple(hypothesis for hypothesis in others if hypothesis.weight > first.weight - LEAD)
    if profile.declared:
        first = _with_own_reasons(first, profile)
    return LayoutMatch(table=table, taken=first, others=tuple(others), notes=tuple(notes), near=rivals)


def _hypotheses(profile: Profile) -> list[LayoutHypothesis]:
    """Return the layouts with enough evidence, or all candidates if the user set roles, likeliest first."""
    declared = profile.mapping.holds
    proposers = (published_summary.match_published_summary,) if declared else _PROPOSERS
    hypotheses = [hypothesis for propose in proposers for hypothesis in propose(profile)]
    likely = [hypothesis for hypothesis in hypotheses if hypothesis.weight >= LEAST or profile.declared or declared]
    return [parse_layout.with_tags(profile, h) for h in sorted(likely, key=lambda hypothesis: -hypothesis.weight)]


def _with_own_reasons(hypothesis: LayoutHypothesis, profile: Profile) -> LayoutHypothesis:
    """Restore the inferred reason of each column whose role the user only confirmed.

    An accepted guess sets the role of every column, although the user chose few of them.
    """
    for inferred in _hypotheses(replace(profile, mapping=replace(profile.mapping, roles={})))[:1]:
        confirmed = [
            n for n in inferred.reasons if n in profile.declared and inferred.roles.get(n) == hypothesis.roles.get(n)
        ]
        return replace(
            hypothesis, reasons={**hypothesis.reasons, **{name: inferred.reasons[name] for name in confirmed}}
        )
    return hypothesis


def _prepared(table: TextTable, mapping: Mapping) -> tuple[TextTable, list[Message]]:
    """Drop training and summary rows, and give every measure its own column."""
    notes: list[Message] = []
    for prepare in (reshape.split_test_rows, reshape.nested_runs, reshape.spread_cells):
        table, step_notes = prepare(table)
        notes += step_notes
    declared = {name: role for name, role in mapping.roles.items() if name in table.frame}
    table, measure_notes = reshape.spread_measures(
        table, {**guess_roles([n for n in table.frame if n not in declared]), **declared}
    )
    frame, summary_notes = reshape.without_summary_rows(table.frame)
    return replace(table, frame=frame), [*notes, *measure_notes, *summary_notes]


def accept_or_ask(understanding: LayoutMatch, mapping: Mapping) -> LayoutMatch:
    """Return the match if it is unambiguous and holds results; else raise a question or refusal."""
    accepted, table = understanding.taken, understanding.table
    if accepted.refusal is not None:
        raise NeedsMapping(
            [accepted.refusal.problem(table.name)],
            guess=mapping,
            preview=table.frame.head(_PREVIEW_ROWS),
            question="This does not look like results that can be compared",
            about="nothing",
        )
    rivals = [h for h in understanding.near if h.refusal is not None or dict(h.roles) != dict(accepted.roles)]
    if rivals and not mapping.roles:
        if refusal := rivals[0].refusal:
            do = "If they are, give the roles of the columns with `roles`"
            texts = {"must": refusal.must, "found": refusal.found, "do": do}
            doubt = Question(about="columns", question="Are these results of algorithms?", **texts)
            raise _asking(table, mapping, [doubt], [accepted])
        raise _asking(table, mapping, [_which_way(accepted, rivals[0]), *accepted.asks], [accepted, rivals[0]])
    if accepted.asks:
        raise _asking(table, mapping, accepted.asks, [accepted])
    return understanding


def _which_way(accepted: LayoutHypothesis, rival: LayoutHypothesis) -> Question:
    """Return the question which of two layouts is meant."""
    if {accepted.layout, rival.layout} == {"wide table", "transposed table"}:
        rows = next((n for n, r in rival.roles.items() if r in ("algorithm", "dataset")), "")
        labels = join_names(with_role(accepted.roles, "result"), 2)
        question = f'Are the columns ({labels}) to be compared, or the rows named in "{rows}"?'
    else:
        question = f"Is this {_IN_WORDS[accepted.layout]}, or {_IN_WORDS[rival.layout]}?"
    return question_of("two layouts", question=question)


def _asking(
    table: TextTable, mapping: Mapping, asks: Sequence[Question], layouts: Sequence[LayoutHypothesis]
) -> NeedsMapping:
    """Return the error that asks some questions and offers layouts, the guess first."""
    return NeedsMapping(
        [ask.problem(table.name) for ask in asks],
        guess=_as_mapping(layouts[0], mapping),
        preview=table.frame.head(_PREVIEW_ROWS),
        question=" ".join(dict.fromkeys(ask.question for ask in asks)),
        about=asks[0].about,
        fields=tuple(ask.field for ask in asks if ask.field),
        options=tuple((_describe_layout(table.frame, layout), _as_mapping(layout, mapping)) for layout in layouts),
    )


def _as_mapping(accepted: LayoutHypothesis, mapping: Mapping) -> Mapping:
    """Return the mapping that selects a given layout."""
    if accepted.published is not None:
        return replace(mapping, holds=accepted.layout)
    return replace(
        mapping,
        roles=dict(accepted.roles),
        directions={**accepted.directions, **mapping.directions},
        measure_name=accepted.measure or mapping.measure_name,
        rows=accepted.rows,
    )


def _nothing_known(profile: Profile) -> NeedsMapping:
    """Return the error for a table without any likely layout, naming what is missing."""
    names = list(profile.frame.columns)
    if "algorithm" in profile.named.values():
        must, do = "needs a column that holds a measure", 'rename it, for example to "error"'
    elif not profile.texts:
        must = "needs a column that names the data set or the fold"
        do = 'add a column "dataset" with a name in every row'
    else:
        must = "needs a column that names the algorithm, or a column of results per algorithm"
        do = 'name the columns, for example "algorithm", "dataset", "fold" and "accuracy"'
    restriction = "" if profile.texts else " numbers only"
    return NeedsMapping(
        [problem_of("nothing known", profile.table.name, must=must, restriction=restriction, names=names, do=do)],
        guess=profile.mapping,
        preview=profile.frame.head(_PREVIEW_ROWS),
        question="What do these columns mean?",
        about="columns",
    )


def left_out(understanding: LayoutMatch) -> list[Message]:
    """Return one note per reason for the columns that are not used."""
    by_reason: dict[str, list[str]] = {}
    for name, role in understanding.roles.items():
        if role == "ignore" and name in understanding.taken.reasons:
            by_reason.setdefault(str(understanding.taken.reasons[name]), []).append(name)
    return [message("columns left out", because=because, columns=tuple(names)) for because, names in by_reason.items()]
