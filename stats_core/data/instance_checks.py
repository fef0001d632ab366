"""Checks of instance predictions: the same instances and labels for all algorithms."""

from typing import Any

import numpy as np
import pandas as pd

from stats_core.core.errors import DataError, Problem
from stats_core.core.formatting import join_names
from stats_core.core.messages import fill_in, read_texts
from stats_core.data import label_matching, measures, predictions, row_checks
from stats_core.data.predictions import FOLD, TEST_SET

TEXTS = read_texts("data/instance_problems.toml")


def check_instances(
    instances: pd.DataFrame, group: np.ndarray, keys: pd.DataFrame, *, may_lack: bool = False
) -> None:
    """Raise DataError for repeated instances, contradictory labels, or different test instances.

    Of repeated answers to an instance, algorithms may lack some (`may_lack`).
    """
    _, test_set = row_checks.number_labels(keys, TEST_SET)
    sizes = keys.assign(n=measures.group_sizes(group))
    if "instance" not in instances:
        distinct_sizes = sizes.sort_values("n").drop_duplicates([*TEST_SET, "n"])
        differs = distinct_sizes.duplicated(TEST_SET, keep=False).to_numpy()
        _refuse_other_cases(distinct_sizes, differs)
        return
    instance, n_instances = predictions.case_numbers(instances["instance"])
    _check_repeated(instances, group * np.int64(n_instances) + instance, keys.iloc[group])
    tested = _labelled_once(instances, test_set[group] * np.int64(n_instances) + instance)
    sizes["all"] = np.bincount(tested // n_instances)[test_set]
    if not may_lack:
        _refuse_other_cases(sizes, (sizes["n"] != sizes["all"]).to_numpy())


def _check_repeated(instances: pd.DataFrame, tested: np.ndarray, keys: pd.DataFrame) -> None:
    """Raise DataError if a number in `tested`, an instance of a result, occurs twice."""
    n_repeated = len(tested) - len(predictions.distinct_numbers(tested))
    if n_repeated:
        position = int(pd.Series(tested).duplicated().argmax())
        first = keys.iloc[position]
        row = {name: first[name] for name in ("dataset", "algorithm", "fold")}
        raise _instance_error(instances, position, "repeated", n=n_repeated, **row)


def _labelled_once(instances: pd.DataFrame, tested: np.ndarray) -> np.ndarray:
    """Return the distinct tested instances; raise DataError if one has two true labels."""
    label = instances["true"].cat
    n_labels = len(label.categories)
    labelled = predictions.distinct_numbers(tested * n_labels + label.codes.to_numpy())
    distinct = labelled // n_labels
    if len(predictions.distinct_numbers(distinct)) < len(distinct):
        table = instances[[*TEST_SET, "instance", "true"]].reset_index(drop=True).drop_duplicates()
        is_second = table.duplicated([*TEST_SET, "instance"])
        position = table.index[is_second][0]
        dataset = instances["dataset"].iloc[position]
        raise _instance_error(instances, position, "two labels", dataset=dataset)
    return distinct


def check_instance_names(instances: pd.DataFrame, column: str) -> None:
    """Raise DataError for empty instance names."""
    if "instance" not in instances:
        return
    empty = instances[instances["instance"] == ""]
    if len(empty):
        file = str(empty["file"].iloc[0])
        raise _error("no ID", file, int(empty.index[0]), column, n=empty.index.nunique())


def number_error(instances: pd.DataFrame, wrong: np.ndarray) -> DataError:
    """Return the DataError for predicted values that are not numbers, in the rows where `wrong` is True."""
    position = wrong.argmax()
    row = instances.iloc[position]
    return _error(
        "not a number",
        str(row["file"]),
        int(instances.index[position]),
        "predicted",
        text=row["predicted"],
        n=int(wrong.sum()),
    )


def _instance_error(instances: pd.DataFrame, position: int, code: str, **values: Any) -> DataError:
    """Return the DataError for the instance in the row at `position`."""
    row = instances.iloc[position]
    file = str(row["file"])
    return _error(code, file, int(instances.index[position]), instance=row["instance"], **values)


def _refuse_other_cases(sizes: pd.DataFrame, differs: np.ndarray) -> None:
    """Raise DataError if numbers of instances differ, those in `sizes` where `differs` is True."""
    if not differs.any():
        return
    other = sizes[differs]
    first = other.iloc[0]
    dataset = first["dataset"]
    in_fold = (other["dataset"] == dataset) & (other["fold"] == first["fold"])
    counts = [f"{row['algorithm']} has {row['n']}" for _, row in other[in_fold].iterrows()]
    of_all = f" of {first['all']}" if "all" in first else ""
    n_folds = sizes.loc[sizes["dataset"] == dataset, "fold"].nunique()
    location = dataset if n_folds == 1 else f"{dataset}, fold {first['fold']}"
    raise _error("others", str(location), counts=join_names(counts), of_all=of_all, folds=n_folds)


def check_labels(instances: pd.DataFrame) -> None:
    """Raise DataError if an algorithm seems to use another coding of the labels."""
    if "predicted" not in instances or label_matching.all_known(instances):
        return
    is_missing = predictions.missing_predictions(instances) | predictions.lacks_label(instances)
    rows = instances.loc[~is_missing, ["dataset", "algorithm", "predicted"]]
    true_of_dataset = label_matching.distinct_labels(instances, "true", "dataset")
    predicted = label_matching.distinct_labels(rows, "predicted", "dataset", "algorithm")
    for (dataset, algorithm), labels in predicted.items():
        true_labels = true_of_dataset[(dataset,)]
        if not label_matching.is_other_coding(labels, true_labels):
            continue
        unknown = set(labels) - set(label_matching.matched_labels(labels, true_labels))
        in_result = (rows["dataset"] == dataset) & (rows["algorithm"] == algorithm)
        first = rows[in_result & rows["predicted"].isin(unknown)].head(1)
        raise _error(
            "unknown label",
            str(instances["file"].iloc[0]),
            int(first.index[0]),
            label=first["predicted"].iloc[0],
            algorithm=algorithm,
            name=dataset,
            known=row_checks.natural_order(true_labels),
        )


def numbers_in_order(instances: pd.DataFrame) -> np.ndarray | None:
    """Return the number of each row within its result, counted on over test sets; None if true labels then differ."""
    test_set, _ = predictions.group_numbers(instances, TEST_SET)
    result, _ = predictions.group_numbers(instances, FOLD)
    results = pd.Series(result)
    position = results.groupby(result).cumcount().to_numpy()
    sizes = pd.Series(position).groupby(test_set).max().to_numpy() + 1
    starts = np.cumsum(sizes) - sizes
    number = (position + starts[test_set]).astype(np.int32)
    labels = pd.Series(instances["true"].cat.codes.to_numpy()).groupby(number)
    n_results = results.groupby(test_set).nunique().to_numpy()
    set_of_number = pd.Series(test_set).groupby(number).first()
    is_complete = labels.size().to_numpy() == n_results[set_of_number]
    is_unanimous = labels.nunique() == 1
    return number if is_complete.all() and is_unanimous.all() else None


def _error(
    code: str, file: str, row: int | None = None, column: str = "", /, **values: Any
) -> DataError:
    """Return the DataError of a single problem."""
    texts: dict[str, Any] = {}
    for name, text in TEXTS[code].items():
        texts[name] = fill_in(text, values) if isinstance(text, str) else text
    return DataError([Problem(file=file, row=row, column=column, **texts)])
