"""Recognition of tables without comparable results, such as finished tests or training curves."""

from collections.abc import Iterator
from itertools import combinations

import numpy as np

from stats_core.core.formatting import format_count, join_names
from stats_core.io.layouts.layout_messages import weighted_observation
from stats_core.io.profile import FEW, Profile, is_spread, speaks_of_measure
from stats_core.io.scoring import FAIR, NAME, STRONG, LayoutEvidence, LayoutHypothesis, NotResults
from stats_core.io.vocabulary import known_measure, normalized_name, role_in_name, words_of

_TESTED = {
    *(
        "pvalue",
        "pvalues",
        "pval",
        "padj",
        "adjustedp",
        "adjp",
        "statistic",
        "tstatistic",
        "zscore",
    ),
    *("significant", "significance", "reject", "rejected", "rankdiff", "criticaldifference", "cd"),
    *("zvalue", "tvalue", "effectsize", "holm", "nemenyi"),
}
_STEPS = (
    "epoch",
    "epochs",
    "step",
    "steps",
    "globalstep",
    "iter",
    "iteration",
    "iterations",
    "generation",
)
_SIZES = {
    *(
        "instances",
        "examples",
        "samples",
        "features",
        "attributes",
        "classes",
        "dimensions",
        "dims",
    ),
    *("rows", "columns", "imbalance", "skewness", "kurtosis", "entropy", "missing", "numeric"),
    *("categorical", "binary", "integer", "float", "endpoint", "cardinality", "correlation"),
}
_RUNS = (
    "runid",
    "experimentid",
    "starttime",
    "endtime",
    "sourcename",
    "sourcetype",
    "sourceversion",
)


def match_not_results(profile: Profile) -> Iterator[LayoutHypothesis]:
    """Propose refusals of tables that hold something other than results."""
    if profile.said:
        return
    for recognize in (
        _finished_test,
        _course_of_training,
        _curve,
        _metrics_of_models,
        _average_ranks,
        _properties,
        _one_models_folds,
        _raw_data,
        _measured_things,
        _confusion,
        _labels_without_truth,
        _runs,
        _matrix_of_itself,
    ):
        recognized = recognize(profile)
        if recognized is not None:
            evidence, refusal = recognized
            yield LayoutHypothesis(layout="no results", evidence=evidence, refusal=refusal)


Found = tuple[tuple[LayoutEvidence, ...], NotResults] | None


def _finished_test(profile: Profile) -> Found:
    tested = [n for n in profile.columns if normalized_name(n) in _TESTED]
    if not tested or profile.measures and len(tested) < 2:
        return None
    if not any(normalized_name(n) != "cd" for n in tested):
        return None
    return (weighted_observation(3 * STRONG, "finished test", columns=tuple(tested)),), NotResults(
        must="needs the results that were tested",
        found=f"This is a finished test ({join_names(tested)})",
        do="Upload the results of each algorithm per data set or fold",
    )


def _course_of_training(profile: Profile) -> Found:
    """Recognize training histories: a rising step column and smoothly changing measures."""
    steps = [
        n
        for n in profile.numbers
        if normalized_name(n) in _STEPS or normalized_name(n).lstrip("_") in _STEPS
    ]
    pairs = [n for n in profile.numbers if n.startswith("val_") and n[4:] in profile.columns]
    for name in steps:
        key_columns = [n for n, r in profile.named.items() if r in ("algorithm", "dataset", "fold")]
        rising = (
            profile[name].rises if not key_columns else _rises_within(profile, key_columns, name)
        )
        if rising and (pairs or _smooth(profile, name, key_columns) or not key_columns):
            return (weighted_observation(3 * STRONG, "steps", column=name),), NotResults(
                must="needs one result per algorithm and data set or fold",
                found=f'"{name}" counts up: this is the course of training, not its result',
                do="Keep one row per run, for example the last epoch or the one best on "
                "validation data",
            )
    tracked = [n for n in profile.columns if n.endswith(("__MIN", "__MAX"))]
    if len(tracked) >= 2:
        return (
            weighted_observation(3 * STRONG, "tracker", columns=tuple(tracked[:2])),
        ), NotResults(
            must="needs one result per algorithm and data set or fold",
            found=f"These are curves out of a tracker ({join_names(tracked)})",
            do="Export the summary of runs, one row per run",
        )
    return None


def _rises_within(profile: Profile, keys: list[str], step: str) -> bool:
    """Return whether a column rises within each group of rows, each of five or more."""
    numbers = profile[step].numbers
    assert numbers is not None
    groups = numbers.groupby([profile.frame[k] for k in keys])
    return bool(
        (groups.size() >= 5).all() and groups.apply(lambda s: (s.diff().dropna() > 0).all()).all()
    )


def _smooth(profile: Profile, step: str, keys: list[str]) -> bool:
    """Return whether measures change less between steps than overall."""
    ratios = []
    for name in profile.measures:
        numbers = profile[name].numbers
        if numbers is None:
            continue
        parts = (
            [numbers]
            if not keys
            else [part for _, part in numbers.groupby([profile.frame[k] for k in keys])]
        )
        for part in parts:
            spread = part.std()
            if len(part) >= 5 and spread > 0:
                ratios.append(float(part.diff().abs().median() / spread))
    return bool(ratios) and float(np.median(ratios)) < 0.6


def _curve(profile: Profile) -> Found:
    """Recognize a single curve: two numeric columns, the first rising."""
    if profile.texts or len(profile.numbers) != 2 or len(profile.columns) != 2:
        return None
    first, second = profile.numbers
    if not profile[first].rises or role_in_name(second) in ("true", "predicted"):
        return None
    if profile.named.get(first) in ("fold", "repetition") or profile.several:
        return None
    return (weighted_observation(2 * STRONG, "curve", first=first, second=second),), NotResults(
        must="needs results of two algorithms at least",
        found=f'"{second}" is given along "{first}": a curve of one algorithm',
        do="Give the results of each algorithm per data set or fold",
    )


def _metrics_of_models(profile: Profile) -> Found:
    """Recognize one row per model and one column per measure without repetition."""
    numbers = [n for n in profile.numbers if not profile[n].counts_up]
    measures = [n for n in numbers if known_measure(n) or is_spread(n) or speaks_of_measure(n)]
    if not numbers or 2 * len(measures) < len(numbers) or profile.several:
        return None
    if set(profile.named.values()) & {"dataset", "fold", "repetition", "true"}:
        return None
    keys = [n for n in profile.texts if profile[n].is_unique]
    if not keys or (len(numbers) < 2 and not is_spread(numbers[0])):
        return None
    repeated = [n for n in profile.texts if 1 < profile[n].distinct < len(profile.frame)]
    if any(profile.unique(pair) for pair in combinations(repeated[:6], 2)):
        return None  # rows cross two keys, so there are several numbers per model
    rows = format_count(len(profile.frame), "row")
    return (
        weighted_observation(STRONG, "measures named", columns=tuple(measures[:4])),
        weighted_observation(FAIR, "one unique key", column=keys[0]),
        weighted_observation(FAIR, "no repetition"),
    ), NotResults(
        must="needs results of folds, of several data sets or of single cases",
        found=f'There is one number per "{keys[0] or "row"}" and measure ({rows}; '
        f"{join_names(measures)}): nothing can be tested",
        do="Give the scores of the folds, or the predictions",
    )


def _average_ranks(profile: Profile) -> Found:
    """Recognize average ranks that cannot be read: without names, or among other files."""
    ranks = [n for n in profile.numbers if {"rank", "ranks"} & set(words_of(n))]
    if len(profile.numbers) > 2 or not ranks or len(profile.frame) > 1000:
        return None
    if set(profile.named.values()) & {"dataset", "fold"}:
        return None
    evidence = (weighted_observation(STRONG + FAIR, "average ranks", column=ranks[0]),)
    if any(profile[n].is_unique for n in profile.texts):  # several files, or repeated ranks
        return evidence, NotResults(
            must="needs results on each data set, or one table of average ranks alone",
            found=f'There is one average rank per algorithm ("{ranks[0]}")',
            do="Open that table alone, or give the results of each algorithm on each data set",
        )
    return evidence, NotResults(
        must="needs the name of an algorithm beside each average rank",
        found=f'There are ranks in "{ranks[0]}" and no column of distinct names',
        do="Give the names, or the results of each algorithm on each data set",
    )


def _properties(profile: Profile) -> Found:
    """Recognize tables of data set properties: columns named after sizes."""
    size_columns = [n for n in profile.numbers if set(words_of(n)) & _SIZES]
    others = [n for n in profile.numbers if n not in size_columns and not profile[n].counts_up]
    if len(size_columns) < 3 or len(size_columns) < len(others) or profile.measures:
        return None
    if "algorithm" in profile.named.values() or "fold" in profile.named.values():
        return None
    return (
        weighted_observation(
            2 * STRONG + FAIR, "sizes of data sets", columns=tuple(size_columns[:4])
        ),
    ), NotResults(
        must="needs results of algorithms",
        found=f"These are properties of data sets ({join_names(size_columns)})",
        do="Give the results of each algorithm on these data sets",
    )


def _one_models_folds(profile: Profile) -> Found:
    """Recognize the folds of a single model: columns are measures, rows have no name."""
    numbers = [n for n in profile.numbers if not profile[n].counts_up and n not in profile.named]
    measures = [n for n in numbers if known_measure(n) or _short_measure(n)]
    folds = {"fold", "repetition"} & set(profile.named.values())
    if profile.several or len(measures) < (1 if folds else 2) or 2 * len(measures) < len(numbers):
        return None
    if [n for n in profile.texts if n not in profile.named]:
        return None
    if set(profile.named.values()) & {"algorithm", "dataset", "true", "tp"}:
        return None
    return (
        weighted_observation(2 * STRONG, "measures named", columns=tuple(measures[:4])),
        weighted_observation(FAIR, "no key"),
    ), NotResults(
        must="needs the results of two algorithms at least",
        found=f"There are {format_count(len(profile.frame), 'row')} of one model, a column per measure "
        f"({join_names(measures)})",
        do="Add those of another, and a column that names the algorithm",
    )


def _short_measure(name: str) -> bool:
    """Return whether a name is an abbreviated measure."""
    return normalized_name(name) in ("sen", "sens", "spe", "spec", "pre", "rec", "npv", "dsc")


def _raw_data(profile: Profile) -> Found:
    """Recognize raw data: columns of many kinds, none named after a measure or algorithm."""
    if profile.measures or set(profile.named.values()) & {"algorithm", "predicted", "score"}:
        return None
    texts = [n for n in profile.texts if n not in profile.named]
    numbers = [n for n in profile.numbers if not profile[n].is_unique or not profile[n].is_whole]
    coded = [n for n in numbers if profile[n].is_whole and profile[n].distinct <= FEW]
    is_mixed = len(numbers) >= 2 and len(coded) >= 1 and len(coded) < len(numbers)
    if len(texts) < 2 or len(profile.frame) < 20 or not is_mixed:
        return None
    if len(texts) + len(coded) < 4:
        return None
    return (
        weighted_observation(2 * STRONG, "many kinds", texts=len(texts), numbers=len(numbers)),
    ), NotResults(
        must="needs results of algorithms",
        found=f"The columns are of many kinds ({join_names([*texts[:2], *coded[:2]])}): this looks like a data set to "
        "learn from",
        do="Give the results of each algorithm per data set or fold, or its predictions",
    )


def _measured_things(profile: Profile) -> Found:
    """Recognize raw data: numeric features with a class in the last column."""
    class_column = list(profile.columns.values())[-1]
    numbers = [n for n in profile.numbers if n != class_column.name]
    numbers = [n for n in numbers if role_in_name(n) != "instance" and not profile[n].counts_up]
    is_class = class_column.is_text or (class_column.is_whole and class_column.distinct <= 10)
    if (
        len(profile.frame) < 20
        or len(numbers) < 3
        or not 2 <= class_column.distinct <= FEW
        or not is_class
    ):
        return None
    free = [n for n in profile.texts if n != class_column.name]
    if free or profile.measures or set(profile.named.values()) & {"algorithm", "dataset", "fold"}:
        return None
    if all(set(profile[n].values.unique()) <= set(class_column.values.unique()) for n in numbers):
        return None  # labels next to labels
    if all(profile[n].within(0, 1) for n in numbers):
        return None  # scores next to labels
    return (
        weighted_observation(
            2 * STRONG, "many kinds", texts=int(class_column.is_text), numbers=len(numbers)
        ),
    ), NotResults(
        must="needs results of algorithms",
        found=f'There are {join_names(numbers)} of each row and its class, "{class_column.name}": this looks '
        "like a data set to learn from",
        do="Give the results of each algorithm per data set or fold, or its predictions",
    )


def _confusion(profile: Profile) -> Found:
    """Recognize a confusion matrix: the same classes in rows and columns."""
    if len(profile.texts) != 1 or len(profile.numbers) < 2:
        return None
    key = profile[profile.texts[0]]
    labels = set(key.texts)
    class_columns_found = [n for n in profile.numbers if any(n.endswith(label) for label in labels)]
    are_counts = all(profile[n].is_whole for n in profile.numbers)
    if (
        not key.is_unique
        or not are_counts
        or len(class_columns_found) < len(labels)
        or len(labels) < 2
    ):
        return None
    return (weighted_observation(3 * STRONG, "confusion", column=key.name),), NotResults(
        must="needs one row per algorithm and fold",
        found="Rows and columns are the same classes: a table of confusions of one classifier",
        do="Give tp, fp, tn and fn of each algorithm in each fold, or the predictions",
    )


def _labels_without_truth(profile: Profile) -> Found:
    """Recognize predictions without true labels: an instance number and one label."""
    if len(profile.columns) != 2 or "true" in profile.named.values():
        return None
    first, second = profile.columns.values()
    if not (first.is_unique and (first.is_whole or first.is_text)) or second.distinct > FEW:
        return None
    if len(profile.frame) < 20 or not (second.is_whole or second.is_text):
        return None
    return (
        weighted_observation(2 * STRONG, "case column", column=first.name),
        weighted_observation(NAME, "labels only", column=second.name),
    ), NotResults(
        must="needs the true labels beside the predicted ones",
        found=f'There is one label per case ("{second.name}"), and nothing to hold it against',
        do="Add a column true, and the predictions of another model",
    )


def _runs(profile: Profile) -> Found:
    """Recognize the run list of an experiment tracker without known measures."""
    run_columns = [n for n in profile.columns if normalized_name(n) in _RUNS]
    if len(run_columns) < 2 or profile.measures:
        return None
    return (weighted_observation(2 * STRONG, "tracker", columns=tuple(run_columns)),), NotResults(
        must="needs the results of folds, seeds or data sets",
        found=f"This is a list of {format_count(len(profile.frame), 'run')} ({join_names(run_columns)}), each with "
        "numbers of its own: nothing can be tested",
        do="Export one row per run and fold, with the algorithm and the measure as columns",
    )


def _matrix_of_itself(profile: Profile) -> Found:
    """Recognize a square matrix with the same names in rows and columns."""
    if not profile.texts:
        return None
    key = profile.texts[0]
    names = list(profile.frame[key])
    if len(names) < 2 or not set(names) <= set(profile.columns) or not profile[key].is_unique:
        return None
    if any(not profile[n].is_number for n in names):
        return None
    matrix = profile.matrix(names)
    present = ~np.isnan(matrix) & ~np.isnan(matrix.T)
    mirrored = bool(np.allclose(matrix[present], matrix.T[present]))
    content = "similarities or p-values" if mirrored else "wins or decisions"
    return (weighted_observation(3 * STRONG, "matrix of itself", column=key),), NotResults(
        must="needs the results of each algorithm",
        found=f"Rows and columns have the same names: a matrix of {content} between them",
        do="Give the results of each algorithm per data set or fold",
    )
