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
    test_set = row_checks.number_labels(keys, TEST_SET)[1]
    sizes = keys.assign(n=measures.group_sizes(group))
    if "instance" not in instances:
        distinct_sizes = sizes.sort_values("n").drop_duplicates([*TEST_SET, "n"])
        _refuse_other_cases(
            distinct_sizes, distinct_sizes.duplicated(TEST_SET, keep=False).to_numpy()
        )
        return
    instance, n_cases = predictions.case_numbers(instances["instance"])
    tested = group * np.int64(n_cases) + instance
    if len(predictions.distinct_numbers(tested)) < len(tested):
        position = int(pd.Series(tested).duplicated().argmax())
        row = {name: keys[name].iloc[group[position]] for name in ("dataset", "algorithm", "fold")}
        n = len(tested) - len(predictions.distinct_numbers(tested))
        raise _instance_error(instances, position, "repeated", n=n, **row)
    label = instances["true"].cat
    tested = test_set[group] * np.int64(n_cases) + instance
    labelled = predictions.distinct_numbers(tested * len(label.categories) + label.codes.to_numpy())
    tested = labelled // len(label.categories)
    if len(predictions.distinct_numbers(tested)) < len(tested):
        table = instances[[*TEST_SET, "instance", "true"]].reset_index(drop=True).drop_duplicates()
        position = table.index[table.duplicated([*TEST_SET, "instance"])][0]
        raise _instance_error(
            instances, position, "two labels", dataset=instances["dataset"].iloc[position]
        )
    sizes["all"] = np.bincount(tested // n_cases)[test_set]
    if not may_lack:
        _refuse_other_cases(sizes, (sizes["n"] != sizes["all"]).to_numpy())


def check_instance_names(instances: pd.DataFrame, column: str) -> None:
    """Raise DataError for empty instance names."""
    empty = instances[instances["instance"] == ""] if "instance" in instances else instances[:0]
    if len(empty):
        n = empty.index.nunique()
        raise _error("no ID", str(empty["file"].iloc[0]), int(empty.index[0]), column, n=n)


def number_error(instances: pd.DataFrame, wrong: np.ndarray) -> DataError:
    """Return the DataError for predicted values that are not numbers, in the rows where `wrong` is True."""
    row = instances.iloc[wrong.argmax()]
    location = (str(row["file"]), int(instances.index[wrong.argmax()]), "predicted")
    return _error("not a number", *location, text=row["predicted"], n=int(wrong.sum()))


def _instance_error(instances: pd.DataFrame, position: int, code: str, **values: Any) -> DataError:
    """Return the DataError for the instance in the row at `position`."""
    row = instances.iloc[position]
    return _error(
        code, str(row["file"]), int(instances.index[position]), instance=row["instance"], **values
    )


def _refuse_other_cases(sizes: pd.DataFrame, differs: np.ndarray) -> None:
    """Raise DataError if numbers of instances differ, those in `sizes` where `differs` is True."""
    if not differs.any():
        return
    other = sizes[differs]
    first = other.iloc[0]
    in_fold = (other["dataset"] == first["dataset"]) & (other["fold"] == first["fold"])
    counts = join_names(
        [f"{row['algorithm']} has {row['n']}" for _, row in other[in_fold].iterrows()]
    )
    of_all = f" of {first['all']}" if "all" in first else ""
    folds = sizes.loc[sizes["dataset"] == first["dataset"], "fold"].nunique()
    location = first["dataset"] if folds == 1 else f"{first['dataset']}, fold {first['fold']}"
    raise _error("others", str(location), counts=counts, of_all=of_all, folds=folds)


def check_labels(instances: pd.DataFrame) -> None:
    """Raise DataError if an algorithm seems to use another coding of the labels."""
    if "predicted" not in instances or label_matching.all_known(instances):
        return
    labelled = ~(predictions.missing_predictions(instances) | predictions.lacks_label(instances))
    rows = instances.loc[labelled, ["dataset", "algorithm", "predicted"]]
    true = label_matching.distinct_labels(instances, "true", "dataset")
    by_algorithm = label_matching.distinct_labels(rows, "predicted", "dataset", "algorithm")
    for (name, algorithm), labels in by_algorithm.items():
        true_labels = true[(name,)]
        if not label_matching.is_other_coding(labels, true_labels):
            continue
        unknown = set(labels) - set(label_matching.matched_labels(labels, true_labels))
        is_row = (rows["dataset"] == name) & (rows["algorithm"] == algorithm)
        row = rows[is_row & rows["predicted"].isin(unknown)].head(1)
        values = {
            "label": row["predicted"].iloc[0],
            "algorithm": algorithm,
            "name": name,
            "known": row_checks.natural_order(true_labels),
        }
        raise _error("unknown label", str(instances["file"].iloc[0]), int(row.index[0]), **values)


def numbers_in_order(instances: pd.DataFrame) -> np.ndarray | None:
    """Return the number of each row within its result, counted on over test sets; None if true labels then differ."""
    test_set, _ = predictions.group_numbers(instances, TEST_SET)
    result, _ = predictions.group_numbers(instances, FOLD)
    position = pd.Series(result).groupby(result).cumcount().to_numpy()
    starts = np.cumsum([0, *pd.Series(position).groupby(test_set).max() + 1])[:-1]
    number = (position + starts[test_set]).astype(np.int32)
    label = pd.Series(instances["true"].cat.codes.to_numpy()).groupby(number)
    n_results = pd.Series(result).groupby(test_set).nunique()
    complete = (
        label.size().to_numpy() == n_results.to_numpy()[pd.Series(test_set).groupby(number).first()]
    )
    return number if complete.all() and (label.nunique() == 1).all() else None


def _error(
    code: str, file: str, row: int | None = None, column: str = "", /, **values: Any
) -> DataError:
    """Return the DataError of a single problem."""
    entry = TEXTS[code]
    texts: dict[str, Any] = {
        name: fill_in(text, values) if isinstance(text, str) else text
        for name, text in entry.items()
    }
    return DataError([Problem(file=file, row=row, column=column, **texts)])
