"""Example files of each kind of results, and Python code that writes such files.

The numbers are made up; the files show which columns are needed and what they make possible.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np
import pandas as pd

from foldwise.paths import installed_path

PAGE = installed_path("docs", "scikit-learn.md")
KINDS = {
    "averages": "One number per data set",
    "folds": "Numbers per fold",
    "counts": "Counts per fold: tp, fp, tn, fn",
    "predictions": "A score for every case",
}
ABOUT = {
    "averages": "Such as the table of a paper: how good each algorithm was on each data set.",
    "folds": "Such as the error and the area under the curve in each fold.",
    "counts": "How many positive and negative cases were called right and wrong, two classes.",
    "predictions": "The true label of each test case, and the score that each algorithm gave it.",
}
DESIGNS = {
    "10 folds": "k-fold",
    "3 times 10 folds": "r x k-fold",
    "5 times 2 folds": "5x2",
    "10 random partitions": "holdout",
}
WITH_FOLDS = ("folds", "counts")  # kinds with a choice of the design
DATASETS = ("crops", "heart", "soil", "sound", "text", "wine")
SKILL = {"bayes": 0.7, "forest": 1.8, "svm": 1.6}  # separation of the classes by each algorithm
SECONDS = {"bayes": 0.02, "forest": 0.4, "svm": 1.3}
CASES = 12  # test instances per fold in the file of predictions
TESTED = 60  # test instances per fold in the file of counts


@dataclass(frozen=True, slots=True, kw_only=True)
class Template:
    """Files, pages and code for one kind of results.

    Attributes
    ----------
    files : tuple of (str, bytes)
        Name and content of each file; several are opened together.
    pages : tuple of PageUse
        Whether each page applies.
    code : str
        Lines of Python that write such a file with scikit-learn.
    """

    files: tuple[tuple[str, bytes], ...]
    pages: tuple["PageUse", ...]
    code: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PageUse:
    """Whether a page applies to a file, with its use or the reason."""

    page: str
    title: str
    applies: bool
    text: str


@cache
def example_file(kind: str, *, costs: bool, design: str = "10 folds") -> Template:
    """Return an example file for a kind of results.

    Examples
    --------
    >>> name, content = example_file("averages", costs=False).files[0]
    >>> print(content.decode()[:32])
    dataset,bayes,forest,svm
    crops,0
    """
    make = {"averages": _averages, "folds": _folds, "counts": _counts, "predictions": _predictions}
    tables = make[kind](costs, design)
    files = tuple((name, table.to_csv(index=False, lineterminator="\n").encode()) for name, table in tables.items())
    return Template(files=files, pages=_pages(kind, costs), code=_code(kind, costs, design))


def _averages(costs: bool, design: str) -> dict[str, pd.DataFrame]:
    """Return a table of accuracies; with a cost, one row per data set and algorithm."""
    rng = np.random.default_rng(1)
    rows = [
        {"dataset": dataset, "algorithm": name, "accuracy": _rate(0.7 + 0.1 * skill, 0.03, rng)}
        for dataset in DATASETS
        for name, skill in SKILL.items()
    ]
    table = pd.DataFrame(rows)
    if costs:
        return {"template_averages.csv": _with_seconds(table, rng)}
    wide = table.pivot(index="dataset", columns="algorithm", values="accuracy")
    return {"template_accuracy.csv": wide.rename_axis(columns=None).reset_index()}


def _folds(costs: bool, design: str) -> dict[str, pd.DataFrame]:
    """Return a table of error and AUC per fold."""
    rng = np.random.default_rng(2)
    table = _keys(design)
    skill = table["algorithm"].map(SKILL)
    table["error"] = [_rate(0.3 - 0.1 * value, 0.03, rng) for value in skill]
    table["auc"] = [_rate(0.7 + 0.1 * value, 0.03, rng) for value in skill]
    return {"template_folds.csv": _with_seconds(table, rng) if costs else table}


def _counts(costs: bool, design: str) -> dict[str, pd.DataFrame]:
    """Return a table of confusion counts; all algorithms share the instances of a fold."""
    rng = np.random.default_rng(3)
    table = _keys(design)
    positives = TESTED // 3
    hits = [rng.binomial(positives, 0.6 + 0.15 * SKILL[name]) for name in table["algorithm"]]
    alarms = [rng.binomial(TESTED - positives, 0.3 - 0.1 * SKILL[n]) for n in table["algorithm"]]
    table["tp"], table["fp"] = hits, alarms
    table["tn"], table["fn"] = TESTED - positives - table["fp"], positives - table["tp"]
    return {"template_counts.csv": _with_seconds(table, rng) if costs else table}


def _predictions(costs: bool, design: str) -> dict[str, pd.DataFrame]:
    """Return a table of scores; costs are per fold and in a second table."""
    rng = np.random.default_rng(4)
    rows = []
    for dataset in DATASETS[:3]:
        for fold in range(1, 6):
            true = rng.permutation(np.arange(CASES) % 2)
            for name, skill in SKILL.items():
                scores = 1 / (1 + np.exp(-skill * (2 * true - 1) - rng.normal(size=CASES)))
                rows += [
                    {
                        "dataset": dataset,
                        "algorithm": name,
                        "fold": fold,
                        "instance": (fold - 1) * CASES + i + 1,
                        "true": true[i],
                        "score": round(scores[i], 3),
                    }
                    for i in range(CASES)
                ]
    table = pd.DataFrame(rows)
    files = {"template_predictions.csv": table}
    if costs:
        keys = table[["dataset", "algorithm", "fold"]].drop_duplicates()
        files["template_costs.csv"] = _with_seconds(keys, rng)
    return files


def _keys(design: str) -> pd.DataFrame:
    """Return a table with one row per data set, fold and algorithm."""
    repetitions, folds = {"3 times 10 folds": (3, 10), "5 times 2 folds": (5, 2)}.get(design, (1, 10))
    rows = [
        {"dataset": dataset, "algorithm": name, "repetition": repetition, "fold": fold}
        for dataset in DATASETS
        for repetition in range(1, repetitions + 1)
        for fold in range(1, folds + 1)
        for name in SKILL
    ]
    table = pd.DataFrame(rows)
    if repetitions == 1:
        table = table.drop(columns="repetition")
    if DESIGNS[design] == "holdout":
        table = table.assign(design="holdout", n_train=2 * TESTED, n_test=TESTED)
    return table


def _rate(centre: float, spread: float, rng: np.random.Generator) -> float:
    return round(float(np.clip(rng.normal(centre, spread), 0.01, 0.99)), 3)


def _with_seconds(table: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    seconds = [SECONDS[name] * rng.uniform(0.8, 1.2) for name in table["algorithm"]]
    return table.assign(train_s=np.round(seconds, 3))


def _pages(kind: str, costs: bool) -> tuple[PageUse, ...]:
    """Return whether each page applies to such a file, and why."""
    per_fold = kind != "averages"
    scored = kind == "predictions"
    several = {"folds": "two columns of measures", "counts": "measures derived from the counts"}
    by_cost = "the cheaper first unless the costlier is better"
    uses = [
        ("overview", "Overview", True, "the verdict in words, and what would change it"),
        ("pair", "Pair", True, f"two algorithms {'fold by fold, or ' * per_fold}over data sets"),
        (
            "one_data_set",
            "One data set",
            per_fold,
            "which algorithms differ on one data set" if per_fold else "needs numbers per fold",
        ),
        (
            "multivariate",
            "Multivariate",
            per_fold,
            f"several measures together: {several.get(kind, 'all that the cases give')}"
            if per_fold
            else "needs several numbers per fold",
        ),
        (
            "curves",
            "Curves",
            scored,
            "ROC and precision-recall curves, areas, losses" if scored else "needs a score for every case",
        ),
        ("many_data_sets", "Many data sets", True, "which algorithms differ in general"),
        ("ordering", "Ordering", True, by_cost if costs else "once you type who is cheaper: the file has no cost"),
        (
            "lab",
            "Lab",
            True,
            "what procedures would find, and whether they keep their level"
            + ", and what more data would tell" * per_fold,
        ),
    ]
    return tuple(
        PageUse(page=f"pages/{page}.py", title=title, applies=applies, text=text) for page, title, applies, text in uses
    )


def code_by_heading(page: str) -> dict[str, str]:
    r"""Return the Python code in a Markdown page by the heading above it.

    Examples
    --------
    >>> code_by_heading("# From\n```python\na = 1\n```\n## Then: `b`\n```python\nb = a\n```\n")
    {'': 'a = 1\n', 'Then: `b`': 'b = a\n'}
    """
    code_of = {}
    for section in re.split(r"^## ", page, flags=re.MULTILINE):
        heading = section.splitlines()[0] if not section.startswith("# ") else ""
        code_of[heading] = "\n".join(re.findall(r"```python\n(.*?)```", section, re.DOTALL))
    return {heading: code for heading, code in code_of.items() if code}


def _quoted(needle: str) -> str:
    """Return the code in docs/scikit-learn.md below the heading that contains a text."""
    code_of = code_by_heading(PAGE.read_text(encoding="utf-8"))
    return next(code for heading, code in code_of.items() if needle in heading)


def example_preparation() -> str:
    """Return the code that imports packages and loads data and models."""
    return code_by_heading(PAGE.read_text(encoding="utf-8"))[""]


def _code(kind: str, costs: bool, design: str) -> str:
    write: dict[str, Callable[[], str]] = {
        "averages": lambda: _LONG_AVERAGES if costs else _WIDE_AVERAGES,
        "folds": lambda: _split(_quoted("`cross_validate`"), design),
        "counts": lambda: _split(_COUNTS, design),
        "predictions": lambda: _quoted("`cross_val_predict`") + (_COSTS if costs else ""),
    }
    return write[kind]().strip()


def _split(code: str, design: str) -> str:
    """Return the code adapted to the splitter of a design."""
    for old, new in _SPLITTERS[design]:
        code = code.replace(old, new)
    return code


_REPEATED = "RepeatedStratifiedKFold(n_splits=10, n_repeats=3, random_state=0)"
_NUMBERED = 'table["repetition"], table["fold"] = table.index // 10 + 1, table.index % 10 + 1'
_SPLITTERS = {
    "10 folds": (
        (_REPEATED, "StratifiedKFold(n_splits=10, shuffle=True, random_state=0)"),
        (_NUMBERED, 'table["fold"] = table.index + 1'),
    ),
    "3 times 10 folds": (),
    "5 times 2 folds": (
        ("n_splits=10, n_repeats=3", "n_splits=2, n_repeats=5"),
        ("table.index // 10", "table.index // 2"),
        ("table.index % 10", "table.index % 2"),
    ),
    "10 random partitions": (
        (_REPEATED, "ShuffleSplit(n_splits=10, test_size=1 / 3, random_state=0)"),
        ("folds, tables =", "from sklearn.model_selection import ShuffleSplit\n\nfolds, tables ="),
        (
            _NUMBERED,
            'table["fold"], table["design"] = table.index + 1, "holdout"\n'
            '    table["n_train"], table["n_test"] = map(len, next(folds.split(X)))',
        ),
    ),
}
_WIDE_AVERAGES = """
datasets, table = {"breast cancer": (X, y)}, {}  # name: cases and labels of each data set
folds = StratifiedKFold(n_splits=10, shuffle=True, random_state=0)
for dataset, (X, y) in datasets.items():
    table[dataset] = {
        name: cross_validate(model, X, y, cv=folds)["test_score"].mean()
        for name, model in models.items()
    }
pd.DataFrame(table).T.rename_axis("dataset").to_csv("accuracy.csv")
"""
_LONG_AVERAGES = """
datasets, rows = {"breast cancer": (X, y)}, []  # name: cases and labels of each data set
folds = StratifiedKFold(n_splits=10, shuffle=True, random_state=0)
for dataset, (X, y) in datasets.items():
    for name, model in models.items():
        mean = pd.DataFrame(cross_validate(model, X, y, cv=folds)).mean()
        rows.append([dataset, name, mean["test_score"], mean["fit_time"]])
columns = ["dataset", "algorithm", "accuracy", "train_s"]
pd.DataFrame(rows, columns=columns).to_csv("averages.csv", index=False)
"""
_COUNTS = """
from sklearn.metrics import confusion_matrix


def counts(model, X, y):
    tn, fp, fn, tp = confusion_matrix(y, model.predict(X)).ravel()
    return {"tp": tp, "fp": fp, "tn": tn, "fn": fn}


folds, tables = RepeatedStratifiedKFold(n_splits=10, n_repeats=3, random_state=0), []
for name, model in models.items():
    table = pd.DataFrame(cross_validate(model, X, y, cv=folds, scoring=counts))
    table["repetition"], table["fold"] = table.index // 10 + 1, table.index % 10 + 1
    tables.append(table.assign(dataset="breast cancer", algorithm=name))
table = pd.concat(tables).rename(columns=lambda name: name.removeprefix("test_"))
table.to_csv("counts.csv", index=False)
"""
_COSTS = """
# the seconds of each fold, in a second file that is opened together with the first
tables = []
for name, model in models.items():
    table = pd.DataFrame(cross_validate(model, X, y, cv=folds))[["fit_time", "score_time"]]
    table["fold"] = table.index + 1
    tables.append(table.assign(dataset="breast cancer", algorithm=name))
pd.concat(tables).to_csv("costs.csv", index=False)
"""
