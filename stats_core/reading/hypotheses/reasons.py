"""The words for what was seen in a table: why a column has its role, why a table is read so."""

from stats_core.core.notes import Note, Voice, note, worded
from stats_core.core.words import count, listed, percent
from stats_core.reading.evidence import Evidence

_PLAIN = {
    # why a column has its role
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
    worded(f"role: {_code}")(lambda voice, words=_words: words)


def because(code: str) -> Note:
    """Return why a column has its role."""
    return note(f"role: {code}")


def seen(code: str, **values: object) -> Note:
    """Return an observation."""
    return note(f"seen: {code}", **values)


def evidence(weight: int, code: str, **values: object) -> Evidence:
    """Return an observation with its weight."""
    return Evidence(weight, seen(code, **values))


def _quoted(columns: tuple) -> str:
    return listed([f'"{name}"' for name in columns])


def _sentence(code: str, text: str) -> None:
    worded(f"seen: {code}")(lambda voice, **values: text.format(**values))


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


@worded("seen: measures named")
def _measures(voice: Voice, columns: tuple) -> str:
    verb = "is" if len(columns) == 1 else "are"
    return f"{_quoted(columns)} {verb} named after measures."


for _code, _words in {
    "finished test": "{} are what a test gives.",
    "tracker": "{} are what a tracker of runs writes.",
    "sizes of data sets": "{} describe data sets.",
    "duels": "{} say who met whom, and who won.",
    "columns unused": "{} would have no meaning.",
}.items():
    worded(f"seen: {_code}")(
        lambda voice, columns, words=_words: words.format(listed(list(columns)))
    )


@worded("seen: one scale")
def _one_scale(voice: Voice, columns: int, low: float, high: float) -> str:
    return f"{count(columns, 'column')} share one scale, {low:.4g} to {high:.4g}."


@worded("seen: scales apart")
def _scales_apart(voice: Voice, columns: tuple) -> str:
    return f"The columns have scales of their own ({listed(list(columns))})."


@worded("seen: agreement")
def _agreement(voice: Voice, columns: tuple, share: float) -> str:
    return (
        f"{listed(list(columns))} agree with the truth in {percent(round(share, 2))} of the rows."
    )


@worded("seen: ranking")
def _ranking(voice: Voice, columns: tuple) -> str:
    return f"{listed(list(columns))} rank the cases as the truth does."


@worded("seen: class columns")
def _class_columns(voice: Voice, columns: tuple) -> str:
    return f"{listed(list(columns))} hold the probability of a class each."


@worded("seen: right answers")
def _right_answers(voice: Voice, right: str, columns: tuple) -> str:
    return f'"{right}" says where {_quoted(columns)} agree.'
