"""Example files for each kind of results, and Python code that writes such files.

The numbers are made up; the files show which columns are needed and what they make possible.
"""

import re
from dataclasses import dataclass
from functools import cache

import numpy as np
import pandas as pd

from foldwise import paths
from stats_core.core.messages import read_texts

_DECLARED = read_texts("rendering/example_files.toml", "foldwise")
PAGE = paths.installed_path("docs", "scikit-learn.md")
KINDS = {kind: declared["label"] for kind, declared in _DECLARED["kinds"].items()}
ABOUT = {kind: declared["about"] for kind, declared in _DECLARED["kinds"].items()}
DESIGNS = {name: declared["design"] for name, declared in _DECLARED["designs"].items()}
WITH_FOLDS = ("folds", "counts")  # kinds with a choice of the design
DATASETS = ("crops", "heart", "soil", "sound", "text", "wine")
SKILL = {"bayes": 0.7, "forest": 1.8, "svm": 1.6}  # separation of the classes by each algorithm
SECONDS = {"bayes": 0.02, "forest": 0.4, "svm": 1.3}
CASES = 12  # test instances per fold in the file of predictions
TESTED = 60  # test instances per fold in the file of counts


@dataclass(frozen=True, slots=True, kw_only=True)
class Template:
    """Example for one kind of results: files, applicable pages, and code.

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
    """Whether a page, or a tab of Explore, applies to a file, and a text on its use or on the reason."""

    page: str
    tab: str
    title: str
    applies: bool
    text: str


@cache
def example_file(kind: str, *, costs: bool, design: str = "10 folds") -> Template:
    """Return the example of a kind of results; `design`, one of `DESIGNS`, matters for the kinds `WITH_FOLDS`.

    Examples
    --------
    >>> name, content = example_file("averages", costs=False).files[0]
    >>> print(content.decode()[:32])
    dataset,bayes,forest,svm
    crops,0
    """
    make = {"averages": _averages, "folds": _folds, "counts": _counts, "predictions": _predictions}
    tables = make[kind](costs, design)
    files = tuple(
        (name, table.to_csv(index=False, lineterminator="\n").encode())
        for name, table in tables.items()
    )
    return Template(files=files, pages=_pages(kind, costs), code=_code(kind, costs, design))


def _averages(costs: bool, design: str) -> dict[str, pd.DataFrame]:
    """Return a table of accuracies by file name: one column per algorithm, with costs one row per result."""
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
    """Return a table of error and AUC per fold, by file name."""
    rng = np.random.default_rng(2)
    table = _keys(design)
    skill = table["algorithm"].map(SKILL)
    table["error"] = [_rate(0.3 - 0.1 * value, 0.03, rng) for value in skill]
    table["auc"] = [_rate(0.7 + 0.1 * value, 0.03, rng) for value in skill]
    return {"template_folds.csv": _with_seconds(table, rng) if costs else table}


def _counts(costs: bool, design: str) -> dict[str, pd.DataFrame]:
    """Return a table of confusion counts per fold, by file name; all algorithms share the instances of a fold."""
    rng = np.random.default_rng(3)
    table = _keys(design)
    positives = TESTED // 3
    negatives = TESTED - positives
    skills = [SKILL[name] for name in table["algorithm"]]
    table["tp"] = [rng.binomial(positives, 0.6 + 0.15 * skill) for skill in skills]
    table["fp"] = [rng.binomial(negatives, 0.3 - 0.1 * skill) for skill in skills]
    table["tn"] = negatives - table["fp"]
    table["fn"] = positives - table["tp"]
    return {"template_counts.csv": _with_seconds(table, rng) if costs else table}


def _predictions(costs: bool, design: str) -> dict[str, pd.DataFrame]:
    """Return a table of scores by file name; with costs, also a table of seconds per fold."""
    rng = np.random.default_rng(4)
    rows = []
    for dataset in DATASETS[:3]:
        for fold in range(1, 6):
            true = rng.permutation(np.arange(CASES) % 2)
            for name, skill in SKILL.items():
                evidence = skill * (2 * true - 1) + rng.normal(size=CASES)
                scores = 1 / (1 + np.exp(-evidence))
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
    """Return the keys of a design, one row per result; `repetition` only if several, sizes only for holdout."""
    repetitions, folds = {"3 times 10 folds": (3, 10), "5 times 2 folds": (5, 2)}.get(
        design, (1, 10)
    )
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
    """Return whether each page applies to a kind of file, and a text on its use or on the reason."""
    uses = []
    for declared in _DECLARED["pages"]:
        words = declared.get(kind, declared["text"])
        if not costs:
            words = declared.get("without_costs", words)
        applies = kind in declared.get("needs", KINDS)
        names = {
            "page": f"pages/{declared['page']}.py",
            "tab": declared.get("tab", ""),
            "title": declared["title"],
        }
        uses.append(PageUse(**names, applies=applies, text=words))
    return tuple(uses)


def code_by_heading(page: str) -> dict[str, str]:
    r"""Return the Python code of a Markdown page by second-level heading, "" for code before the first.

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
    """Return the code below the first heading of docs/scikit-learn.md that contains `needle`."""
    code_of = code_by_heading(PAGE.read_text(encoding="utf-8"))
    return next(code for heading, code in code_of.items() if needle in heading)


def example_preparation() -> str:
    """Return the code in docs/scikit-learn.md that imports packages and loads data and models."""
    return code_by_heading(PAGE.read_text(encoding="utf-8"))[""]


def _code(kind: str, costs: bool, design: str) -> str:
    """Return the Python code that writes this kind of file, with costs and the design if they apply."""
    declared = _DECLARED["kinds"][kind]
    code = _quoted(declared["section"]) if "section" in declared else declared["code"]
    if costs:
        code = "\n".join(
            [declared.get("code_with_costs", code), declared.get("added_with_costs", "")]
        )
    if kind in WITH_FOLDS:
        for old, new in _DECLARED["designs"][design]["replaced"]:
            code = code.replace(old, new)
    return code.strip()
