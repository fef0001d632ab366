"""Texts of the reasons and evidence for a table layout, and of questions about it."""

import numpy as np

from stats_core.core.formatting import format_count, format_percent, join_names, quote
from stats_core.core.messages import Audience, Message, message, message_text
from stats_core.io.profile import Profile
from stats_core.io.scoring import LayoutEvidence, Question
from stats_core.io.vocabulary import (
    direction_of,
    is_rate,
    measure_in_name,
    measure_in_text,
    split_declared_role,
)

UNNAMED = "score"  # name of a measure without a known name


def ask(about: str, text: str, *, must: str, found: str, do: str) -> Question:
    """Return a question."""
    return Question(about=about, question=text, must=must, found=found, do=do)


def direction_question(profile: Profile, measure: str) -> Question:
    """Return the question which values of a measure are better."""
    return ask(
        "direction",
        f'Which values of "{measure}" are better, higher or lower ones?',
        must=f'needs to know which values of "{measure}" are better',
        found="Its name does not tell",
        do=f'Give it with `directions`, or name the column "{measure} (higher is better)"',
    )


def upper_bound(numbers: np.ndarray) -> float:
    """Return 1 or 100 if numbers lie in that range, many in its upper half, else 0.

    Rates for which higher is better fill the upper half of the scale; errors seldom do.
    """
    present = numbers[~np.isnan(numbers)]
    for scale in (1.0, 100.0):
        if len(present) and present.min() >= 0 and present.max() <= scale * (1 + 1e-9):
            return scale if np.mean(present > scale / 2) >= 0.25 else 0.0
    return 0.0


def told_measure(profile: Profile, results: list[str]) -> str:
    """Return the measure in the file name or the table title, "" if there is none.

    Contradicting names, and a rate outside the range of the numbers, count as none.
    """
    by_file, by_title = measure_in_name(profile.stem), measure_in_text(profile.table.title)
    if by_title and not _may_be(by_title, profile.matrix(results)):
        by_title = ""
    if by_file and by_title and direction_of(by_file) != direction_of(by_title):
        return ""
    return by_file or by_title


def _may_be(measure: str, numbers: np.ndarray) -> bool:
    """Return whether the numbers lie in the range of the measure, as fractions or percentages."""
    low, high = np.nanmin(numbers), np.nanmax(numbers)
    return not is_rate(measure) or bool(low >= 0 and high <= 100 * (1 + 1e-9))


def one_measure(profile: Profile, told: str) -> tuple[str, str]:
    """Return name and direction of a table's only measure, each "" if unknown.

    The user's settings take precedence over the table and are not respelled.
    """
    mapping = profile.mapping
    name = mapping.measure_name or told
    if not name and len(mapping.directions) == 1:
        name = next(iter(mapping.directions))
    direction = mapping.direction_of(name)
    bare_name, declared = split_declared_role(name)
    return (bare_name if declared in ("lower", "higher") else name), direction


def measure_notes(profile: Profile, measure: str) -> tuple[Message, ...]:
    """Return the note that the measure was taken from the table title, if it was."""
    title = profile.table.title
    by_file = measure_in_name(profile.stem)
    if profile.mapping.measure_name or by_file or measure_in_text(title) != measure or not measure:
        return ()
    return (message("measure in title", title=title, measure=measure),)


@message_text("measure in title")
def _in_title(voice: Audience, title: str, measure: str) -> str:
    return f"Measure taken from the caption or heading {quote(title)}: {measure}."


def measure_question(name: str, found: str) -> Question:
    """Return the question about name and direction of a table's only measure."""
    return ask(
        "direction",
        f"Are higher values of {name} better?"
        if name
        else "What do the numbers measure, and are higher ones better?",
        must="needs to know what the numbers measure and which are better",
        found=found,
        do="Name the measure with `measure_name`, such as accuracy"
        if not name
        else "Give the direction, higher or lower, with `directions`",
    )


_PLAIN = {
    # reasons for the role of a column
    "name": "its name says so",
    "said": "you said so",
    "only file": "nothing else names it",
    "sibling": "it shares the scale of the columns beside it",
    "unique key": "every row has another value, and the numbers beside it share a scale",
    "repeated key": "its values repeat alike, so its rows are folds",
    "row labels": "it names the rows",
    "column of a split": "it is one split of the grid search",
    "crossed": "its header names an algorithm and a kind of number",
    "resample": "its header counts on from the one before",
    "needed key": "rows are told apart by it",
    "measure by name": "its name is a measure's",
    "cost by name": "its name is a cost's",
    "size": "it describes the data sets: another scale than the results",
    "other measure": "it is another measure: its name says so, and its scale is another",
    "sums up": "it sums up the other columns",
    "cost": "it is a cost: another scale than the results",
    "tags": "it tags the data sets, several have the same",
    "no group": "every data set has another value, so it makes no groups",
    "varies": "it varies within data sets, so it tags none",
    "constant": "the same stands in every row",
    "empty": "nothing stands in it",
    "counter": "it only numbers the rows",
    "not needed": "nothing needs it",
    "text": "it holds texts, and no key needs it",
    "spread": "it tells how far results lie apart",
    "determined": "it repeats what another column says",
    "no direction": "it is not known which of its values are better",
    "truth": "the labels of the other columns are compared with it",
    "labels of a model": "its labels are those of the truth",
    "scores of a model": "its numbers rank the cases as the truth does",
    "named as a model": "it is named as the columns of the other models are",
    "score of a class": "it holds the probability of one class",
    "case": "every row has another value: it names the case",
    "shared case": "each value once for every algorithm, with one true label: it names the case",
    "metric names": "it names the measure of each row",
    "metric values": "it holds the value of each row",
    "mean of others": "it is the mean of the rows of its key",
    "part of name": "rows that are alike otherwise differ in it",
    "setting": "it is a setting of the algorithm",
    "bookkeeping": "it tells of the run, not of its result",
    "about another": "it says something about the column it is named after",
    "difference": "it is the difference of two other columns",
    "validation": "it was measured on validation data, and another column on test data",
}
for _code, _words in _PLAIN.items():
    message_text(f"role: {_code}")(lambda voice, words=_words: words)


def role_reason(code: str) -> Message:
    """Return the message with the reason for a column's role."""
    return message(f"role: {code}")


def observation(code: str, **values: object) -> Message:
    """Return the message of an observation."""
    return message(f"seen: {code}", **values)


def weighted_observation(weight: int, code: str, **values: object) -> LayoutEvidence:
    """Return an observation with its weight as evidence."""
    return LayoutEvidence(weight, observation(code, **values))


def _quoted(columns: tuple) -> str:
    return join_names([f'"{name}"' for name in columns])


def _sentence(code: str, text: str) -> None:
    message_text(f"seen: {code}")(lambda voice, **values: text.format(**values))


for _code, _words in {
    "columns of splits": "{columns} columns hold one split each.",
    "algorithms named": '"{column}" names the algorithm.',
    "algorithms repeat": 'The names in "{column}" repeat, {n} of them.',
    "one file each": "Each file is of one algorithm.",
    "datasets named": '"{column}" names the data set.',
    "folds named": '"{column}" numbers the folds.',
    "keys unique": "No two rows have the same key.",
    "keys repeat": "Rows have the same key.",
    "counts": "tp, fp, tn and fn stand side by side.",
    "direction in question": "The name does not tell which values are better.",
    "one unique key": 'Every row has another "{column}".',
    "equal repetition": 'Each "{column}" stands {n} times.',
    "header counts": "The headers count from {first} to {last}.",
    "one measure in file name": "The file's name holds the measure, {measure}.",
    "headers count": "The headers cross names with numbers, so they are no algorithms.",
    "corner": 'The corner says what the columns are: "{corner}".',
    "first key by custom": "Rows of a table of averages usually are data sets.",
    "rows named as models": "Row labels such as {label} are names of algorithms.",
    "columns named as models": "Headers such as {label} are names of algorithms.",
    "case column": 'Every row has another "{column}".',
    "shared cases": 'Every algorithm has each "{column}" once, with the same true label.',
    "truth named": '"{column}" is named as the true label.',
    "prediction named": '"{column}" is named as the prediction.',
    "steps": '"{column}" counts up.',
    "many classes": "There are {n} classes.",
    "curve": '"{second}" is given along "{first}".',
    "no repetition": "Nothing repeats: no fold, no data set.",
    "average ranks": '"{column}" holds average ranks.',
    "many kinds": "{texts} columns of texts and {numbers} of numbers have nothing in common.",
    "labels only": '"{column}" holds labels.',
    "matrix of itself": 'The names in "{column}" are those of the columns.',
    "crossed": "The headers cross {n} names with {kinds}.",
    "confusion": 'Rows "{column}" and columns are the same classes.',
    "numbers unnamed": "Nothing says what the numbers measure.",
    "no key": "No column names the rows.",
    "ranks add up": "They add up to what average ranks of {k} algorithms must.",
    "empty diagonal": "The diagonal is empty.",
    "zeros and ones": "The other cells are 0 or 1.",
    "counts of wins": "The other cells count.",
    "one column of numbers": '"{column}" is the only column of results.',
}.items():
    _sentence(_code, _words)


@message_text("seen: measures named")
def _measures(voice: Audience, columns: tuple) -> str:
    verb = "is" if len(columns) == 1 else "are"
    return f"{_quoted(columns)} {verb} named after measures."


for _code, _words in {
    "finished test": "{} are what a test gives.",
    "tracker": "{} are what a tracker of runs writes.",
    "sizes of data sets": "{} describe data sets.",
    "duels": "{} say who met whom, and who won.",
    "columns unused": "{} would have no meaning.",
}.items():
    message_text(f"seen: {_code}")(
        lambda voice, columns, words=_words: words.format(join_names(list(columns)))
    )


@message_text("seen: one scale")
def _one_scale(voice: Audience, columns: int, low: float, high: float) -> str:
    return f"{format_count(columns, 'column')} share one scale, {low:.4g} to {high:.4g}."


@message_text("seen: scales apart")
def _scales_apart(voice: Audience, columns: tuple) -> str:
    return f"The columns have scales of their own ({join_names(list(columns))})."


@message_text("seen: agreement")
def _agreement(voice: Audience, columns: tuple, share: float) -> str:
    return f"{join_names(list(columns))} agree with the truth in {format_percent(round(share, 2))} of the rows."


@message_text("seen: ranking")
def _ranking(voice: Audience, columns: tuple) -> str:
    return f"{join_names(list(columns))} rank the cases as the truth does."


@message_text("seen: class columns")
def _class_columns(voice: Audience, columns: tuple) -> str:
    return f"{join_names(list(columns))} hold the probability of a class each."


@message_text("seen: right answers")
def _right_answers(voice: Audience, right: str, columns: tuple) -> str:
    return f'"{right}" says where {_quoted(columns)} agree.'
