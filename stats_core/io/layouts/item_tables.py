"""Layout with results per item: whether, or how well, each algorithm answered each question of a benchmark."""

from collections.abc import Iterator

from stats_core.core.messages import Message, message
from stats_core.io import vocabulary
from stats_core.io.layouts import clusters, prediction_tables
from stats_core.io.problems import guessed_roles, question_of
from stats_core.io.profile import FAIR, FEW, NAME, STRONG, LayoutHypothesis, Profile, observed
from stats_core.io.text_cells import PINBALL

_FEWEST = 20  # rows of marks that are read as items without a column named so
_MOST_FOLDS = 100  # with as many values, a column names items rather than folds
_KEYS = ("dataset", "repetition", "answer", "fold")
_SURE_MARKS = frozenset(("true", "false", "yes", "no", "pass", "fail", "correct", "incorrect"))
_LEAST_TEXT = 20  # characters, on average, of a text without a usual name
_WHY = {
    "cluster": "cluster of items",
    "text": "text of items",
    "answer": "answer to an item",
    "instance": "item",
    "measure": "value of items",
    "result": "marks of a model",
}


def match_long_items(profile: Profile) -> Iterator[LayoutHypothesis]:
    """Yield the hypothesis of one row per item and algorithm, with marks or scores of the answer, if it fits.

    Scores of few items that are named like folds or data sets also give the hypothesis that these
    are data sets.
    """
    if profile.has_role("predicted", "result", "resample", "tp") or {"true", "score"} <= set(
        profile.named.values()
    ):
        return
    named = {
        n: r for n, r in profile.named.items() if r in (*_KEYS, "algorithm", "cluster", "text")
    }
    if declared := vocabulary.with_role(profile.declared, "instance"):
        named |= dict.fromkeys(declared, "instance")
    else:
        times = (
            n
            for n in profile.columns
            if n not in named and vocabulary.is_listed(n, "times of instances")
        )
        crossed = (
            n for n in times if profile.crosses([*vocabulary.with_role(named, "algorithm"), n])
        )
        named |= dict.fromkeys([*_likely_items(profile, named), *crossed][:1], "instance")
    named |= _tasks_with_marks(profile, named)
    item = vocabulary.first_with_role(named, "instance")
    named |= prediction_tables.answers_of_items(profile, named)
    units = _items_of_units(profile, named)
    ignored = clusters.ignored_units(profile, units)
    named |= {n: role for n, role in units.items() if profile.declared.get(n) != "ignore"}
    item = vocabulary.first_with_role(named, "instance")
    is_item = vocabulary.is_listed(item, "items") or item in (*profile.declared, *units)
    is_item |= bool(item) and _are_files(profile, item)
    marks = [n for n in profile.columns if n not in named and profile[n].holds_marks]
    is_mark, others = set(marks), {*named, *marks}
    named_scores = (
        n
        for n in profile.numbers
        if vocabulary.names_measure(n) or vocabulary.is_listed(n, "scores")
    )
    scores = [n for n in named_scores if n not in (*others, *profile.costs)]
    most = {
        n: float("inf") if vocabulary.direction_of(n) == "lower" else 1 for n in scores
    }  # of graded scores
    values = [*marks, *(n for n in scores if is_item or item and profile[n].within(0, most[n]))]
    if declared := vocabulary.with_role(profile.declared, "measure"):
        values = [n for n in declared if n in values]
    directions = {n: _direction(profile, n, is_mark=n in is_mark) for n in values}
    directed = [n for n in values if directions[n]]
    likely = directed or [n for n in values if vocabulary.is_listed(n, "scores")] or values
    if any(prediction_tables.match_long_predictions(profile)):
        return  # labels say more than marks
    if not values or ("instance" not in named.values() and len(profile.frame) < _FEWEST):
        return
    value = likely[0]
    guessed = {} if profile.declared else _guess_keys(profile, named, value)
    named |= guessed
    algorithms, item = (
        vocabulary.with_role(named, "algorithm"),
        vocabulary.first_with_role(named, "instance"),
    )
    keys = [n for n, role in named.items() if role not in ("cluster", "text")]
    if not profile.unique(keys):  # items are numbered within clusters
        keys += [*vocabulary.with_role(named, "cluster"), *(note["column"] for note in ignored)]
    if not (item and (algorithms or profile.several) and profile.unique(keys)):
        return
    needless = {"fold", "repetition"} & set(named.values()) and profile.unique(
        [n for n in keys if n != item]
    )
    n_items = profile.distinct_rows([*vocabulary.with_role(named, "dataset"), item])
    differ = not all(profile[n].is_constant for n in algorithms) and 3 * n_items > 2 * len(
        profile.frame
    )
    if item not in profile.declared and (needless or differ):
        return  # it numbers rows: every algorithm answers the same items
    is_item |= "dataset" not in named.values() and profile[item].distinct >= _MOST_FOLDS
    is_item |= value == PINBALL  # computed for each instance
    if not (is_item or value in marks or profile[item].distinct >= _FEWEST):
        return
    asks = [] if directions[value] else [question_of("direction of a measure", measure=value)]
    if item not in profile.declared and not vocabulary.is_listed(item, "items"):
        if _are_files(profile, item) and "dataset" in named.values():
            asks = [guessed_roles({item: "instance"}), *asks]
    if guess := [n for n, role in guessed.items() if role == "algorithm"]:
        asks = [guessed_roles({guess[0]: "algorithm"}), *asks]
    kind = (
        "marks of items" if value in marks else "scores of items",
        STRONG * (1 + (value in marks or is_item)),
    )
    evidence = [observed(kind[1], kind[0], column=value)]
    evidence += [observed(FAIR, "algorithms named", column=n) for n in algorithms]
    evidence += [
        observed(FAIR, "keys unique"),
        observed(STRONG if is_item else FAIR, "items", column=item),
    ]
    measures = dict.fromkeys(
        [value, *([n for n in directed if n != value] if value in directed else [])], "measure"
    )
    roles = _with_descriptions(profile, named | measures)
    why = {n: _WHY.get(role, "name") for n, role in roles.items()}
    details = {"asks": tuple(asks), "directions": {n: directions[n] or "higher" for n in measures}}
    notes = (*_notes(profile, roles), *ignored)
    yield profile.hypothesis("items", roles, why, evidence, notes=notes, **details)
    if not (is_item or value in marks or "dataset" in named.values()):
        roles = named | measures | {item: "dataset"}
        evidence = [*evidence[:-1], observed(NAME, "datasets named", column=item)]
        yield profile.hypothesis(
            "fold scores", roles, {n: "name" for n in roles}, evidence, **details
        )


def _tasks_with_marks(profile: Profile, named: dict[str, str]) -> dict[str, str]:
    """Return the role of a column such as task_id that is an item rather than a data set: each result is 0 or 1."""
    keys = {
        role: n
        for n, role in named.items()
        if role not in ("cluster", "text") and n not in profile.declared
    }
    if set(keys) != {"dataset", "algorithm"} or not profile.crosses([*keys.values()]):
        return {}
    marks = [n for n in profile.columns if n not in named and profile[n].holds_marks]
    outcomes = [n for n in marks if _is_outcome(profile, n)]
    values = [
        n
        for n in profile.numbers
        if n not in (*named, *marks) and (not outcomes or _is_graded(profile, n))
    ]
    is_item = len(values) < len(marks) + bool(outcomes)
    is_item &= bool(outcomes) or profile[keys["dataset"]].distinct >= _FEWEST
    return {keys["dataset"]: "instance"} if is_item and profile.unique([*keys.values()]) else {}


def _is_outcome(profile: Profile, name: str) -> bool:
    """Return whether marks say that an item was solved, by their name or words such as true."""
    if vocabulary.mentions(name, "right answers"):
        return True
    return bool({text.lower() for text in profile[name].coded[1]} & _SURE_MARKS)


def _is_graded(profile: Profile, name: str) -> bool:
    """Return whether a column holds results with decimals, which are neither counts nor costs."""
    is_result = vocabulary.names_measure(name) or vocabulary.is_listed(name, "scores")
    return is_result and not profile[name].is_whole and not vocabulary.known_cost(name)


def _items_of_units(profile: Profile, named: dict[str, str]) -> dict[str, str]:
    """Return the roles of a unit and its items, if only both identify the rows, else {}.

    Items are numbered within documents, or are the organs of patients.
    """
    keys = [n for n, role in named.items() if role not in ("cluster", "text")]
    if "algorithm" not in named.values() or profile.unique(keys):
        return {}
    if "instance" in named.values():
        return dict.fromkeys(clusters.numbering_units(profile, named)[:1], "cluster")
    free = [n for n in profile.columns if n not in (*named, *profile.declared)]
    ignored = vocabulary.with_role(profile.declared, "ignore")
    units = vocabulary.with_role(named, "cluster") or [
        n for n in (*free, *ignored) if vocabulary.names_units(n) and not profile.unique([*keys, n])
    ]
    items = [
        n
        for n in free
        if profile[n].is_text and profile[n].distinct > 1 and not vocabulary.is_bookkeeping(n)
    ]
    pairs = [
        (unit, n) for unit in units for n in items if n != unit and profile.unique([*keys, unit, n])
    ]
    return dict(zip(pairs[0], ("cluster", "instance"), strict=True)) if len(pairs) == 1 else {}


def _likely_items(profile: Profile, named: dict[str, str]) -> list[str]:
    """Return columns named as IDs of items, first those that recur and identify the rows of each algorithm."""
    free = [n for n in profile.columns if n not in named and n not in profile.declared]
    keys = [n for n, role in named.items() if role not in ("cluster", "text")]
    algorithms = vocabulary.with_role(named, "algorithm")
    likely = [
        n
        for n in free
        if vocabulary.role_in_name(n) == "instance"
        or (algorithms and vocabulary.is_listed(n, "items") and profile.crosses([*algorithms, n]))
        or (algorithms and _are_files(profile, n) and profile.unique([*keys, n]))
    ]

    def rank(name: str) -> tuple[bool, bool, bool]:
        may_number_answers = vocabulary.is_listed(name, "answers of items")
        return profile[name].is_unique, not profile.unique([*keys, name]), may_number_answers

    return sorted(likely, key=rank)


def _are_files(profile: Profile, name: str) -> bool:
    """Return whether the values of a column are names of files, such as images."""
    texts = profile[name].coded[1] if profile[name].is_text else []
    endings = {text.rpartition(".")[2].lower() for text in texts if "." in text}
    are_files = len(texts) > 2 and all("." in text for text in texts)
    return are_files and endings <= vocabulary.WORDS["files of items"]


def _guess_keys(profile: Profile, named: dict[str, str], value: str) -> dict[str, str]:
    """Return roles of columns of algorithms and items that cross, without named ones; {} unless just one pair does."""
    keys = [n for n, role in named.items() if role not in ("cluster", "algorithm", "instance")]
    free = [
        n for n in profile.columns if n not in (*named, value) and not vocabulary.is_bookkeeping(n)
    ]
    algorithms = vocabulary.with_role(named, "algorithm") or [
        n for n in free if profile[n].is_text and 2 <= profile[n].distinct <= FEW
    ]
    fitting = []
    for algorithm in algorithms:
        enough = max(_FEWEST, 2 * profile[algorithm].distinct)
        items = vocabulary.with_role(named, "instance") or [
            n for n in free if profile[n].distinct >= enough
        ]
        pairs = [
            (algorithm, n)
            for n in items
            if n != algorithm and profile.unique([*keys, algorithm, n])
        ]
        fitting += [pair for pair in pairs if profile.crosses(pair)]
    roles = (
        dict(zip(fitting[0], ("algorithm", "instance"), strict=True)) if len(fitting) == 1 else {}
    )
    return {n: role for n, role in roles.items() if n not in named}


def _with_descriptions(profile: Profile, named: dict[str, str]) -> dict[str, str]:
    """Return roles with that of the column with the text of the items."""
    keys = [n for n, role in named.items() if role in ("dataset", "instance")]
    free = [
        n
        for n in profile.columns
        if n not in (*named, *profile.declared) and not profile[n].is_constant
    ]
    one_each = "instance" not in named.values() or profile.unique(keys)  # one row per item
    n_items = len(profile.frame) if one_each else profile.distinct_rows(keys)
    fixed = [n for n in free if one_each or profile.distinct_rows([*keys, n]) == n_items]
    bare = {n: vocabulary.normalized_name(n.rpartition(".")[2]) for n in fixed}  # "doc.question"
    order = [*vocabulary.WORDS["texts of items"]]
    order_of = {n: order.index(name) if name in order else len(order) for n, name in bare.items()}
    length = {n: profile.frame[n].str.len().mean() for n in fixed if profile[n].is_text}
    texts = [
        n
        for n in length
        if 2 * profile[n].distinct > n_items
        and (order_of[n] < len(order) or length[n] >= _LEAST_TEXT)
    ]
    if "text" in named.values():
        return named
    return named | dict.fromkeys(sorted(texts, key=lambda n: (order_of[n], -length[n]))[:1], "text")


def _notes(profile: Profile, roles: dict[str, str]) -> tuple[Message, ...]:
    """Return the notes on columns of clusters and of repeated answers that the user did not set."""
    units, answers = (
        [n for n in vocabulary.with_role(roles, role) if n not in profile.declared]
        for role in ("cluster", "answer")
    )
    return (
        *(message("items of clusters", column=n, n=profile[n].distinct) for n in units),
        *(message("answers of items", column=n) for n in answers),
    )


def _answered_items(profile: Profile, named: dict[str, str]) -> dict[str, str]:
    """Return the roles of items and answers that together identify the rows, else {}."""
    free = [n for n in profile.columns if n not in (*named, *profile.declared)]
    for item in (n for n in free if vocabulary.is_listed(n, "items")):
        roles = prediction_tables.answers_of_items(profile, {**named, item: "instance"})
        if "answer" in roles.values():
            return {item: "instance", **roles}
    return {}


def _direction(profile: Profile, name: str, *, is_mark: bool) -> str:
    """Return the direction of a mark or score, as set or by its name or by marks like "correct"; "" if unknown."""
    direction = profile.mapping.direction_of(name)
    if direction or not is_mark:
        return direction
    return "higher" if _words(profile, [name]) or vocabulary.mentions(name, "right answers") else ""


def _words(profile: Profile, names: list[str]) -> set[str]:
    """Return the words in columns of marks that can only mean right or wrong, such as "correct"."""
    cells = {cell.lower() for name in names for cell in profile[name].coded[1]}
    return cells - {"", "0", "1", "0.0", "1.0", "true", "false", "yes", "no"}


def match_wide_items(profile: Profile) -> Iterator[LayoutHypothesis]:
    """Yield the hypothesis of one row per item and one column of marks per algorithm, if it fits."""
    if (
        profile.has_role("true", "predicted", "algorithm", "measure", "resample")
        or len(profile.frame) < _FEWEST
    ):
        return
    declared = vocabulary.with_role(profile.declared, "result")
    likely = declared or [n for n in profile.columns if n not in profile.named]
    marks = [n for n in likely if profile[n].holds_marks]
    named = {n: r for n, r in profile.named.items() if r in (*_KEYS, "instance", "cluster")}
    if "instance" not in named.values():
        named |= _answered_items(profile, named)
    used = {*marks, *profile.named, *named}
    others = [
        n
        for n in profile.numbers
        if not (n in used or profile[n].is_unique or clusters.may_be_shared(profile, n))
    ]
    if len(marks) < max(2, len(declared)) or others:
        return
    items = [n for n in profile.columns if n not in (*named, *marks) and profile[n].is_unique]
    if "instance" not in named.values():
        named |= dict.fromkeys(items[:1], "instance")
    if any(vocabulary.is_true_label(n) for n in profile.columns):
        return
    if any(vocabulary.mentions(n, "labels of a model") for n in marks if n not in declared):
        return
    may_be_labels = not _words(profile, marks) and any(
        prediction_tables.match_wide_predictions(profile)
    )
    evidence = [
        observed(STRONG + NAME if may_be_labels else 3 * STRONG, "marks of items", column=marks[0])
    ]
    direction = profile.mapping.direction_of(profile.mapping.measure_name) or "higher"
    roles = _with_descriptions(profile, named | dict.fromkeys(marks, "result"))
    why = {n: _WHY.get(role, "name") for n, role in roles.items()}
    yield profile.hypothesis(
        "wide items",
        roles,
        why,
        evidence,
        directions={"accuracy": direction},
        notes=_notes(profile, roles),
    )
