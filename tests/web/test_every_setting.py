"""Tests that every setting of the app is stated wherever results depend on it, or changes nothing there."""

import re
from itertools import product

import numpy as np
import pandas as pd
import pytest

from foldwise.web.settings_registry import SETTINGS
from foldwise.web.texts import page_text
from stats_core.comparison import comparison_text
from stats_core.comparison.analyse import analyse
from stats_core.data.settings import SOURCES, Settings
from stats_core.io.read import read_results
from stats_core.power.planning import relative_size
from tests.web.conftest import WIDE, answered, copied, specs, texts, turn_to, upload
from tests.web.test_one_data_set import varied_folds


def scored() -> bytes:
    """Return scores of three algorithms on three folds of two data sets."""
    rng, tables = np.random.default_rng(5), []
    for dataset in ("left", "right"):
        for fold in range(3):
            label = np.arange(40) % 2
            for position, name in enumerate("abc"):
                score = 1 / (
                    1 + np.exp(-(rng.normal(size=40) + (2 - position / 2) * (2 * label - 1)))
                )
                columns = {"dataset": dataset, "algorithm": name, "fold": fold}
                tables.append(pd.DataFrame({**columns, "true": label, "score": score.round(4)}))
    return pd.concat(tables).to_csv(index=False).encode()


def timed() -> bytes:
    """Return errors and seconds of three algorithms on three folds of fifteen data sets."""
    rng, rows = np.random.default_rng(6), ["dataset,algorithm,fold,error,seconds"]
    for dataset, position, fold in product(range(15), range(3), range(3)):
        error = 0.2 + position / 50 + rng.normal(0, 0.02)
        rows.append(f"d{dataset},{'abc'[position]},{fold},{error:.4f},{position + 1}")
    return "\n".join(rows).encode()


FILES = {"timed": timed(), "averages": WIDE, "scores": scored(), "folds": varied_folds(4)}
# setting -> file, other settings that it needs, its value, what may no longer be stated, what is stated
STATED = {
    "measure": ("scores", {}, "auc", r"\bin error\b", r"\bin AUC\b"),
    "compare": ("averages", {"control": "b"}, "Against a control", r"all \d pairs", r"control b\b"),
    "control": ("averages", {"compare": "Against a control"}, "c", r"control a\b", r"control c\b"),
    "correction": ("averages", {}, "Holm", r"Bergmann-Hommel adj", r"Holm adj"),
    "sign_correction": ("averages", {"source": "sign test"}, "Hommel", r"Holm adj", r"Hommel adj"),
    "control_correction": (
        "averages",
        {"compare": "Against a control", "control": "b"},
        "Hochberg",
        r"Holm adj",
        r"Hochberg adj",
    ),
    "source": ("averages", {}, "sign test", r"Wilcoxon signed-rank tests", r"sign tests"),
    "out": ("averages", {}, ["c"], r"three algorithms", r"two algorithms"),
    "outset": ("averages", {}, ["d3"], r"over 12 data sets", r"over 11 data sets"),
    "region": ("averages", {}, 0.05, r"±0\.1\b", r"±0\.05"),
    "alpha": ("averages", {}, "0.01", r"α = 0\.05|95% CI", r"α = 0\.01"),
    "level": ("averages", {"alpha": "other"}, 0.02, r"α = 0\.05|95% CI", r"α = 0\.02"),
    "theta": ("scores", {"measure": "error"}, 0.3, r"at least 0\.5\b", r"at least 0\.3\b"),
}
# settings of one page, which name there what they change; all are moved at once for the others
OF_A_PAGE = {
    "overlap": "ignored (as published)",
    "df": "J − 1 (as published)",
    "test": "paired t",
    "posthoc": "paired t",
    "notation": "letters",
    "bricks": "rainclouds",
    "ds": "right",
    "a": "c",
    "b": "b",
    "together": "FPR, TPR",
    "who": "two",
    "rule": "lower expected cost",
    "levels": "95%",
    "covariance": "pooled",
    "kind": "Precision-recall",
    "average": "threshold average",
    "band": "none",
    "sweep": "precision, recall",
    "case": "error and AUC-PR",
    "cases": "ignored",
    "wish": "recall",
    "wish_cost": 2.0,
    "wish_recall": 0.9,
    "wish_precision": 0.9,
    "wish_alerts": 0.2,
    "winby": "paired t",
    "within": "Holm",
    "signs": "Holm",
    "kinds": "by results",
    "form": "list",
    "best": "right",
    "top": "all",
    "tab": "Ranks",
    "look": "Curves",
    "oelsewhere": True,
    "otest": "paired t",
    "ofamily": "Bonferroni",
    "opost": "Holm",
    "oscale": "ranks",
    "undivided": True,
    "orisk": True,
    "otheta": 0.25,
    "oset": "left",
    "ocost": "time",
    "etab": "Figures",
    "eset": "left",
    "etogether": "FPR, TPR",
    "evenue": "IEEE column",
    "efont": "Helvetica-like",
    "eink": "colour",
    "etitle": True,
    "hi": ["b"],
}
# what has no widget, is of another file or of pages without results (sizes of simulations, help)
ELSEWHERE = re.compile(
    r"_|l[a-z]|s[a-z_]+$|power_of|w\d$|h?tab$|term|letter|record|spent|folding|question|method|"
    r"\w*tab_|view_|more_|report_files|files_|measures_agreement|mean_regions|interval_methods|"
    r"fraction|own|afold|dfold|other_measure|only|groupby|horizon|scale"
)


def opened(app, file: str, **settings):
    """Upload a file, and set settings as their widgets do; return the app."""
    name = "accuracy.csv" if file == "averages" else f"{file}.csv"
    upload(app, (name, FILES[file]))
    for key, value in settings.items():
        app.session_state[key] = value
    return app


def stated(app, *pages) -> str:
    """Return all texts of pages, with those that are copied."""
    words = []
    for page in pages:
        turn_to(app, page).run()
        assert not app.exception, page
        words += [texts(app), *map(str, copied(app).values())]
    text = re.sub(r":gray\[([^]]*)\]", r"\1", "\n".join(words))
    return re.sub(r"^\*\*Recommended test.*", "", text, flags=re.M)  # whatever is chosen


def test_every_setting_is_known_here():
    known = {*STATED, *OF_A_PAGE}
    unknown = [key for key in SETTINGS if key not in known and not ELSEWHERE.match(key)]
    assert unknown == []
    assert known <= {*SETTINGS}


@pytest.mark.parametrize("setting", STATED)
def test_what_depends_on_a_setting_states_its_value_only(app, setting):
    file, needed, value, gone, new = STATED[setting]
    of_pairs = [] if setting in ("compare", "control", "control_correction", "out") else ["compare"]
    opened(app, file, **needed, **{setting: value})
    words = stated(app, "results", *of_pairs, "export")
    assert re.search(new, words)
    assert not re.search(gone, words), re.search(f".*(?:{gone}).*", words).group()


# settings of the page Results -> the same of a comparison
OF_RESULTS = [
    ({"source": "sign test"}, {"source": "sign"}),
    ({"source": "average ranks"}, {"source": "ranks"}),
    ({"correction": "Holm"}, {"correction": "holm"}),
    (
        {"source": "sign test", "sign_correction": "Hommel"},
        {"source": "sign", "correction": "hommel"},
    ),
    ({"compare": "Against a control", "control": "b"}, {"control": "b"}),
    (
        {"compare": "Against a control", "control": "b", "control_correction": "Hochberg"},
        {"control": "b", "correction": "hochberg"},
    ),
]


@pytest.mark.parametrize(("chosen", "settings"), OF_RESULTS)
def test_tradeoffs_name_the_tests_of_results(app, chosen, settings):
    results = read_results(("timed.csv", FILES["timed"]))
    name = analyse(results, Settings(**settings)).test_name
    words = stated(opened(app, "timed", **chosen), "tradeoffs")
    assert page_text("order_views.other_tests", tests=name) in words


@pytest.mark.parametrize(("label", "source"), [(label, key) for key, label in SOURCES.items()])
def test_a_plan_names_its_test_and_compares_the_chosen_one(app, label, source):
    said = page_text(
        "simulation_views.test_of_plan",
        tests=comparison_text(f"tests.{source}", plural=True),
        more=relative_size(source, 3) - 1,
    )
    assert said in stated(opened(app, "timed", source=label), "plan")


def test_power_is_simulated_for_the_chosen_test(app):
    turn_to(opened(app, "timed", source="sign test", ltab="Power"), "plan")
    answered(app.run())
    assert not app.exception
    names = [trace["name"] for figure in specs(app) for trace in figure["data"] if "name" in trace]
    assert any(name.startswith("Holm, sign") for name in names)


@pytest.mark.parametrize("tab", ["Sample size", "Power", "Type I error"])
@pytest.mark.parametrize("file", FILES)
def test_no_simulation_is_offered_that_is_refused(app, file, tab):
    """Start is offered only for a simulation that runs."""
    turn_to(opened(app, file, ltab=tab), "plan")
    offered = any(button.label == "Start" for button in app.run().button)
    answered(app)
    assert not app.exception
    assert offered <= (page_text("simulation_views.refused") not in texts(app))
    assert specs(app) or not offered


@pytest.mark.parametrize("file", FILES)
def test_settings_of_other_pages_change_no_statement_of_results(app, file):
    before = stated(opened(app, file), "results")
    for key, value in OF_A_PAGE.items():
        if key not in ("form", "best", "top", "tab", "hi"):
            app.session_state[key] = value
    assert stated(app, "results") == before
