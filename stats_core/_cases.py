"""Checks of instance predictions: every algorithm must have seen the same cases once."""

import pandas as pd

from stats_core._numbers import EMPTY
from stats_core._rows import natural_order
from stats_core.errors import DataError, Problem
from stats_core.wording import count, listed

FOLD = ["dataset", "algorithm", "repetition", "fold"]


def plain_labels(texts: pd.Series) -> pd.Series:
    """Write labels alike: 1.0 is 1."""
    return texts.str.replace(r"^([+-]?\d+)\.0+$", r"\1", regex=True)


def blank(instances: pd.DataFrame) -> pd.Series:
    """Tell which instances have no prediction, because the run failed."""
    if "predicted" in instances:
        return instances["predicted"].str.lower().isin(EMPTY)
    return instances["score"].isna()


def check_instances(instances: pd.DataFrame) -> None:
    """Refuse a case given twice, a case with two labels, and folds of different cases."""
    fold = ["dataset", "repetition", "fold"]
    if "instance" not in instances:
        sizes = instances.groupby(FOLD, sort=False).size().rename("n").reset_index()
        ends = sizes.sort_values("n").drop_duplicates([*fold, "n"])
        _refuse_other_cases(ends[ends.duplicated(fold, keep=False)])
        return
    copies = instances.duplicated([*FOLD, "instance"])
    if copies.any():
        first = instances[copies].iloc[0]
        raise _refuse(
            "one row per data set, algorithm, fold and case",
            f"{count(int(copies.sum()), 'repeated row')}, first case {first['instance']} "
            f"of ({first['dataset']}, {first['algorithm']}, {first['fold']})",
            file=first["file"],
            row=int(first["line"]),
            do="Remove the copies or add a repetition column",
        )
    cases = instances[[*fold, "instance", "true"]].drop_duplicates()
    twice = cases.duplicated([*fold, "instance"])
    if twice.any():
        line = instances.loc[cases[twice].index[0]]
        raise _refuse(
            "every case has one true label",
            f"Case {line['instance']} of {line['dataset']} has another label elsewhere",
            file=line["file"],
            row=int(line["line"]),
            do="Check the labels, or number the cases alike for all algorithms",
        )
    sizes = instances.groupby(FOLD, sort=False).size().rename("n").reset_index()
    expected = cases.groupby(fold, sort=False).size().rename("all").reset_index()
    sizes = sizes.merge(expected, on=fold)
    _refuse_other_cases(sizes[sizes["n"] != sizes["all"]])


def _refuse_other_cases(sizes: pd.DataFrame) -> None:
    if sizes.empty:
        return
    first = sizes.iloc[0]
    same = (sizes["dataset"] == first["dataset"]) & (sizes["fold"] == first["fold"])
    seen = listed([f"{row['algorithm']} has {row['n']}" for _, row in sizes[same].iterrows()])
    raise _refuse(
        "all algorithms need the same cases",
        f"{seen}" + (f" of {first['all']}" if "all" in first else ""),
        file=f"{first['dataset']}, fold {first['fold']}",
        do="Check the split",
    )


def check_labels(instances: pd.DataFrame, true: pd.Series) -> None:
    """Refuse predicted labels that are written differently from the true ones."""
    if "predicted" not in instances:
        return
    table = pd.DataFrame(
        {"dataset": instances["dataset"], "label": plain_labels(instances["predicted"])}
    )
    table = table[~blank(instances)].drop_duplicates()
    for name, block in table.groupby("dataset", sort=False):
        known = set(true[instances["dataset"] == name])
        strange = [label for label in block["label"] if label not in known]
        alike = {label.casefold() for label in known} & {label.casefold() for label in strange}
        few = len(known) == 2 or len(strange) == len(block)
        if strange and (alike or (few and len(known | set(strange)) > 2)):
            line = block["label"].isin(strange).idxmax()
            raise _refuse(
                "predicted labels need to be among the true ones",
                f'Found "{strange[0]}"; {name} has {listed(natural_order(known), 6)}',
                file=instances.at[line, "file"],
                row=int(instances.at[line, "line"]),
                do="Write labels alike in both columns",
            )


def _refuse(must: str, found: str, *, file: str, do: str, row: int | None = None) -> DataError:
    return DataError([Problem(file=file, row=row, must=must, found=found, do=do)])
