"""Layout with results per item: whether, or how well, each algorithm answered each question of a benchmark."""

from collections.abc import Iterator

from stats_core.io import vocabulary
from stats_core.io.layouts import prediction_tables
from stats_core.io.problems import guessed_roles, question_of
from stats_core.io.profile import FAIR, FEW, NAME, STRONG, LayoutHypothesis, Profile, observed
from stats_core.io.text_cells import PINBALL, marks_of

_FEWEST = 20  # rows of marks that are read as items without a column named so
_MOST_FOLDS = 100  # with as many values, a column names items rather than folds
_KEYS = ("dataset", "repetition", "fold")
_WHY = {"instance": "item", "measure": "value of items", "result": "marks of a model"}


def match_long_items(profile: Profile) -> Iterator[LayoutHypothesis]:
    """Yield the hypothesis of one row per item and algorithm, with a mark or a score of the answer, if it fits."""
    if profile.has_role("true", "predicted", "result", "resample", "tp"):
        return
    named = {n: r for n, r in profile.named.items() if r in (*_KEYS, "algorithm", "instance", "cluster")}
    if "instance" not in named.values():
        named |= dict.fromkeys([n for n in profile.columns if vocabulary.role_in_name(n) == "instance"][:1], "instance")
    if "instance" not in named.values():
        times = [n for n in profile.columns if n not in named and vocabulary.is_listed(n, "times of instances")]
        crossed = [n for n in times if profile.crosses([*vocabulary.with_role(named, "algorithm"), n])]
        named |= dict.fromkeys(crossed[:1], "instance")
    marks = [n for n in profile.columns if n not in named and marks_of(profile.frame[n]) is not None]
    scores = [n for n in profile.numbers if n not in (*named, *marks) and _is_score(profile, n)]
    values = [*marks, *(scores if "instance" in named.values() else [])]
    if declared := vocabulary.with_role(profile.declared, "measure"):
        values = [n for n in declared if n in values]
    directed = [n for n in values if vocabulary.direction_of(n) or vocabulary.is_listed(n, "scores")]
    if any(prediction_tables.match_long_predictions(profile)):
        return  # labels say more than marks
    if not values or ("instance" not in named.values() and len(profile.frame) < _FEWEST):
        return
    value = [*directed, *values][0]
    guessed = {} if profile.declared else _guess_keys(profile, named, value)
    named |= guessed
    algorithms, item = vocabulary.with_role(named, "algorithm"), vocabulary.first_with_role(named, "instance")
    keys = [n for n, role in named.items() if role != "cluster"]
    is_large = bool(item) and "dataset" not in named.values() and profile[item].distinct >= _MOST_FOLDS
    is_large |= value == PINBALL  # computed for each instance
    if not (item and (is_large or value in marks) and (algorithms or profile.several) and profile.unique(keys)):
        return
    direction = _direction(profile, value, is_mark=value in marks)
    asks = [] if direction else [question_of("direction of a measure", measure=value)]
    if guess := [n for n, role in guessed.items() if role == "algorithm"]:
        asks = [guessed_roles({guess[0]: "algorithm"}), *asks]
    kind = ("marks of items", 2 * STRONG) if value in marks else ("scores of items", STRONG)
    evidence = [observed(kind[1], kind[0], column=value)]
    evidence += [observed(FAIR, "algorithms named", column=n) for n in algorithms]
    evidence += [observed(FAIR, "keys unique"), observed(STRONG if is_large else NAME, "items", column=item)]
    roles, directions = named | {value: "measure"}, {value: direction or "higher"}
    why = {n: _WHY.get(role, "name") for n, role in roles.items()}
    yield profile.hypothesis("items", roles, why, evidence, asks=tuple(asks), directions=directions)


def _guess_keys(profile: Profile, named: dict[str, str], value: str) -> dict[str, str]:
    """Return roles of columns of algorithms and items that cross, without named ones; {} unless just one pair does."""
    keys = [n for n, role in named.items() if role not in ("cluster", "algorithm", "instance")]
    free = [n for n in profile.columns if n not in (*named, value) and not vocabulary.is_bookkeeping(n)]
    algorithms = vocabulary.with_role(named, "algorithm") or [
        n for n in free if profile[n].is_text and 2 <= profile[n].distinct <= FEW
    ]
    fitting = []
    for algorithm in algorithms:
        enough = max(_FEWEST, 2 * profile[algorithm].distinct)
        items = vocabulary.with_role(named, "instance") or [n for n in free if profile[n].distinct >= enough]
        pairs = [(algorithm, n) for n in items if n != algorithm and profile.unique([*keys, algorithm, n])]
        fitting += [pair for pair in pairs if profile.crosses(pair)]
    roles = dict(zip(fitting[0], ("algorithm", "instance"), strict=True)) if len(fitting) == 1 else {}
    return {n: role for n, role in roles.items() if n not in named}


def _is_score(profile: Profile, name: str) -> bool:
    """Return whether a column holds graded scores of answers: a measure or score within [0, 1], or a loss, no cost."""
    is_named = vocabulary.names_measure(name) or vocabulary.is_listed(name, "scores")
    most = float("inf") if vocabulary.direction_of(name) == "lower" else 1
    return is_named and name not in profile.costs and profile[name].within(0, most)


def _direction(profile: Profile, name: str, *, is_mark: bool) -> str:
    """Return the direction of a mark or score, as set or by its name or by marks like "correct"; "" if unknown."""
    direction = profile.mapping.direction_of(name)
    if direction or not is_mark:
        return direction
    return "higher" if _words(profile, [name]) or vocabulary.mentions(name, "right answers") else ""


def _words(profile: Profile, names: list[str]) -> set[str]:
    """Return the words in columns of marks that can only mean right or wrong, such as "correct"."""
    cells = set(profile.frame[names].stack().str.lower())
    return cells - {"", "0", "1", "0.0", "1.0", "true", "false", "yes", "no"}


def match_wide_items(profile: Profile) -> Iterator[LayoutHypothesis]:
    """Yield the hypothesis of one row per item and one column of marks per algorithm, if it fits."""
    if profile.has_role("true", "predicted", "algorithm", "measure", "resample") or len(profile.frame) < _FEWEST:
        return
    declared = vocabulary.with_role(profile.declared, "result")
    likely = declared or [n for n in profile.columns if n not in profile.named]
    marks = [n for n in likely if marks_of(profile.frame[n]) is not None]
    others = [n for n in profile.numbers if n not in (*marks, *profile.named) and not profile[n].is_unique]
    if len(marks) < max(2, len(declared)) or others:
        return
    named = {n: r for n, r in profile.named.items() if r in (*_KEYS, "instance", "cluster")}
    items = [n for n in profile.columns if n not in (*named, *marks) and profile[n].is_unique]
    if "instance" not in named.values():
        named |= dict.fromkeys(items[:1], "instance")
    if any(vocabulary.is_true_label(n) for n in profile.columns):
        return
    if any(vocabulary.mentions(n, "labels of a model") for n in marks if n not in declared):
        return
    may_be_labels = not _words(profile, marks) and any(prediction_tables.match_wide_predictions(profile))
    evidence = [observed(STRONG + NAME if may_be_labels else 3 * STRONG, "marks of items", column=marks[0])]
    direction = profile.mapping.direction_of(profile.mapping.measure_name) or "higher"
    roles = named | dict.fromkeys(marks, "result")
    why = {n: _WHY.get(role, "name") for n, role in roles.items()}
    yield profile.hypothesis("wide items", roles, why, evidence, directions={"accuracy": direction})
