"""Results of folds from predictions in files, with checks of the predictions and questions about them."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from stats_core.core.errors import DataError, NeedsMapping
from stats_core.core.formatting import join_names
from stats_core.core.messages import Message, message
from stats_core.data import class_measures, predictions, row_checks
from stats_core.data.predictions import EMPTY, TEST_SET
from stats_core.io import text_cells, vocabulary
from stats_core.io.mapping import Mapping
from stats_core.io.problems import TEXTS, data_error, question_of

_POSITIVE = ("1", "1.0", "+1", "pos", "positive", "yes", "true", "t", "y", "case", "+")
_MOST_CLASSES = 10  # with more different fractions, true values are numbers, not classes
_OFTEN_EQUAL, _CLOSE = 0.5, 0.5  # share of correct labels, and correlation of predicted numbers with true ones
_FEWEST = 10  # groups in a column whose name does not suggest clusters


@dataclass(frozen=True, slots=True, kw_only=True)
class Numbers:
    """True and predicted numbers of each instance; `doubtful` if they may as well be class labels."""

    true: np.ndarray
    predicted: np.ndarray
    doubtful: bool


def numbers_of(instances: pd.DataFrame, file: str) -> Numbers | None:
    """Return true and predicted values as numbers, None if they are class labels.

    Fractions are numbers unless they are few, or probabilities of classes. More than ten different whole numbers are
    doubtful if the predictions are close to the true values, but seldom equal. Raise DataError for predicted texts.
    """
    if "predicted" not in instances or "score" in instances:
        return None
    columns = [instances[name].cat for name in ("true", "predicted")]
    texts = [[str(name) for name in column.categories] for column in columns]
    characters = set().union(*texts[0], *texts[1])
    with_comma = "," in characters and "." not in characters
    (labels, _, _), (values, empty, _) = (text_cells.parse_texts(part, with_comma) for part in texts)
    if len(set(labels)) < 3 or not np.isfinite(labels).all():
        return None
    are_many, are_fractions = len(set(labels)) > _MOST_CLASSES, bool((labels != labels.round()).any())
    bad = ~np.isfinite(values) & ~empty
    if bad.any():
        if are_many and are_fractions:
            raise _not_a_number(instances, columns[1].codes.to_numpy(), bad, file)
        return None
    true, predicted = labels[columns[0].codes.to_numpy()], np.append(values, np.nan)[columns[1].codes.to_numpy()]
    known_values = values[~empty]
    if not len(known_values) or (known_values.min() >= 0 and known_values.max() <= 1 < labels.max()):
        return None
    if are_fractions or (known_values != known_values.round()).any():
        are_classes = not are_many and set(known_values) <= set(labels)
        return None if are_classes else Numbers(true=true, predicted=predicted, doubtful=False)
    has_number = ~np.isnan(predicted)
    true_given, predicted_given = true[has_number], predicted[has_number]
    if not are_many or np.ptp(predicted_given) == 0 or (true_given == predicted_given).mean() >= _OFTEN_EQUAL:
        return None
    is_close = float(np.corrcoef(true_given, predicted_given)[0, 1]) > _CLOSE
    return Numbers(true=true, predicted=predicted, doubtful=True) if is_close else None


def _not_a_number(instances: pd.DataFrame, codes: np.ndarray, bad: np.ndarray, file: str) -> DataError:
    """Return the error for predicted values that are not numbers."""
    rows = np.append(bad, False)[codes]
    text, line = instances["predicted"].iloc[rows.argmax()], int(instances.index[rows.argmax()])
    return data_error("not a number", file, line, "predicted", text=text, n=int(rows.sum()))


def fold_rows(
    instances: pd.DataFrame,
    mapping: Mapping,
    file: str,
    instance_column: str,
    measure: str = "",
    numbers: Numbers | None = None,
) -> predictions.ScoredFolds:
    """Return the results of each algorithm on each fold, NaN if the run failed; labels are normalized in place.

    With a `measure`, the column of this name holds one value per item, and the result is their mean; with `numbers`,
    results are errors of these. Two classes, or a positive class in `mapping`, give counts, areas and losses, and
    several classes give their own measures. Raise DataError for contradictory instances or labels, and NeedsMapping if
    there are scores for more than two classes without labels.
    """
    group, keys = predictions.group_numbers(instances, predictions.FOLD)
    first = predictions.first_places(group)
    keys["line"] = instances.index.take(first).to_numpy()  # take() keeps a range index
    keys["file"] = instances["file"].iloc[first].astype(str).to_numpy()
    try:
        _check_instances(instances, group, keys)
    except DataError:
        _check_instance_names(instances, instance_column)
        raise
    if measure:
        return predictions.average_items(instances, keys, group, measure)
    if numbers:
        return class_measures.score_numbers(instances, keys, group, numbers.true, numbers.predicted)
    for name in ("true", "predicted"):
        if name in instances:
            instances[name] = predictions.rename_categories(instances[name], predictions.plain_label)
    _check_labels(instances)
    label_counts = predictions.label_counts(instances)
    n_classes = (label_counts > 0).sum(axis=1)
    if n_classes.max() > 2 and not mapping.positive:
        if predictions.lacks_label(instances).any():
            raise _ask_for_class(instances, label_counts, file, mapping)
        return class_measures.score_classes(instances, keys, group, (int(n_classes.min()), int(n_classes.max())))
    positives = {str(name): _positive_class(row, mapping.positive, file) for name, row in label_counts.iterrows()}
    folds = predictions.score_folds(instances, keys, group, positives, mapping.score_direction)
    return replace(folds, notes=[_positive_note(positives, label_counts), *folds.notes])


def _positive_class(counts: pd.Series, positive: str, file: str) -> str:
    """Return the positive class: as set, by its name, or the rarest; raise DataError if the set one is absent."""
    classes = [str(name) for name in counts.index[counts > 0]]
    if positive:
        if positive not in classes:
            raise data_error("unknown positive class", file, classes=classes, positive=positive)
        return positive
    named = [name for name in classes if name.lower() in _POSITIVE]
    rarest = min(classes, key=lambda name: (counts[name], -classes.index(name)))
    return named[0] if len(named) == 1 else rarest


def _positive_note(positives: dict[str, str], label_counts: pd.DataFrame) -> Message:
    """Return the note on the positive class of each data set and the shares of positives."""
    shares = [label_counts.at[name, label] / label_counts.loc[name].sum() for name, label in positives.items()]
    return message(
        "positive class",
        classes=tuple(sorted(set(positives.values()))),
        least=float(min(shares)),
        most=float(max(shares)),
        others=bool(((label_counts > 0).sum(axis=1) > 2).any()),
    )


def _ask_for_class(instances: pd.DataFrame, label_counts: pd.DataFrame, file: str, mapping: Mapping) -> NeedsMapping:
    """Return the error that asks to which class the scores refer."""
    classes = [str(name) for name in label_counts.columns[(label_counts > 0).any()]]
    question = question_of("class of scores", n=len(classes), classes=classes)
    return NeedsMapping(
        [question.problem(file)],
        guess=mapping,
        preview=instances.head(8),
        question=question.question,
        classes=tuple(classes),
    )


def _check_instances(instances: pd.DataFrame, group: np.ndarray, keys: pd.DataFrame) -> None:
    """Raise DataError for repeated instances, contradictory true labels, or algorithms tested on different ones."""
    test_set = row_checks.number_labels(keys, TEST_SET)[1]
    sizes = keys.assign(n=np.bincount(group))
    if "instance" not in instances:
        distinct_sizes = sizes.sort_values("n").drop_duplicates([*TEST_SET, "n"])
        _refuse_other_cases(distinct_sizes[distinct_sizes.duplicated(TEST_SET, keep=False)])
        return
    instance, n_cases = predictions.case_numbers(instances["instance"])
    tested = group * np.int64(n_cases) + instance
    if len(predictions.distinct_numbers(tested)) < len(tested):
        position = int(pd.Series(tested).duplicated().argmax())
        row = {name: keys[name].iloc[group[position]] for name in ("dataset", "algorithm", "fold")}
        n = len(tested) - len(predictions.distinct_numbers(tested))
        raise _instance_error(instances, position, "repeated cases", n=n, **row)
    label = instances["true"].cat
    tested = test_set[group] * np.int64(n_cases) + instance
    labelled = predictions.distinct_numbers(tested * len(label.categories) + label.codes.to_numpy())
    tested = labelled // len(label.categories)
    if len(predictions.distinct_numbers(tested)) < len(tested):
        table = instances[[*TEST_SET, "instance", "true"]].reset_index(drop=True).drop_duplicates()
        position = table.index[table.duplicated([*TEST_SET, "instance"])][0]
        raise _instance_error(instances, position, "two true labels", dataset=instances["dataset"].iloc[position])
    sizes["all"] = np.bincount(tested // n_cases)[test_set]
    if (differs := (sizes["n"] != sizes["all"]).to_numpy()).any():
        _refuse_other_cases(sizes[differs])


def _check_instance_names(instances: pd.DataFrame, column: str) -> None:
    """Raise DataError for empty instance names."""
    empty = instances[instances["instance"] == ""] if "instance" in instances else instances[:0]
    if len(empty):
        n = empty.index.nunique()
        raise data_error("instance missing", str(empty["file"].iloc[0]), int(empty.index[0]), column, n=n)


def _instance_error(instances: pd.DataFrame, position: int, code: str, **values: Any) -> DataError:
    """Return the DataError for the instance in the row at `position`."""
    row = instances.iloc[position]
    return data_error(code, str(row["file"]), int(instances.index[position]), instance=row["instance"], **values)


def _refuse_other_cases(sizes: pd.DataFrame) -> None:
    """Raise DataError if `sizes`, the folds with differing numbers of instances, is not empty."""
    if sizes.empty:
        return
    first = sizes.iloc[0]
    in_fold = (sizes["dataset"] == first["dataset"]) & (sizes["fold"] == first["fold"])
    counts = join_names([f"{row['algorithm']} has {row['n']}" for _, row in sizes[in_fold].iterrows()])
    of_all = f" of {first['all']}" if "all" in first else ""
    raise data_error("other cases", f"{first['dataset']}, fold {first['fold']}", counts=counts, of_all=of_all)


def _check_labels(instances: pd.DataFrame) -> None:
    """Raise DataError if predicted labels that are not true labels seem to be another spelling or coding of these."""
    if "predicted" not in instances:
        return
    labelled = ~(predictions.missing_predictions(instances) | predictions.lacks_label(instances))
    predicted = instances.loc[labelled, ["dataset", "predicted"]]
    predicted_labels = _labels_of(predicted, "predicted")
    for name, true_labels in _labels_of(instances, "true").items():
        labels = predicted_labels.get(name, [])
        unknown = [label for label in labels if label not in true_labels]
        same_letters = {label.casefold() for label in true_labels} & {label.casefold() for label in unknown}
        is_suspicious = len(true_labels) == 2 or len(unknown) == len(labels)
        if unknown and (same_letters or (is_suspicious and len({*true_labels, *unknown}) > 2)):
            row = predicted[(predicted["dataset"] == name) & (predicted["predicted"].isin(unknown))].head(1)
            values = {"label": row["predicted"].iloc[0], "name": name, "known": row_checks.natural_order(true_labels)}
            raise data_error("unknown labels", str(instances["file"].iloc[0]), int(row.index[0]), **values)


def _labels_of(instances: pd.DataFrame, column: str) -> dict[str, list[str]]:
    """Return the distinct labels of each data set, {} without instances."""
    if instances.empty:
        return {}
    _, pairs = predictions.group_numbers(instances, ["dataset", column])
    return {str(name): list(block[column]) for name, block in pairs.groupby("dataset", sort=False)}


def with_cases(cases: pd.DataFrame, mapping: Mapping, file: str) -> tuple[pd.DataFrame, list[Message]]:
    """Return predictions and notes; rows are numbered as instances if the user states that their order is the same.

    Raise NeedsMapping if this seems to be so, and DataError if it is stated but the true labels contradict it.
    """
    if "instance" in cases or mapping.rows not in ("", "cases"):
        return cases, []
    # several algorithms with one fold each on one data set
    is_one_set = all(len(cases[name].unique()) == 1 for name in TEST_SET) and len(cases["algorithm"].unique()) > 1
    if not mapping.rows and not is_one_set:
        return cases, []
    test_set, sets = predictions.group_numbers(cases, TEST_SET)
    result, _ = predictions.group_numbers(cases, predictions.FOLD)
    position = pd.Series(result).groupby(result).cumcount().to_numpy()
    starts = np.cumsum([0, *pd.Series(position).groupby(test_set).max() + 1])[:-1]
    number = position + starts[test_set]
    is_consistent = _alike(cases, number, test_set, result)
    if mapping.rows:
        if not is_consistent:
            raise data_error("cases differ", file)
        n = int(number.max()) + 1
        return cases.assign(instance=number.astype(np.int32)), [message("cases in order", n=n)]
    labels = cases["true"].cat.codes.to_numpy()[result == 0]
    changes = int((labels[1:] != labels[:-1]).sum())
    # sorted labels agree in any order
    if not is_consistent or changes < len(cases["true"].cat.categories):
        return cases, []
    question = question_of("same cases", n=int(position.max()) + 1)
    raise NeedsMapping(
        [question.problem(file)],
        guess=mapping,
        preview=cases.drop(columns=["correct", "positive"], errors="ignore").head(8),
        question=question.question,
        about=question.about,
        options=tuple((text, replace(mapping, rows=rows)) for rows, text in TEXTS["same cases"].items()),
    )


def _alike(instances: pd.DataFrame, number: np.ndarray, test_set: np.ndarray, result: np.ndarray) -> bool:
    """Return whether all algorithms have the same true labels in the same row order."""
    label = pd.Series(instances["true"].cat.codes.to_numpy()).groupby(number)
    n_results = pd.Series(result).groupby(test_set).nunique()
    complete = label.size().to_numpy() == n_results.to_numpy()[pd.Series(test_set).groupby(number).first()]
    return bool(complete.all() and (label.nunique() == 1).all())


def suggested_clusters(frame: pd.DataFrame, roles: dict[str, str]) -> list[Message]:
    """Return a list with a note on the unused column that is most likely a cluster variable, [] if there is none."""
    instance_columns = vocabulary.with_role(roles, "instance")
    if len(instance_columns) != 1 or vocabulary.with_role(roles, "cluster"):
        return []
    labels, case_index = row_checks.number_labels(frame, [*vocabulary.with_role(roles, "dataset"), *instance_columns])
    n, candidates = len(labels), []
    for name in vocabulary.with_role(roles, "ignore"):
        texts, named_so = frame[name], vocabulary.names_clusters(name)
        groups = texts.nunique()
        if not (2 if named_so else _FEWEST) <= groups <= n / 1.2 or texts.str.lower().isin(EMPTY).any():
            continue
        if not named_so and pd.to_numeric(texts, errors="coerce").notna().any():
            continue
        if len(set(zip(case_index.tolist(), texts, strict=True))) == n:
            candidates.append((not named_so, -groups, name))
    return [message("clusters suggested", column=name, n=-n_, cases=n) for _, n_, name in sorted(candidates)[:1]]
