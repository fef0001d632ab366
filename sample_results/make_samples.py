"""Computation of the sample results from raw UCI data.

    python sample_results/make_samples.py --data DIR [--only NAME] [--parts DIR]

DIR holds one CSV per data set: header, last column `class`, empty cell = missing.
Everything but the seconds comes out the same on every run with the same versions.
README.md in this folder describes what is run, and with which settings.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np
import pandas as pd
from _data import (
    Table,
    describe,
    drop_rare_classes,
    most_confused,
    read_table,
    seed_of,
    two_classes,
)
from _experiments import (
    class_scores,
    five_by_two,
    predicted_numbers,
    retrieval,
    ten_by_ten,
    tenfold,
    thirty_training_sets,
)
from _learners import NAMES, SCORED
from threadpoolctl import threadpool_limits

HERE = Path(__file__).parent

UCI38 = (
    "zoo iris tae hepatitis wine flags glass heart haberman flare ecoli bupa ionosphere "
    "dermatology horse monks vote cylinder balance australian credit breast pima tictactoe cmc "
    "yeast car titanic segment thyroid optdigits spambase pageblock ringnorm twonorm pendigits "
    "mushroom nursery"
).split()

TWO_CLASS = {
    "donors": ("splice", "EI", "N"),
    "acceptors": ("splice", "IE", "N"),
    "breast": ("breast", "malignant", "benign"),
    "german": ("german", "bad", "good"),
    "ionosphere": ("ionosphere", "g", "b"),
    "pima": ("pima", "tested_positive", "tested_negative"),
    "spambase": ("spambase", "1", "0"),
}
"""Name in the sample: (file, positive class, negative class)."""

TWO_CLASS_SCORED = ("donors", "acceptors", "pima")
"""Sets whose scores are shipped, of the first repetition."""

BINARY16 = {
    "ada": "1",
    "australian": "1",
    "breast": "malignant",
    "bupa": "1",
    "chess_krkp": "won",
    "cylinder": "band",
    "german": "bad",
    "haberman": "2",
    "horse": "no",
    "ionosphere": "b",
    "monks": "1",
    "pima": "tested_positive",
    "spambase": "1",
    "tictactoe": "positive",
    "titanic": "yes",
    "vote": "republican",
}
"""Every set with two classes and 300 to 5,000 rows, and its positive class. Of australian and
credit, which are the same applicants, only the first is here."""

GRADED = (
    "ada ann_thyroid car chess_krkp cmc german mushroom optdigits pageblock ringnorm satimage "
    "segment spambase splice titanic twonorm waveform yeast"
).split()
"""Every set with 1,000 to 10,000 rows, but thyroid, which is from the same archive as ann_thyroid."""

FOLDS = 10
"""Rows that a class of `GRADED` needs, one for each fold."""

THESIS = (
    "ada ann_thyroid chess_krk mushroom nursery pageblock shuttle spambase thyroid waveform".split()
)

THESIS_SCORED = ("ada", "chess_krk", "spambase")
"""Sets whose scores are shipped, on a part of the common test set."""

TARGETS = {"heart": "maximum_heart_rate_achieved"}
"""Data set with numbers to predict: the column of these."""

SCORED_INSTANCES = 500
"""Test instances whose scores are shipped, the same ones for all folds and algorithms."""

Frames = dict[str, pd.DataFrame]


def make_uci38(directory: Path, name: str) -> Frames:
    """Return the tables of one data set of the 5x2 experiment, by stem of the sample file."""
    table = drop_rare_classes(read_table(directory, name))
    return {"uci38_5x2": five_by_two(table), "properties": _properties(table, "uci38_5x2")}


def make_two_class(directory: Path, name: str) -> Frames:
    """Return the tables of one data set of the ten times tenfold experiment; see `make_uci38`."""
    stored_as, positive, negative = TWO_CLASS[name]
    table = two_classes(read_table(directory, name, stored_as), positive, negative, "")
    counts, scores = ten_by_ten(table)
    frames = {"twoclass_counts": counts, "properties": _properties(table, "twoclass")}
    if name in TWO_CLASS_SCORED:
        frames["twoclass_scores"] = scores
    return frames


def make_binary16(directory: Path, name: str) -> Frames:
    """Return the tables of one data set of the tenfold experiment with scores; see `make_uci38`."""
    full_table = read_table(directory, name)
    positive = BINARY16[name]
    (negative,) = set(full_table.labels) - {positive}
    table = two_classes(full_table, positive, negative, "")
    _, scores = ten_by_ten(table, SCORED, repetitions=1)
    return {"binary16_scores": scores, "properties": _properties(table, "binary16")}


def make_graded(directory: Path, name: str) -> Frames:
    """Return the tables of one data set of the tenfold experiment with model sizes; see `make_uci38`."""
    table = drop_rare_classes(read_table(directory, name), smallest=FOLDS)
    return {"graded": tenfold(table), "properties": _properties(table, "graded")}


def make_thesis(directory: Path, name: str) -> Frames:
    """Return the tables of one data set of the 30 training sets with a common test set; see `make_uci38`."""
    full_table = drop_rare_classes(read_table(directory, name))
    positive, negative, mistakes = most_confused(full_table)
    reason = (
        "" if full_table.raw["classes"] == 2 else f" (1-NN confuses these most, {mistakes} times)"
    )
    table = two_classes(full_table, positive, negative, reason)
    counts, scores = thirty_training_sets(table)
    counts["design"] = "common test set"  # the design cannot be inferred from counts
    frames = {"thesis_counts": counts, "properties": _properties(table, "thesis")}
    if name in THESIS_SCORED:
        frames["thesis_scores"] = thin(scores, SCORED_INSTANCES)
    return frames


def make_several(directory: Path, name: str) -> Frames:
    """Return the tables of one data set of several classes with probabilities; see `make_uci38`."""
    table = read_table(directory, name)
    return {"vehicle_scores": class_scores(table), "properties": _properties(table, "several")}


def make_regression(directory: Path, name: str) -> Frames:
    """Return the tables of one data set of predicted numbers; see `make_uci38`."""
    table = read_table(directory, name)
    note = f"predicted column {TARGETS[name]}, class not used"
    described = _properties(table, "regression").assign(note=note)
    return {"heart_regression": predicted_numbers(table, TARGETS[name]), "properties": described}


def make_ranking(directory: Path, name: str) -> Frames:
    """Return the tables of one data set of queries; see `make_uci38`."""
    table = read_table(directory, name)
    described = _properties(table, "ranking").assign(
        note="400 random rows are queries, 2,000 others are searched"
    )
    return {"letter_retrieval": retrieval(table), "properties": described}


def thin(scores: pd.DataFrame, instances: int) -> pd.DataFrame:
    """Return the scores of a random subset of the instances of one data set."""
    instance_ids = np.sort(scores["instance"].unique())
    rng = np.random.default_rng(seed_of("thin", scores["dataset"].iloc[0]))
    sampled = rng.choice(instance_ids, size=min(instances, len(instance_ids)), replace=False)
    return scores[scores["instance"].isin(sampled)]


def two_models(scores: pd.DataFrame) -> pd.DataFrame:
    """Return the scores of two models of `thesis_scores`, each trained once and tested on the same e-mails."""
    is_shown = scores["algorithm"].isin(["Decision tree", "Logistic regression"])
    part = scores[is_shown & (scores["dataset"] == "spambase") & (scores["fold"] == 1)]
    renamed = part.rename(columns={"algorithm": "model"}).sort_values(["model", "instance"])
    return renamed[["model", "instance", "true", "score"]]


EXPERIMENTS = {
    "uci38_5x2": (make_uci38, UCI38),
    "twoclass": (make_two_class, tuple(TWO_CLASS)),
    "thesis": (make_thesis, THESIS),
    "binary16": (make_binary16, tuple(BINARY16)),
    "graded": (make_graded, GRADED),
    "several": (make_several, ("vehicle",)),
    "regression": (make_regression, tuple(TARGETS)),
    "ranking": (make_ranking, ("letter",)),
}
"""What `--only` takes: the function for one data set, and the data sets in their order."""


def run(experiment: str, directory: Path, parts: Path | None) -> Frames:
    """Return the tables of an experiment on all its data sets; finished data sets are stored in the folder `parts`."""
    make, names = EXPERIMENTS[experiment]
    collected: dict[str, list[pd.DataFrame]] = {}
    for name in names:
        start = time.perf_counter()
        path = parts / f"{experiment}-{name}.pkl" if parts else None
        if path and path.exists():
            frames = pd.read_pickle(path)
        else:
            frames = make(directory, name)
            if path:
                pd.to_pickle(frames, path)
        for stem, frame in frames.items():
            collected.setdefault(stem, []).append(frame)
        print(f"{experiment}: {name}, {time.perf_counter() - start:.0f} s", flush=True)
    return {stem: pd.concat(frames, ignore_index=True) for stem, frames in collected.items()}


def write(frames: Frames, folder: Path) -> None:
    """Write the files of one experiment; rows of other experiments in `properties.csv` remain."""
    frames = dict(frames)
    properties = frames.pop("properties")
    for stem, frame in frames.items():
        if stem.endswith("_scores"):
            # No time stamp, so that equal scores give identical files.
            packed = {"method": "gzip", "compresslevel": 9, "mtime": 0}
            by = ["dataset", "algorithm", "fold", "instance"]
            frame = _named(frame.sort_values(by, kind="stable"))
            frame.to_csv(folder / f"{stem}.csv.gz", index=False, compression=packed)
            if stem == "thesis_scores":
                two_models(frame).to_csv(
                    folder / "two_models.csv", index=False, lineterminator="\n"
                )
        else:
            _rounded(_named(frame)).to_csv(folder / f"{stem}.csv", index=False, lineterminator="\n")
    path = folder / "properties.csv"
    if path.exists():
        existing = pd.read_csv(path, keep_default_na=False)
        other_rows = existing[~existing["sample"].isin(properties["sample"])]
        properties = pd.concat([other_rows, properties])
    order = {sample: position for position, sample in enumerate(EXPERIMENTS)}
    properties = properties.sort_values("sample", key=lambda names: names.map(order), kind="stable")
    properties.to_csv(path, index=False, lineterminator="\n")


def _properties(table: Table, sample: str) -> pd.DataFrame:
    return pd.DataFrame([describe(table, sample)])


def _named(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the table with the printed names of the algorithms in place of their keys; distances have no keys."""
    return frame.assign(algorithm=[NAMES.get(key, key) for key in frame["algorithm"]])


def _rounded(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the table with seconds rounded to four significant digits and other numbers to six."""
    frame = frame.copy()
    for name in frame.select_dtypes("float").columns:
        digits = 4 if name.endswith("_s") else 6
        frame[name] = [float(f"{value:.{digits}g}") for value in frame[name]]
    return frame


def main() -> None:
    """Run the experiments given on the command line and write their files."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="folder of the raw CSV files")
    parser.add_argument("--only", choices=EXPERIMENTS, help="run one experiment")
    parser.add_argument("--parts", type=Path, help="folder that keeps finished data sets")
    arguments = parser.parse_args()
    if arguments.parts:
        arguments.parts.mkdir(parents=True, exist_ok=True)
    with threadpool_limits(1):
        for experiment in [arguments.only] if arguments.only else EXPERIMENTS:
            write(run(experiment, arguments.data, arguments.parts), HERE)


if __name__ == "__main__":
    main()
