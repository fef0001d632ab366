"""Instances of predictions: checks, pairing by row order, and columns that may define clusters."""

import re
from dataclasses import replace

import numpy as np
import pandas as pd

from stats_core.core.errors import NeedsMapping, Problem
from stats_core.core.formatting import join_names
from stats_core.core.messages import Message, message
from stats_core.data.predictions import FOLD, case_numbers, group_numbers
from stats_core.data.row_checks import natural_order, number_labels
from stats_core.io.mapping import Mapping
from stats_core.io.problems import data_error, question_of
from stats_core.io.text_cells import EMPTY
from stats_core.io.vocabulary import WORDS, with_role

_TEST_SET = ["dataset", "repetition", "fold"]


def missing_predictions(instances: pd.DataFrame) -> np.ndarray:
    """Return a mask of instances without a prediction, because the run failed."""
    if "predicted" in instances:
        column = instances["predicted"].cat
        empty = [str(name).lower() in EMPTY for name in column.categories]
        return np.array(empty, dtype=bool)[column.codes.to_numpy()]
    return instances["score"].isna().to_numpy()


def check_instances(instances: pd.DataFrame, group: np.ndarray, keys: pd.DataFrame) -> None:
    """Refuse repeated instances, instances with two labels, and folds of different instances."""
    test_set = number_labels(keys, _TEST_SET)[1]
    sizes = keys.assign(n=np.bincount(group))
    if "instance" not in instances:
        distinct_sizes = sizes.sort_values("n").drop_duplicates([*_TEST_SET, "n"])
        _refuse_other_cases(distinct_sizes[distinct_sizes.duplicated(_TEST_SET, keep=False)])
        return
    instance, n_cases = case_numbers(instances["instance"])
    if _any_twice(group * np.int64(n_cases) + instance):
        _refuse_copies(instances, group, keys)
    label = instances["true"].cat
    tested = test_set[group] * np.int64(n_cases) + instance
    labelled = _distinct(tested * len(label.categories) + label.codes.to_numpy())
    tested = labelled // len(label.categories)
    if _any_twice(tested):
        _refuse_two_labels(instances)
    sizes["all"] = np.bincount(tested // n_cases)[test_set]
    if (differs := (sizes["n"] != sizes["all"]).to_numpy()).any():
        _refuse_other_cases(sizes[differs])


def _distinct(numbers: np.ndarray) -> np.ndarray:
    """Return the distinct numbers in order, by sorting, which is faster than hashing here."""
    ordered = np.sort(numbers)
    return ordered[np.concatenate([[True], ordered[1:] != ordered[:-1]])]


def _any_twice(numbers: np.ndarray) -> bool:
    ordered = np.sort(numbers)
    return bool((ordered[1:] == ordered[:-1]).any())


def _refuse_copies(instances: pd.DataFrame, group: np.ndarray, keys: pd.DataFrame) -> None:
    table = pd.DataFrame({"group": group, "instance": instances["instance"]})
    copies = table.duplicated().to_numpy()
    position = int(copies.argmax())
    key = keys.iloc[group[position]]
    raise data_error(
        "repeated cases",
        str(instances["file"].iloc[position]),
        int(instances.index[position]),
        n=int(copies.sum()),
        instance=table["instance"].iloc[position],
        dataset=key["dataset"],
        algorithm=key["algorithm"],
        fold=key["fold"],
    )


def _refuse_two_labels(instances: pd.DataFrame) -> None:
    labelled = instances[[*_TEST_SET, "instance", "true"]].reset_index(drop=True).drop_duplicates()
    position = labelled.index[labelled.duplicated([*_TEST_SET, "instance"])][0]
    row = instances.iloc[position]
    raise data_error(
        "two true labels",
        str(row["file"]),
        int(instances.index[position]),
        instance=row["instance"],
        dataset=row["dataset"],
    )


def _refuse_other_cases(sizes: pd.DataFrame) -> None:
    if sizes.empty:
        return
    first = sizes.iloc[0]
    in_fold = (sizes["dataset"] == first["dataset"]) & (sizes["fold"] == first["fold"])
    counts = join_names([f"{row['algorithm']} has {row['n']}" for _, row in sizes[in_fold].iterrows()])
    raise data_error(
        "other cases",
        f"{first['dataset']}, fold {first['fold']}",
        counts=counts,
        of_all=f" of {first['all']}" if "all" in first else "",
    )


def check_labels(instances: pd.DataFrame) -> None:
    """Refuse predicted labels that are spelled differently from the true labels."""
    if "predicted" not in instances:
        return
    predicted = instances.loc[~missing_predictions(instances), ["dataset", "predicted"]]
    predicted_labels = _labels_of(predicted, "predicted")
    for name, known in _labels_of(instances, "true").items():
        labels = predicted_labels.get(name, [])
        unknown = [label for label in labels if label not in known]
        same_letters = {label.casefold() for label in known} & {label.casefold() for label in unknown}
        is_suspicious = len(known) == 2 or len(unknown) == len(labels)
        if unknown and (same_letters or (is_suspicious and len({*known, *unknown}) > 2)):
            mask = (predicted["dataset"] == name) & (predicted["predicted"].isin(unknown))
            position = int(mask.to_numpy().argmax())
            raise data_error(
                "unknown labels",
                str(instances["file"].iloc[0]),
                int(predicted.index[position]),
                label=predicted["predicted"].iloc[position],
                name=name,
                known=natural_order(known),
            )


def _labels_of(instances: pd.DataFrame, column: str) -> dict[str, list[str]]:
    """Return the labels of each data set."""
    if instances.empty:
        return {}
    _, pairs = group_numbers(instances, ["dataset", column])
    return {str(name): list(block[column]) for name, block in pairs.groupby("dataset", sort=False)}


def common_test_set(instances: pd.DataFrame) -> bool:
    """Return whether all folds of each data set have the same instances and labels."""
    if "instance" not in instances:
        return False
    instance, n_cases = case_numbers(instances["instance"])
    fold, folds = group_numbers(instances, _TEST_SET)
    label = instances["true"].cat
    labels = len(label.categories)
    tested = _distinct((fold * np.int64(n_cases) + instance) * labels + label.codes.to_numpy())
    fold, instance = np.divmod(tested // labels, n_cases)
    dataset = number_labels(folds, ["dataset"])[1]
    cell = dataset[fold] * np.int64(n_cases) + instance
    cells, n_occurrences = np.unique(cell, return_counts=True)
    if len(_distinct(cell * labels + tested % labels)) != len(cells):
        return False
    n_folds = np.bincount(dataset)
    return bool((n_occurrences == n_folds[cells // n_cases]).all() and (n_folds > 1).all())


def with_cases(cases: pd.DataFrame, mapping: Mapping, file: str) -> tuple[pd.DataFrame, list[Message]]:
    """Number instances by row order if the user confirmed it; ask if that is likely."""
    if "instance" in cases or mapping.rows not in ("", "cases"):
        return cases, []
    if not mapping.rows and not _one_test_set(cases):
        return cases, []
    test_set, sets = group_numbers(cases, _TEST_SET)
    result, _ = group_numbers(cases, FOLD)
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
    raise _asking(cases, mapping, file, int(position.max()) + 1)


def _one_test_set(instances: pd.DataFrame) -> bool:
    """Return whether several algorithms have one fold each on one data set."""
    single = all(len(instances[name].unique()) == 1 for name in _TEST_SET)
    return single and len(instances["algorithm"].unique()) > 1


def _alike(instances: pd.DataFrame, number: np.ndarray, test_set: np.ndarray, result: np.ndarray) -> bool:
    """Return whether algorithms have equally many rows with the same true labels."""
    label = pd.Series(instances["true"].cat.codes.to_numpy()).groupby(number)
    n_results = pd.Series(result).groupby(test_set).nunique()
    complete = label.size().to_numpy() == n_results.to_numpy()[pd.Series(test_set).groupby(number).first()]
    return bool(complete.all() and (label.nunique() == 1).all())


def _asking(instances: pd.DataFrame, mapping: Mapping, file: str, n: int) -> NeedsMapping:
    texts = question_of("same cases", n=n)
    options = {
        "cases": "If they are, the algorithms are compared case by case, and every report says so.",
        "apart": "If not, or if nobody knows, no two algorithms can be paired, and nothing is tested.",
    }
    return NeedsMapping(
        [Problem(file=file, must=texts.must, found=texts.found, do=texts.do)],
        guess=mapping,
        preview=instances.drop(columns=["correct", "positive"], errors="ignore").head(8),
        question=texts.question,
        about=texts.about,
        options=tuple((text, replace(mapping, rows=rows)) for rows, text in options.items()),
    )


LEAST = 10  # fewest groups in a column whose name does not suggest clusters


def told_as_cluster(name: str) -> bool:
    """Return whether a column name suggests clusters, such as patients or sites.

    Examples
    --------
    >>> told_as_cluster("Patient_ID"), told_as_cluster("patience")
    (True, False)
    """
    words = re.findall(r"[a-z]+", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).lower())
    return any(word.rstrip("s") in WORDS["clusters"] or word in WORDS["clusters"] for word in words)


def suggested_clusters(frame: pd.DataFrame, roles: dict[str, str]) -> list[Message]:
    """Return a note on the unused column that most likely defines clusters."""
    instance_columns = with_role(roles, "instance")
    if len(instance_columns) != 1 or with_role(roles, "cluster"):
        return []
    labels, case_index = number_labels(frame, [*with_role(roles, "dataset"), *instance_columns])
    n, candidates = len(labels), []
    for name in with_role(roles, "ignore"):
        texts, named_so = frame[name], told_as_cluster(name)
        groups = texts.nunique()
        if not (2 if named_so else LEAST) <= groups <= n / 1.2 or texts.str.lower().isin(EMPTY).any():
            continue
        if not named_so and pd.to_numeric(texts, errors="coerce").notna().any():
            continue
        if len(set(zip(case_index.tolist(), texts, strict=True))) == n:
            candidates.append((not named_so, -groups, name))
    return [message("clusters suggested", column=name, n=-n_, cases=n) for _, n_, name in sorted(candidates)[:1]]
