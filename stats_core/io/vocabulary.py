"""Vocabulary of column names: words that denote roles, measures and costs."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from functools import lru_cache
from os.path import commonprefix
from pathlib import Path, PurePosixPath
from typing import Literal, get_args

from stats_core.core.messages import read_texts
from stats_core.data.measures import MEASURES, known_name

_KEPT_ELSEWHERE = ("tags.", "tags/", "user_attrs", "system_attrs")


Role = Literal[
    "dataset",
    "algorithm",
    "repetition",
    "fold",
    "instance",
    "true",
    "predicted",
    "score",
    "tp",
    "fp",
    "tn",
    "fn",
    "n_train",
    "n_test",
    "measure",
    "cost",
    "design",
    "part of dataset",
    "part of algorithm",
    "result",
    "resample",
    "group",
    "cluster",
    "answer",
    "text",
    "time",
    "ignore",
]
ROLES: tuple[str, ...] = get_args(Role)

_TABLES = read_texts("io/columns.toml")
WORDS = {
    name: dict.fromkeys(words.split()).keys()  # ordered sets
    for table in ("words", "names")
    for name, words in _TABLES[table].items()
}
_PATTERNS = {
    name: re.compile("|".join(alternatives.split()), re.IGNORECASE)
    for name, alternatives in _TABLES["patterns"].items()
}
_ROLE_OF = {alias: role for role, aliases in _TABLES["roles"].items() for alias in aliases.split()}
# measures that keep their names -> direction
OTHER_MEASURES = {
    name: direction
    for field in _TABLES["measures"].values()
    for direction, names in field.items()
    for name in names.split()
}
_SHORT_MEASURES = {
    name: direction
    for direction, names in _TABLES["short measures"].items()
    for name in names.split()
}
_NUMBERED = re.compile(
    r"(?<=[a-z]{3})(?:s|ids?|no|nr|num|number|idx|index|key|name)$"
)  # "patientid"
_COUNTS = ("tp", "fp", "tn", "fn")
_OPPOSITE = {"higher": "lower", "lower": "higher"}
_CHANGES = ("decreases", "increases", "improvements", "worsenings", "unclear differences")
# role that a name has only if no clearer column does
_WEAK = {
    alias: role for role, aliases in _TABLES["weak roles"].items() for alias in aliases.split()
}
_SAME_KIND = {"fold": {"fold", "repetition"}, "repetition": {"fold", "repetition"}}
_CACHED = 50_000  # names, more than the columns of most tables
_LONGEST = 6  # words of a measure's name in a text


@lru_cache(maxsize=_CACHED)
def normalized_name(name: str) -> str:
    """Return a column name in lower case without blanks, dots, hyphens and underscores."""
    return re.sub(r"[\s_\-.]+", "", name).lower()


def split_declared_role(name: str) -> tuple[str, str]:
    """Return name and "higher", "lower", "cost" or "group" of a header like "speed (cost)", else the header and ""."""
    match = _PATTERNS["declared"].match(name)
    if not match:
        return name, ""
    return match[1], match[2].split()[0].lower()


@lru_cache(maxsize=_CACHED)
def role_in_name(name: str) -> str:
    """Return the role that a column name denotes, "" if none."""
    if split_declared_role(name)[1] == "group":
        return "group"
    normalized = normalized_name(name)
    if role := _ROLE_OF.get(normalized, ""):
        return role
    runs = ("fold", "repetition")
    return next((role for role in runs if _PATTERNS[role].fullmatch(normalized)), "")


def guess_roles(columns: Iterable[str]) -> dict[str, str]:
    """Return the roles that column names denote, by column; each role except "group" is assigned at most once.

    Counts need all four names: a single FP has no role. Scores, predicted labels and instances need
    true labels. True labels need one of these or class probabilities. Names such as "seed" and
    "env" denote a repetition, fold or data set only if no other column does. Names such as "Fold1"
    and "Fold2" denote results of folds.

    Examples
    --------
    >>> guess_roles(["dataset", "FP", "HC2"])
    {'dataset': 'dataset'}
    """
    roles: dict[str, str] = {}
    columns = list(columns)
    of_class = class_columns(columns)  # "prob_a" is not "proba"
    has_all_counts = set(_COUNTS) <= {role_in_name(name) for name in columns}
    numbered = Counter(_without_number(name) for name in columns)
    for name in columns:
        is_one_of_many = numbered[_without_number(name)] > 1 and name[-1:].isdigit()
        role = role_in_name(name) if name not in of_class and not is_one_of_many else ""
        is_free = role == "group" or role not in roles.values()
        if role and is_free and (has_all_counts or role not in _COUNTS):
            roles[name] = role
    for name in columns:
        role = _WEAK.get(normalized_name(name), "")
        if role and _SAME_KIND.get(role, {role}).isdisjoint(roles.values()):
            roles[name] = role
    if "true" not in roles.values():  # scores refer to instances only if there are true labels
        roles = {
            name: role
            for name, role in roles.items()
            if role not in ("score", "predicted", "instance")
        }
    elif not {"score", "predicted", "instance"} & set(roles.values()) and not class_columns(
        columns
    ):
        roles = {name: role for name, role in roles.items() if role != "true"}
    return roles


def _without_number(name: str) -> str:
    """Return a normalized name without digits at the end."""
    return normalized_name(name).rstrip("0123456789")


def class_columns(columns: Iterable[str]) -> dict[str, str]:
    """Return the class of each column of class probabilities ("p0", "prob_yes"), {} if fewer than two are found."""
    matches = {name: _PATTERNS["class"].fullmatch(name) for name in columns}
    classes = {name: match[1] for name, match in matches.items() if match and name not in _ROLE_OF}
    are_numbers = all(text.isdigit() for text in classes.values())
    have_prefix = all("prob" in name.lower() for name in classes)
    return classes if len(classes) >= 2 and (are_numbers or have_prefix) else {}


@lru_cache(maxsize=_CACHED)
def known_measure(column: str) -> tuple[str, str] | None:
    """Return canonical name and direction of the measure a column name denotes, None if unknown.

    Other spellings get the usual name; "test_error" keeps its own, with the direction of error. A
    header like "speed (higher is better)" gives the name and direction that it states.
    """
    bare_name, declared = split_declared_role(column)
    if declared in ("higher", "lower"):
        return bare_name, declared
    if declared == "group":
        return None
    if prefix := _PATTERNS["group"].match(bare_name):
        bare_name = bare_name[prefix.end() :]
    text = _without_unit(bare_name)
    if name := known_name(text):
        return name, MEASURES[name].direction
    if text == "testscore":  # scikit-learn: higher scores are better
        return bare_name, "higher"
    if direction := _direction_in_context(bare_name):
        return bare_name, direction
    for core in _cores(text):
        if _is_negated(core):
            return bare_name, "higher"
        if name := known_name(core):
            return bare_name, MEASURES[name].direction
        if core in OTHER_MEASURES:
            return bare_name, OTHER_MEASURES[core]
    return None


def _direction_in_context(name: str) -> str:
    """Return the direction of a measure with a cutoff, a unit or a log level; else ""."""
    if prefix := _PATTERNS["logged"].match(name):  # "eval/mean_reward"
        measure = known_measure(name[prefix.end() :])
        return measure[1] if measure else ""
    plain = _PATTERNS["arrow"].sub("", name)
    plain = _PATTERNS["unit"].sub("", plain)
    if cutoff := _PATTERNS["cutoff"].search(plain):  # "Recall@10"
        core = plain[: cutoff.start()]
        if is_listed(core, "measures before a cutoff"):
            return "higher"
        measure = known_measure(core)
        return measure[1] if measure else _SHORT_MEASURES.get(normalized_name(core), "")
    text = _without_unit(name)
    core = re.sub(r"^(test|val(id(ation)?)?)|(test|val)$", "", text)
    if core != text or _PATTERNS["stated unit"].search(name):
        return _SHORT_MEASURES.get(core, "")
    return ""


@lru_cache(maxsize=_CACHED)
def direction_of(column: str) -> str:
    """Return "lower" or "higher" if a measure's name implies the better direction, else "".

    Examples
    --------
    >>> direction_of("accuracy"), direction_of("validation loss"), direction_of("WER (lower is better)")
    ('higher', 'lower', 'lower')
    >>> direction_of("speed"), direction_of("neg_max_error")
    ('', 'higher')
    >>> direction_of("accuracy_drop"), direction_of("time saved"), direction_of("f1_gap")
    ('lower', 'higher', '')
    """
    if measure := known_measure(column):
        return measure[1]
    direction = _direction_of_change(column)
    if direction is not None:
        return direction
    return _direction_of_class(column) or _direction_by_words(words_of(column))


def _direction_by_words(words: Sequence[str]) -> str:
    """Return the direction that single words of a name imply, "" if none does or two disagree."""
    core = _core(words)
    if core and core[-1] in WORDS["properties of measures"]:  # "loss_weight"
        return ""
    low, high = (_any_listed(words, f"{way} is better") for way in ("lower", "higher"))
    if low and {"neg", "negative"} & {*words}:
        # scikit-learn negates errors; "negative error rate" is unclear
        return "higher" if "neg" in words else ""
    if low and high:  # an accuracy loss is a drop or a loss
        is_loss = core[-1] == "loss" or core[:2] in (["loss", "of"], ["loss", "in"])
        return "lower" if is_loss else ""
    return "lower" if low else "higher" if high else ""


def _direction_of_class(name: str) -> str:
    """Return the direction of a measure of one class, such as "per_class_f1.Old-Time", else ""."""
    measure, separator, label = (re.split("([./:])", name, maxsplit=1) + ["", ""])[:3]
    if not separator or _PATTERNS["cost"].search(measure):
        return ""
    plain = WORDS["descriptive"] | WORDS["transparent"]
    named = [w for w in words_of(label) if w not in plain and not _direction_by_words([w])]
    return _direction_by_words(words_of(measure)) if named else ""


def _any_listed(words: Iterable[str], word_list: str) -> bool:
    """Return whether a word, or its form without s, is in a word list."""
    return not WORDS[word_list].isdisjoint(
        {form for word in words for form in (word, word.removesuffix("s"))}
    )


def _core(words: Sequence[str]) -> list[str]:
    """Return the words of a name without such as "mean" and "test"."""
    return [word for word in words if word not in WORDS["transparent"]]


@lru_cache(maxsize=_CACHED)
def _direction_of_change(name: str) -> str | None:
    """Return the direction of a change of a measure, "" if unknown, None for no change.

    A change is named after its measure ("accuracy_drop"), or before it ("drop in accuracy",
    "delta_f1"). In "change_detection_f1", the word belongs to something else.
    """
    if complement := _PATTERNS["complement"].match(name):  # "1 - AUC"
        measure = known_measure(name[complement.end() :])
        return _OPPOSITE[measure[1]] if measure else None
    text = re.sub("[\u0394\u03b4\u2206]", " delta ", _PATTERNS["speedup"].sub(" speedup ", name))
    words = _core(words_of(re.sub(r"([A-Z0-9])([A-Z][a-z])", r"\1 \2", text)))  # "RMSEReduction"
    turns = [i for i, word in enumerate(words) if _turn(word)]
    if not turns:
        return None
    position = turns[-1]
    before, after = words[:position], words[position + 1 :]
    references = [i for i, word in enumerate(after) if word in WORDS["words of a reference"]]
    after = after[: references[0]] if references else after
    if before:
        own, others = _direction_of_part(before), _direction_by_words(after)
        if not after or (own and not others):
            return _turned(words[position], own)
        return "" if own else None
    if not after:
        return _turned(words[position], "")
    of_measure = after[1:] if after[0] in WORDS["words of a difference"] else after
    is_named = of_measure != after or _direction_of_part(of_measure[:1])
    return _turned(words[position], _direction_of_part(of_measure)) if is_named else None


def _turn(word: str) -> str:
    """Return the kind of change that a word denotes, "" if none."""
    return next((kind for kind in _CHANGES if word in WORDS[kind]), "")


def _turned(word: str, direction: str) -> str:
    """Return the direction of the change of a measure with a direction, "" if unknown."""
    kind = _turn(word)
    if kind in ("improvements", "worsenings"):
        return "higher" if kind == "improvements" else "lower"
    if kind == "decreases":
        return _OPPOSITE.get(direction, "")
    if kind == "increases":  # whether a gain in loss is a larger loss is unclear
        is_clear = direction == "higher" or word.startswith("increase")
        return direction if is_clear else ""
    return ""


def _direction_of_part(words: Sequence[str]) -> str:
    """Return the direction of a measure or cost within a name."""
    text = " ".join(words)
    if measure := known_measure(text):
        return measure[1]
    return _direction_by_words(words) or ("lower" if _PATTERNS["cost"].search(text) else "")


def is_rate(measure: str) -> bool:
    """Return whether a measure is known to lie in [0, 1], or in percent."""
    text = _without_unit(measure)
    return next((MEASURES[name].rate for name in map(known_name, _cores(text)) if name), False)


def may_be_no_rate(measure: str) -> bool:
    """Return whether a name, such as "test_error", denotes a rate or another error.

    Examples
    --------
    >>> may_be_no_rate("test_error"), may_be_no_rate("test error rate"), may_be_no_rate("error")
    (True, False, False)
    """
    text = _without_unit(measure)
    return text not in ("error", "err") and not {"error", "err"}.isdisjoint(_cores(text))


def in_percent(measure: str) -> bool:
    """Return whether a measure's name states that its values are in percent."""
    return re.search(r"percent|pct|%", measure, re.IGNORECASE) is not None


def spelling(measure: str) -> str:
    """Return a normalized name common to all spellings of a measure.

    Examples
    --------
    >>> spelling("Acc") == spelling("accuracy (%)"), spelling("Speed") == spelling("speed")
    (True, True)
    >>> spelling("accuracy") == spelling("error")
    False
    """
    recognized = known_measure(measure)
    return normalized_name(recognized[0] if recognized else measure)


def by_definition(measure: str) -> str:
    """Return the direction of a measure with a known definition, else "".

    Unlike `direction_of` it ignores single words of a name: higher values of "error
    reduction" are better.

    Examples
    --------
    >>> by_definition("Accuracy (%)"), by_definition("RMSE"), by_definition("error reduction")
    ('higher', 'lower', '')
    """
    bare_name = split_declared_role(measure)[0]
    recognized = known_measure(bare_name)
    return recognized[1] if recognized and normalized_name(bare_name) != "testscore" else ""


def _without_unit(measure: str) -> str:
    """Return a measure's name, normalized, without units such as "(%)" and arrows at its end."""
    bare = _PATTERNS["unit"].sub("", _PATTERNS["arrow"].sub("", measure))
    text = normalized_name(bare).replace("\u00b2", "2").replace("^", "")
    return re.sub(r"(percent|pct|%)$", "", text)


def _cores(text: str) -> list[str]:
    """Return the forms of a name such as "testf1macro" with and without its prefixes and suffixes, the name first."""
    base = re.sub(r"(macro|micro|weighted)$", "", text)
    ends = [text, base]
    for _ in range(2):  # "acc.test.mean"
        ends += [
            t.removesuffix(end)
            for t in ends
            for end in WORDS["suffixes of measures"]
            if t.endswith(end)
        ]
    cores = [*ends]
    for prefix in WORDS["prefixes of measures"]:
        cores += [t.removeprefix(prefix) for t in ends if t.startswith(prefix)]
    return [core for core in dict.fromkeys(cores) if core]


def _is_negated(text: str) -> bool:
    """Return whether a name is a negated loss, such as scikit-learn's "neg_log_loss"."""
    loss = text.removeprefix("neg").removeprefix("ative")
    name = known_name(loss)
    return loss != text and bool(name) and MEASURES[name].direction == "lower"


@lru_cache(maxsize=_CACHED)
def known_cost(column: str) -> str:
    """Return the name of the cost a column name denotes, without "(cost)"; "" if it is not a cost."""
    bare_name, declared = split_declared_role(column)
    if declared == "cost":
        return bare_name
    is_cost = _PATTERNS["cost"].search(bare_name) and not _PATTERNS["no cost"].search(bare_name)
    if not is_cost or declared or known_measure(column):
        return ""
    is_result = _direction_of_change(bare_name) is not None or _direction_of_class(bare_name)
    return "" if is_result else bare_name


def is_untested(name: str, others: Set[str]) -> bool:
    """Return whether a name is a training or validation result of a measure with a test result among normalized names."""
    words = re.split(r"([\s_\-./]+)", name.lower())
    tested = normalized_name(
        "".join("test" if word in WORDS["validation data"] else word for word in words)
    )
    plain = tested.replace("test", "")
    if plain == normalized_name(name):  # training data where both others exist, as Keras names them
        kinds = ({"test"}, WORDS["validation data"])
        return all(any({kind + plain, plain + kind} & others for kind in words) for words in kinds)
    if tested == normalized_name(name):
        return False
    return bool({tested, plain} & others)


@lru_cache(maxsize=_CACHED)
def names_measure(name: str) -> bool:
    """Return whether a name denotes a measure on data other than training data."""
    if known_measure(name):
        return True
    return (
        bool(direction_of(name))
        and not known_cost(name)
        and not {"train", "training"} & set(words_of(name))
    )


@lru_cache(maxsize=_CACHED)
def speaks_of_measure(name: str) -> bool:
    """Return whether a word of three or more characters in a name is a measure, as in "Pseudobulk_AUPRC"."""
    return any(known_measure(word) for word in words_of(name) if len(word) > 2)


@lru_cache(maxsize=_CACHED)
def is_spread(name: str) -> bool:
    """Return whether a column name denotes a spread, such as a standard deviation.

    Examples
    --------
    >>> is_spread("acc_std"), is_spread("Ours (standard deviation)"), is_spread("standard")
    (True, True, False)
    """
    if re.search(r"standard[\s_\-.]+(deviation|error)", name, re.IGNORECASE):
        return True
    return not WORDS["spreads"].isdisjoint(re.split(r"[\s_\-.()\[\]]+", name.lower()))


def file_stem(name: str) -> str:
    """Return a file name without folder and extension, "results" if nothing is left."""
    return Path(name).name.removesuffix(".gz").rsplit(".", 1)[0] or "results"


def short_paths(paths: Sequence[str]) -> list[str]:
    """Return file names without folders; if any two are equal, all with the folders that distinguish them."""
    parts = [PurePosixPath(path.replace("\\", "/")).parts for path in paths]
    names = [path_parts[-1] if path_parts else "" for path_parts in parts]
    if len(set(names)) == len(names):
        return names
    folders = [path_parts[:-1] for path_parts in parts]
    if len(set(map(len, folders))) == 1:
        levels = [level for level in zip(*folders, strict=True) if len(set(level)) > 1]
        folders = list(zip(*levels, strict=True)) or [()] * len(names)
    else:
        shared = len(commonprefix(folders))
        folders = [folder[shared:] for folder in folders]
    return ["/".join((*folder, name)) for folder, name in zip(folders, names, strict=True)]


def measure_in_name(file: str) -> str:
    """Return the first measure in a file name, "" if none.

    Examples
    --------
    >>> measure_in_name("HC2_accuracy"), measure_in_name("log_losses"), measure_in_name("svm")
    ('accuracy', 'logloss', '')
    """
    return next((name for _, _, name in _mentioned(_parts(file)[::2])), "")


def without_measure(file: str) -> str:
    """Return a file name with its first measure removed, unchanged if nothing would be left.

    Examples
    --------
    >>> without_measure("HC2_accuracy"), without_measure("CNN_error_rates"), without_measure("acc")
    ('HC2', 'CNN', 'acc')
    """
    parts = _parts(file)
    for first, last, _ in _mentioned(parts[::2]):
        del parts[2 * first : 2 * last - 1]
        break
    return "".join(parts).strip(" _-.") or file


def measure_in_text(text: str) -> str:
    """Return the only measure in a caption or heading, "" if none or several.

    The first sentence with a measure decides.

    Examples
    --------
    >>> measure_in_text("Accuracy (%) on 30 UCI data sets. Errors in the appendix.")
    'accuracy'
    >>> measure_in_text("Mean squared errors"), measure_in_text("Standard errors")
    ('mse', '')
    >>> measure_in_text("Accuracy and AUC of five classifiers")
    ''
    """
    for part in re.split(r"[.:]\s", text):
        words = re.findall(r"[a-z0-9\u00b2]+", re.sub(r"['\u2019]", "", part.lower()))
        measures = {name for _, _, name in _mentioned(words)}
        if measures:
            return measures.pop() if len(measures) == 1 else ""
    return ""


def _parts(file: str) -> list[str]:
    """Return the words of a file name alternating with the separators between them, which are "" in camel case."""
    return re.split(r"([\s_\-.]+|(?<=[a-z])(?=[A-Z]))", file)


def _mentioned(words: Sequence[str]) -> Iterator[tuple[int, int, str]]:
    """Yield start, end and name of each measure in a sequence of words."""
    first = 0
    while first < len(words):
        for last in range(min(first + _LONGEST, len(words)), first, -1):
            if name := _measure_called(words[first:last], words[first - 1] if first else ""):
                yield first, last, name
                first = last
                break
        else:
            first += 1


def _measure_called(words: Sequence[str], before: str) -> str:
    """Return the measure that words denote, also in the plural; "" if none, or another kind of error by `before`."""
    text = "".join(words).lower()
    if text in WORDS["ambiguous measures"] or (len(text) < 3 and text not in ("f1", "r2")):
        return ""
    for candidate in (
        text,
        re.sub(r"ies$", "y", text),
        text.removesuffix("s"),
        text.removesuffix("es"),
    ):
        if name := known_name(candidate) or (candidate if candidate in OTHER_MEASURES else ""):
            return (
                "" if name == "error" and before.lower() in WORDS["other kinds of error"] else name
            )
    return ""


# names of folds in texts: "Fold-2", "Fold01.Rep1"
FOLD_NAMES = r"(?:fold|split|resample|bootstrap|repeat|rep|seed)[\s_\-.]*\d+(?:[\s_\-.]*\w+\d+)?"
_FOLD = re.compile(FOLD_NAMES, re.IGNORECASE)
_REPETITION = re.compile(r"(?:repeat|rep|seed)[\s_\-.]*\d+", re.IGNORECASE)


@lru_cache(maxsize=_CACHED)
def words_of(name: str) -> tuple[str, ...]:
    """Return the words of a name in lower case: "InceptionTime" gives inception and time.

    Examples
    --------
    >>> words_of("InceptionTime"), words_of("n_classes"), words_of("C4.5")
    (('inception', 'time'), ('n', 'classes'), ('c4', '5'))
    """
    parted = re.sub(r"([a-z])([A-Z])", r"\1 \2", name)
    return tuple(re.findall(r"[a-z]+[0-9]*|[0-9]+", parted.lower()))


def mentions(name: str, *lists: str) -> bool:
    """Return whether any word of a name is in one of the word lists.

    Examples
    --------
    >>> mentions("Model/adapter", "algorithms"), mentions("data set", "algorithms", "variants")
    (True, False)
    """
    words = words_of(name)
    return any(not WORDS[word_list].isdisjoint(words) for word_list in lists)


def is_listed(name: str, word_list: str) -> bool:
    """Return whether a name, ignoring case, blanks, dots, hyphens and underscores, is in a word list.

    Examples
    --------
    >>> is_listed("Mean Score", "scores"), is_listed("Mean Squares", "scores")
    (True, False)
    """
    return normalized_name(name) in WORDS[word_list]


@lru_cache(maxsize=_CACHED)
def is_descriptive(name: str) -> bool:
    """Return whether all words of a name denote sizes or costs, or averages of them.

    Examples
    --------
    >>> is_descriptive("n_instances"), is_descriptive("InceptionTime"), is_descriptive("train time")
    (True, False, True)
    """
    words = set(words_of(name)) - WORDS["averages"]
    return bool(words) and words <= WORDS["descriptive"]


def names_folds(cells: Iterable[str]) -> bool:
    """Return whether every cell is a fold name; True without cells.

    Examples
    --------
    >>> names_folds(["Fold 1", "fold_2"]), names_folds(["Fold 1", "iris"])
    (True, False)
    """
    return all(_FOLD.fullmatch(cell) for cell in cells)


def may_name_fold(name: str) -> bool:
    """Return whether a column name denotes a fold only if no clearer column exists.

    Examples
    --------
    >>> may_name_fold("split"), may_name_fold("fold")
    (True, False)
    """
    return _WEAK.get(normalized_name(name)) == "fold"


def names_repetitions(cells: Iterable[str]) -> bool:
    """Return whether every cell is the name of a repetition of folds; True without cells.

    Examples
    --------
    >>> names_repetitions(["Repeat1", "rep 2"]), names_repetitions(["Fold1"])
    (True, False)
    """
    return all(_REPETITION.fullmatch(cell) for cell in cells)


def names_dates(labels: Iterable[str]) -> bool:
    """Return whether every label begins with a date or is a month; True without labels.

    Examples
    --------
    >>> names_dates(["2024-05-01", "2024-05-02T10:11", "2024-06"])
    True
    """
    return all(
        _PATTERNS["date"].match(label) or _PATTERNS["month"].match(label) for label in labels
    )


def model_among(names: Iterable[str]) -> str:
    """Return the first algorithm name if at least a third of the names are algorithms, else "".

    Words with another meaning, such as "node", count only if another name is surely an algorithm.

    Examples
    --------
    >>> model_among(["iris", "ResNet50", "wine"]), model_among(["node", "edge"]), model_among(["NODE", "TabNet"])
    ('ResNet50', '', 'NODE')
    """
    names = [str(name) for name in names]
    forms = {name: _forms(name) for name in names}
    certain = WORDS["models"]
    if all(certain.isdisjoint(each) for each in forms.values()):
        return ""
    listed = certain | WORDS["models with other meanings"]
    models = [name for name in names if not listed.isdisjoint(forms[name])]
    return models[0] if 3 * len(models) >= len(names) else ""


@lru_cache(maxsize=_CACHED)
def _forms(name: str) -> frozenset[str]:
    """Return words of a name joined to one word, with and without a number at the end."""
    words = words_of(name)
    runs = {"".join(words[i : i + n]) for n in (1, 2, 3, len(words)) for i in range(len(words))}
    stems = {run.rstrip("0123456789") for run in runs}
    return frozenset(runs | {stem for stem in stems if len(stem) > 4})


@lru_cache(maxsize=_CACHED)
def is_true_label(name: str) -> bool:
    """Return whether a name denotes true labels, or is one or two words that begin with a word for them."""
    words = words_of(name)
    return (
        role_in_name(name) == "true"
        or bool(words)
        and words[0] in WORDS["true labels"]
        and len(words) <= 2
    )


@lru_cache(maxsize=_CACHED)
def is_setting(name: str) -> bool:
    """Return whether a column name denotes a hyperparameter of an algorithm.

    Examples
    --------
    >>> is_setting("params.max_depth"), is_setting("Learning Rate"), is_setting("accuracy")
    (True, True, False)
    """
    return bool(_PATTERNS["setting"].fullmatch(name)) or is_listed(name, "settings")


@lru_cache(maxsize=_CACHED)
def is_bookkeeping(name: str) -> bool:
    """Return whether a column name denotes run metadata: times, states, users.

    Examples
    --------
    >>> is_bookkeeping("Start Time"), is_bookkeeping("tags.mlflow.user"), is_bookkeeping("model")
    (True, True, False)
    """
    return is_listed(name, "bookkeeping") or name.lower().startswith(_KEPT_ELSEWHERE)


def means_no_fold(name: str) -> bool:
    """Return whether a name denotes something that cannot number folds, such as a level, measure, cost or setting."""
    if role_in_name(name) not in ("", "instance", "fold", "repetition"):
        return True
    return bool(
        names_measure(name) or known_cost(name) or is_setting(name) or mentions(name, "levels")
    )


def names_clusters(name: str) -> bool:
    """Return whether a column name denotes clusters, such as patients or sites.

    Examples
    --------
    >>> names_clusters("Patient_ID"), names_clusters("patience")
    (True, False)
    """
    words = re.findall(r"[a-z]+", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).lower())
    return any(word.rstrip("s") in WORDS["clusters"] for word in words)


@lru_cache(maxsize=_CACHED)
def names_units(name: str) -> bool:
    """Return whether a column name denotes units such as documents or patients.

    Examples
    --------
    >>> names_units("patientID"), names_units("doc.conversation_id"), names_units("topic")
    (True, True, False)
    """
    words = words_of(name.rpartition(".")[2])
    return any(_NUMBERED.sub("", word) in WORDS["units of instances"] for word in words)


@lru_cache(maxsize=_CACHED)
def names_summary(name: str) -> bool:
    """Return whether a name denotes an average, a rank or another summary of results."""
    return _PATTERNS["summary"].fullmatch(normalized_name(name)) is not None


def with_role(roles: Mapping[str, str], role: str) -> list[str]:
    """Return the columns that have a role."""
    return [name for name, assigned in roles.items() if assigned == role]


def first_with_role(roles: Mapping[str, str], role: str) -> str:
    """Return the first column that has a role, "" if none."""
    return next(iter(with_role(roles, role)), "")
