"""Query parameters of the app's URLs, their defaults, and the button that copies a link."""

from urllib.parse import urlencode

import streamlit as st

from foldwise.web.session import WORKSPACE
from stats_core.curves.curve_shapes import BANDS
from stats_core.curves.thresholds import SCALES
from stats_core.data.costs import COST_SCALES
from stats_core.data.settings import ASKED_SOURCES, DFS, OVERLAPS
from stats_core.inference.multiplicity.corrections import CORRECTIONS

COMPARE = ("All pairs", "Against a control")
RECOMMENDED = "recommended"  # the correction that suits the pairwise tests
NEUTRAL = 0.5  # the threshold at which both kinds of error cost the same
# query parameters bound to widgets, grouped by where the widgets are
LINKED = (
    *(
        "measure",
        "compare",
        "control",
        "control_correction",
        "sign_correction",
        "correction",
        "out",
        "outset",
        "hi",
    ),
    *("only", "groupby", "region"),
    *("source", "form", "best", "tab", "two", "winby", "within", "signs", "kinds", "top"),
    *("ds", "a", "b", "test", "bricks", "more", "posthoc", "overlap", "df", "notation", "view"),
    *("together", "who", "levels", "covariance", "mtab", "rule"),
    *("wish", "wish_cost", "wish_recall", "wish_precision", "wish_alerts"),
    *("theta", "scale", "kind", "average", "band", "ctab", "sweep", "case", "cases"),
    *(
        "ocost",
        "oelsewhere",
        "oset",
        "otest",
        "ofamily",
        "opost",
        "oscale",
        "undivided",
        "orisk",
        "otheta",
    ),
    *("otab", "w1", "w2", "w3", "w4", "w5", "other_measure"),
    *("etab", "eset", "etogether", "evenue", "efont", "eink", "etitle"),
    *("ltab", "ldraws", "lfirst", "lsecond", "lset", "lcost"),
    *("htab", "term", "record", "spent", "folding", "question", "method"),
)
KEPT = ("sample", "src", "w", "v", "holes", "baseline", "prior", "short", "rename")
ALL_SETS = "all data sets"  # option of the data set selector that stands for all of them
EVERY_SET = "all"  # option of the group selector that stands for no filter
DEFAULTS = {
    "correction": RECOMMENDED,
    "control_correction": RECOMMENDED,
    "sign_correction": RECOMMENDED,
    "compare": COMPARE[0],
    "only": EVERY_SET,
    "source": ASKED_SOURCES[""],
    "form": "automatic",
    "best": "left",
    "tab": "Diagram",
    "two": "Differences",
    "bricks": "facing",
    "more": "Interval and tests",
    "overlap": OVERLAPS["corrected"],
    "df": DFS["conservative"],
    "notation": "maximal groups",
    "view": "Order",
    "who": "all",
    "levels": "50 % and 90 %",
    "covariance": "of each algorithm",
    "mtab": "Folds",
    "rule": "a significant difference of risk",
    "theta": NEUTRAL,
    "scale": next(iter(SCALES)),
    "wish": "each usual one",
    "kind": "ROC",
    "average": "vertical average",
    "band": BANDS[0],
    "ctab": "Curves",
    "otab": "Order",
    "ltab": "Would it find it?",
    "ldraws": "250",
    "etab": "Figures",
    "htab": "Glossary",
    "record": "One number per data set",
    "spent": "No",
    "folding": "10 folds",
    "question": "Two on one data set",
    "eset": "all data sets",
    "etogether": "the one of the sidebar",
    "efont": "Times-like",
    "eink": "grey",
    "etitle": False,
    "oelsewhere": False,
    "oset": "all data sets",
    "ofamily": "Holm",
    "opost": next(iter(CORRECTIONS.values())),
    "oscale": next(iter(COST_SCALES.values())),
    "undivided": False,
    "orisk": False,
    "otheta": 0.5,
    **dict.fromkeys(("w1", "w2", "w3", "w4", "w5"), 1.0),
}


def copy_link(alpha: float) -> None:
    """Draw a popover with the URL of this view, without settings at their defaults."""
    copy = st.popover(
        "Copy link", type="tertiary", icon=":material/link:", on_change="rerun", key="copy_link"
    )
    if not copy.open:
        return
    named = non_default_settings(alpha)
    if "w" in named:  # a shared link is read-only
        named["v"] = st.session_state[WORKSPACE].view
        del named["w"]
    query = urlencode(named, doseq=True)
    copy.code(f"{st.context.url}?{query}" if query else st.context.url, language=None)


def non_default_settings(alpha: float) -> dict:
    """Return the settings of this view that differ from their defaults, by query parameter."""
    values = {name: st.session_state.get(name) for name in LINKED}
    values["alpha"] = "" if alpha == 0.05 else f"{alpha:g}"
    chosen = {
        name: value
        for name, value in values.items()
        if value not in (None, "", [], ()) and value != DEFAULTS.get(name)
    }
    from_address = {name: st.query_params.get_all(name) for name in KEPT if name in st.query_params}
    return {**from_address, **chosen}
