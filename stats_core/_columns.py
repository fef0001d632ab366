"""What a column means, told by its name."""

import re
from collections.abc import Iterable

from stats_core.measures import MEASURES

ROLES = (
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
    "ignore",
)

# spellings without blanks, hyphens, underscores, in lower case
_ALIASES = {
    "dataset": "dataset data datasetname datasets task taskname problem problemname benchmark "
    "keydataset relation domain collection",
    "algorithm": "algorithm algorithms algo alg algorithmname model modelname classifier "
    "classifiername learner estimator method methodname clf framework system flow keyscheme "
    "scheme approach regressor pipeline technique",
    "fold": "fold folds cvfold keyfold foldid foldnumber splitid splitnumber",
    "repetition": "repetition repetitions rep repeat repeats run keyrun iteration iter trial "
    "resample resampleid replicate bootstrap",
    "instance": "instance instanceid case caseid sampleid rowid exampleid",
    "true": "true ytrue actual truelabel label target groundtruth gold truth y trueclass",
    "predicted": "predicted pred ypred prediction predictedlabel predlabel yhat predictedclass",
    "score": "score yscore scores probability prob proba yprob decision confidence "
    "decisionfunction ppositive",
    "tp": "tp truepositive truepositives numtruepositives",
    "fp": "fp falsepositive falsepositives numfalsepositives",
    "tn": "tn truenegative truenegatives numtruenegatives",
    "fn": "fn falsenegative falsenegatives numfalsenegatives",
    "n_train": "ntrain trainsize numtrain ntraining numberoftraininginstances",
    "design": "design resampling",
    "n_test": "ntest testsize numtest ntesting numberoftestinginstances",
}
_ROLE_OF = {alias: role for role, aliases in _ALIASES.items() for alias in aliases.split()}
# these mean a repetition or a fold only where nothing clearer is there
_WEAK = {"seed": "repetition", "randomstate": "repetition", "split": "fold"}
_MEASURE_OF = {
    alias: name
    for name, measure in MEASURES.items()
    for alias in (name.replace("_", ""), *measure.aliases)
} | {
    "truepositiverate": "tpr",
    "falsepositiverate": "fpr",
    "truenegativerate": "tnr",
    "falsenegativerate": "fnr",
    "tprate": "tpr",
    "fprate": "fpr",
}
_PREFIXES = ("test", "validation", "valid", "val", "mean", "avg", "average", "cv", "weighted")
_COST = re.compile(
    r"(time|duration|seconds|memory|cost|price|flops|energy|model_?size|n_?params|parameters)"
    r"|(^size$)|(_s$)|(_ms$)|(_mb$)|(_kb$)",
    re.IGNORECASE,
)
_DECLARED = re.compile(r"^(.*\S)\s*\((higher is better|lower is better|cost)\)$", re.IGNORECASE)


def plain(name: str) -> str:
    """Return a column name without blanks, hyphens, underscores, in lower case."""
    return re.sub(r"[\s_\-.]+", "", name).lower()


def declared(name: str) -> tuple[str, str]:
    """Split "speed (higher is better)" into the name and "higher", "lower", "cost" or ""."""
    match = _DECLARED.match(name)
    if not match:
        return name, ""
    return match[1], match[2].split()[0].lower()


def guess_roles(columns: Iterable[str]) -> dict[str, str]:
    """Return the role of every column whose name tells it; each key role is given once."""
    roles: dict[str, str] = {}
    columns = list(columns)
    for name in columns:
        role = _ROLE_OF.get(plain(name))
        if role and role not in roles.values():
            roles[name] = role
    for name in columns:
        role = _WEAK.get(plain(name))
        if role and not {"fold", "repetition"} & set(roles.values()):
            roles[name] = role
    if "true" not in roles.values():  # a score is one of an instance only beside its label
        roles = {
            name: role
            for name, role in roles.items()
            if role not in ("score", "predicted", "instance")
        }
    elif not {"score", "predicted", "instance"} & set(roles.values()):
        roles = {name: role for name, role in roles.items() if role != "true"}
    return roles


def known_measure(column: str) -> tuple[str, str] | None:
    """Return the name and direction a column would have as a measure, None if unknown.

    Other spellings get the usual name; "test_error" keeps its own, with the direction of error.
    """
    bare, way = declared(column)
    if way in ("higher", "lower"):
        return bare, way
    text = plain(bare)
    text = re.sub(r"(percent|pct|%|\(%\))$", "", text)
    if text in _MEASURE_OF:
        name = _MEASURE_OF[text]
        return name, MEASURES[name].direction
    for prefix in _PREFIXES:
        rest = text.removeprefix(prefix)
        if rest == text:
            continue
        if rest.startswith("neg"):
            return bare, "higher"
        if rest in _MEASURE_OF:
            return bare, MEASURES[_MEASURE_OF[rest]].direction
        if prefix == "test" and rest == "score":  # scikit-learn: scores are to be maximised
            return bare, "higher"
    return None


def is_rate(measure: str) -> bool:
    """Tell whether a measure lies in [0, 1]."""
    text = plain(measure)
    for candidate in (text, *(text.removeprefix(prefix) for prefix in _PREFIXES)):
        if candidate in _MEASURE_OF:
            return MEASURES[_MEASURE_OF[candidate]].rate
    return False


def known_cost(column: str) -> str:
    """Return the name a column would have as a cost, "" if it is none."""
    bare, way = declared(column)
    if way == "cost" or (not way and _COST.search(bare) and known_measure(column) is None):
        return bare
    return ""


def measure_in_name(file: str) -> str:
    """Return the measure that a file's name mentions, "" if none."""
    for word in re.split(r"[\s_\-.]+", file.lower()):
        if len(word) > 2 and word in _MEASURE_OF:
            return _MEASURE_OF[word]
    return ""
