"""Comparisons of every kind, of results and settings drawn at random."""

import numpy as np
import pandas as pd

from stats_core.comparison.analyse import analyse
from stats_core.core.errors import FoldwiseError
from stats_core.data.results import Results
from stats_core.data.settings import CONTROL_CORRECTIONS, CORRECTIONS, SOURCES, TUKEY, Settings
from stats_core.inference.methods import PAIR_TESTS
from stats_core.io.read import read_results

ALPHAS = (0.01, 0.05, 0.1, 0.2)
MOST_DRAWS = 50  # until the settings suit the results


def names(k):
    return [f"a{i}" for i in range(k)]


def levels(rng, k):
    """Return the expected result of each algorithm; they differ by up to three standard deviations."""
    return 0.3 + 0.01 * rng.integers(0, 4, k)


def table_of(values):
    """Return an array, data set x algorithm x fold, as a table of results."""
    places = np.indices(values.shape).reshape(3, -1)
    table = pd.DataFrame(places.T, columns=["dataset", "algorithm", "fold"])
    names = {name: name[0] + table[name].astype(str) for name in ("dataset", "algorithm")}
    return table.assign(**names, error=values.ravel())


def over_data_sets(rng, k):
    """Return averages of k algorithms on 4 to 20 data sets, with ties if they are rounded."""
    shape = (int(rng.integers(4, 21)), k, 1)
    values = levels(rng, k)[:, None] + 0.01 * rng.normal(size=shape)
    direction = str(rng.choice(["lower", "higher"]))
    table = table_of(values.round(int(rng.choice([2, 4])))).drop(columns="fold")
    return Results.from_frame(table, directions={"error": direction})


def with_missing(rng, k):
    """Return averages of k algorithms of which some are missing, each pair to be compared on shared data sets."""
    results = over_data_sets(rng, k)
    table = results.averages("error").stack().rename("error").reset_index()
    table.columns = ["dataset", "algorithm", "error"]
    lost = (rng.random(len(table)) < 0.15) & (table["algorithm"] != "a0")
    return Results.from_frame(table[~lost], directions=results.directions).resolve("present")


def on_folds(rng, k):
    """Return errors of k algorithms on ten folds, of ten-fold or of 5 x 2-fold cross-validation."""
    values = levels(rng, k)[:, None] + 0.01 * rng.normal(size=(1, k, 10))
    table = table_of(values.round(int(rng.choice([2, 4]))))
    if rng.random() < 0.5:
        table = table.assign(repetition=1 + table["fold"] // 2, fold=1 + table["fold"] % 2)
    return Results.from_frame(table, directions={"error": "lower"})


def on_predictions(rng, k):
    """Return the predictions of k algorithms on the 200 instances of ten folds."""
    true = rng.integers(0, 2, 200)
    rates = rng.uniform(0.1, 0.3, k)
    tables = [
        pd.DataFrame(
            {
                "algorithm": name,
                "fold": np.arange(200) // 20,
                "instance": np.arange(200),
                "true": true,
                "predicted": np.where(rng.random(200) < rate, 1 - true, true),
            }
        )
        for name, rate in zip(names(k), rates, strict=True)
    ]
    return read_results(("folds.csv", pd.concat(tables).to_csv(index=False).encode()))


def counts(rng, k, n_sets):
    """Return counts of confusion of k algorithms on ten folds of each data set."""
    rates = rng.uniform(0.1, 0.4, k)
    rows = [
        (f"d{i}", name, fold, 50 - missed, false, 50 - false, missed, 900, 100)
        for i in range(n_sets)
        for name, rate in zip(names(k), rates, strict=True)
        for fold, (missed, false) in enumerate(rng.binomial(50, rate, (10, 2)).tolist())
    ]
    columns = ["algorithm", "fold", "tp", "fp", "tn", "fn", "n_train", "n_test"]
    table = pd.DataFrame(rows, columns=["dataset", *columns])
    return read_results(("counts.csv", table.to_csv(index=False).encode()))


def answers(rng, k, sizes, *, runs=1, in_clusters=False):
    """Return right and wrong answers of k models to the questions of each benchmark."""
    rates = np.clip(rng.uniform(0.4, 0.9, k), 0, 1)
    rows = [
        {"dataset": f"b{i}", "question_id": f"b{i}q{item}", "model": name, "correct": correct}
        | ({"document_id": f"b{i}c{item // 3}"} if in_clusters else {})
        | ({"seed": run} if runs > 1 else {})
        for i, n in enumerate(sizes)
        for run in range(runs)
        for name, rate in zip(names(k), rates, strict=True)
        for item, correct in enumerate((rng.random(n) < rate).astype(int).tolist())
    ]
    table = pd.DataFrame(rows)
    return read_results(("answers.csv", table.to_csv(index=False).encode()))


def published_ranks(rng, k):
    """Return average ranks of k algorithms on some data sets, rounded as papers print them."""
    n = int(rng.integers(5, 40))
    errors = rng.normal(size=(n, k)) + 0.5 * np.arange(k)
    means = 1 + errors.argsort(axis=1).argsort(axis=1).mean(axis=0)
    rows = "".join(f"{name},{mean:.3f},{n}\n" for name, mean in zip(names(k), means, strict=True))
    return read_results(("ranks.csv", f"algorithm,average rank,datasets\n{rows}".encode()))


def published_table(cells, k, head):
    """Return a published table of pairs, row x column."""
    lines = [
        ",".join([names(k)[i], *("" if i == j else cells[i][j] for j in range(k))])
        for i in range(k)
    ]
    text = "\n".join([",".join([head, *names(k)]), *lines])
    return read_results(("published.csv", f"{text}\n".encode()))


def published_wins(rng, k):
    """Return the wins, ties and losses of each pair of k algorithms."""
    n = int(rng.integers(8, 30))
    cells = [["" for _ in range(k)] for _ in range(k)]
    for i in range(k):
        for j in range(i):
            won, tied, lost = rng.multinomial(n, rng.dirichlet([2, 1, 2])).tolist()
            cells[i][j], cells[j][i] = f"{won}/{tied}/{lost}", f"{lost}/{tied}/{won}"
    return published_table(cells, k, "row beats column")


def published_decisions(rng, k):
    """Return on which pairs of k algorithms the earlier, the later, or none is significantly better."""
    cells = [["0" for _ in range(k)] for _ in range(k)]
    for i in range(k):
        for j in range(i):
            if (decided := rng.integers(3)) < 2:
                row, column = ((i, j), (j, i))[decided]
                cells[row][column] = "1"
    return published_table(cells, k, "row beats column")


# kind -> function of random numbers that returns results, and settings other than those drawn
DRAWN = {
    "ranks": lambda rng: (over_data_sets(rng, int(rng.integers(3, 6))), {}),
    "two": lambda rng: (over_data_sets(rng, 2), {}),
    "control": lambda rng: (over_data_sets(rng, int(rng.integers(3, 6))), {"control": "a1"}),
    "present": lambda rng: (with_missing(rng, int(rng.integers(3, 5))), {}),
    "folds": lambda rng: (on_folds(rng, int(rng.integers(3, 6))), {}),
    "fold pair": lambda rng: (on_folds(rng, 2), {}),
    "folds of predictions": lambda rng: (
        on_predictions(rng, int(rng.integers(3, 6))),
        {"measure": "error"},
    ),
    "pair of predictions": lambda rng: (on_predictions(rng, 2), {"measure": "error"}),
    "measures": lambda rng: (counts(rng, 3, 1), {"measures": ("fpr", "tpr")}),
    "pair on measures": lambda rng: (counts(rng, 2, 1), {"measures": ("fpr", "tpr")}),
    "wins": lambda rng: (
        counts(rng, int(rng.integers(2, 4)), int(rng.integers(4, 9))),
        {"measures": ("fpr", "tpr")},
    ),
    "cases": lambda rng: (
        answers(rng, int(rng.integers(2, 5)), [60], in_clusters=rng.random() < 0.5),
        {"control": str(rng.choice(["", "a1"]))},
    ),
    "trainings": lambda rng: (answers(rng, int(rng.integers(2, 4)), [30], runs=3), {}),
    "benchmarks": lambda rng: (
        answers(rng, int(rng.integers(2, 5)), [40, 80]),
        {"control": str(rng.choice(["", "a1"]))},
    ),
    "published ranks": lambda rng: (published_ranks(rng, int(rng.integers(3, 6))), {}),
    "published wins": lambda rng: (published_wins(rng, int(rng.integers(2, 5))), {}),
    "published decisions": lambda rng: (published_decisions(rng, int(rng.integers(2, 5))), {}),
    "untested": lambda rng: (over_data_sets(rng, 3), {"dataset": "d0"}),
}
EXTRA = {"margin": (None, None, 0.01, 0.05), "alpha": ALPHAS}
OPTIONS = {
    "ranks": {"source": ("", *SOURCES), "correction": ("", *CORRECTIONS)},
    "control": {"source": ("", *SOURCES), "correction": ("", *CONTROL_CORRECTIONS)},
    "present": {"source": ("", "wilcoxon", "sign"), "correction": ("", *CORRECTIONS)},
    "folds": {
        "test": ("", TUKEY, *PAIR_TESTS),
        "correction": ("", *CORRECTIONS),
        "overlap": ("corrected", "ignored"),
        "df": ("conservative", "published"),
    },
    "fold pair": {
        "test": ("", *PAIR_TESTS),
        "overlap": ("corrected", "ignored"),
        "df": ("conservative", "published"),
    },
    "folds of predictions": {"test": ("McNemar", "McNemar chi-square", "")},
    "pair of predictions": {"test": ("McNemar", "McNemar chi-square", "")},
    "wins": {"win": ("risk", "thesis"), "correction": ("", *CORRECTIONS)},
    "measures": {"correction": ("", *CORRECTIONS), "df": ("conservative", "published")},
    "cases": {"correction": ("", *CONTROL_CORRECTIONS)},
    "trainings": {"correction": ("", *CORRECTIONS)},
    "benchmarks": {"correction": ("", *CONTROL_CORRECTIONS)},
    "published ranks": {"correction": ("", *CORRECTIONS)},
    "published wins": {"correction": ("", *CORRECTIONS)},
}


def drawn_comparison(kind, seed, **given):
    """Return a comparison of drawn results, with these settings and others that are drawn, and the results."""
    rng = np.random.default_rng(seed)
    results, fixed = DRAWN[kind](rng)
    for _ in range(MOST_DRAWS):
        options = {**EXTRA, **OPTIONS.get(kind, {})}
        chosen = {name: values[rng.integers(len(values))] for name, values in options.items()}
        try:
            return analyse(results, Settings(**{**fixed, **chosen, **given})), results
        except FoldwiseError:
            continue
    raise AssertionError(f"no settings suit {kind} {seed}")
