"""Every setting of the app: its default, and where it is linked, recorded and reset."""

from dataclasses import KW_ONLY, dataclass
from typing import Any

import streamlit as st

from stats_core.curves.curve_shapes import BANDS
from stats_core.curves.thresholds import SCALES
from stats_core.data.costs import COST_SCALES
from stats_core.data.settings import ASKED_SOURCES, DFS, OVERLAPS
from stats_core.inference.multiplicity.corrections import CORRECTIONS

LEVELS = ("0.01", "0.05", "0.10", "other")  # of significance
COMPARE = ("All pairs", "Against a control")
RECOMMENDED = "recommended"  # the correction that suits the pairwise tests
NEUTRAL = 0.5  # the threshold at which both kinds of error cost the same
ALL_SETS = "all data sets"  # option of the data set selector that stands for all of them
EVERY_SET = "all"  # option of the group selector that stands for no filter

# session keys of settings without a widget bound to the address
HOLES = "_holes"  # chosen treatment of missing cells, "" while undecided
BASELINE = "_baseline"  # algorithm whose value replaces missing runs, if that is chosen
FAMILIES = "_families"  # typed by the user: algorithm -> family
TYPED = "_typed_names"  # typed by the user: {"algorithms": {name: displayed name}, "datasets": ...}
SHORT = "_short_names"  # whether long names are shortened
PRIOR = "_prior"  # the order the visitor typed, cheapest first
MAPPINGS = "_mappings"  # digest of the uploads -> Mapping
SELECTION = "_selection"
ASKED_THETA = "_asked_theta"  # threshold in the link that opened the session
ELSEWHERE = "oelsewhere"  # whether the first cost orders on other pages, too
SHOWN = "_shown_names"  # original name -> displayed name, by kind

# query parameters without a widget, which identify the results
UNBOUND_PARAMETERS = "sample src w v holes baseline prior short rename".split()

# option in links and workspaces of earlier versions -> option now
RENAMED = {
    "Would it find it?": "Power",
    "Does it keep its level?": "Type I error",
    "How much more do I need?": "Sample size",
    "Why another number?": "Other software",
    "One against the other": "Scatter plot",
    "Four cases": "Agreement of tests",
    "Repeat it": "Reproduce",
    "advised test": "recommended test",
    "my own order": "own order",
    "allowed for": "corrected",
    "own width": "other width",
    "each usual one": "common targets",
    "the one of the sidebar": "sidebar measure",
    "own choice": "custom",
}


@dataclass(frozen=True, slots=True)
class Setting:
    """A setting in the session state.

    Attributes
    ----------
    key : str
        Its key; a linked setting has the same query parameter.
    default : object
        None if it depends on the results.
    linked : bool
        Whether a copied link holds it.
    recorded : bool
        Whether undo and workspaces restore it.
    reset : bool
        Whether it is forgotten when other results are opened.
    names : {"", "algorithms", "datasets"}
        The names that its value holds.
    """

    key: str
    default: Any = None
    _: KW_ONLY
    linked: bool = True
    recorded: bool = True
    reset: bool = False
    names: str = ""


_SETTINGS = (
    # sidebar
    Setting("measure", reset=True),
    Setting("compare", COMPARE[0], reset=True),
    Setting("control", reset=True, names="algorithms"),
    Setting("control_correction", RECOMMENDED),
    Setting("sign_correction", RECOMMENDED),
    Setting("correction", RECOMMENDED),
    Setting("out", reset=True, names="algorithms"),
    Setting("outset", reset=True, names="datasets"),
    Setting("hi", reset=True, names="algorithms"),
    Setting("only", EVERY_SET, reset=True),
    Setting("groupby", reset=True),
    Setting("region"),
    # many data sets
    Setting("source", ASKED_SOURCES[""]),
    Setting("form", "automatic"),
    Setting("best", "left"),
    Setting("tab", "Diagram"),
    Setting("two", "Differences"),
    *map(Setting, ("winby", "within", "signs", "kinds", "top")),
    # pair and one data set
    Setting("ds", reset=True, names="datasets"),
    Setting("a", reset=True, names="algorithms"),
    Setting("b", reset=True, names="algorithms"),
    Setting("test", reset=True),
    Setting("bricks", "facing"),
    Setting("more", "Interval and tests"),
    Setting("posthoc", reset=True),
    Setting("overlap", OVERLAPS["corrected"]),
    Setting("df", DFS["conservative"]),
    Setting("notation", "maximal groups"),
    Setting("view", "Order"),
    Setting("fraction", linked=False, recorded=False, reset=True),
    # multivariate
    Setting("together", reset=True),
    Setting("own", linked=False, recorded=False, reset=True),
    Setting("who", "all"),
    Setting("levels", "50% and 90%"),
    Setting("covariance", "of each algorithm"),
    Setting("mtab", "Folds"),
    Setting("rule", "a significant difference of risk"),
    # curves
    Setting("wish", "common targets"),
    *map(Setting, ("wish_cost", "wish_recall", "wish_precision", "wish_alerts")),
    Setting("theta", NEUTRAL, reset=True),
    Setting("scale", next(iter(SCALES))),
    Setting("kind", "ROC"),
    Setting("average", "vertical average"),
    Setting("band", BANDS[0]),
    Setting("ctab", "Curves"),
    *map(Setting, ("sweep", "case", "cases")),
    Setting("afold", linked=False, recorded=False, reset=True),
    Setting("dfold", linked=False, recorded=False, reset=True),
    # ordering
    Setting("ocost", reset=True),
    Setting(ELSEWHERE, False),
    Setting("oset", ALL_SETS, reset=True, names="datasets"),
    Setting("otest", reset=True),
    Setting("ofamily", "Holm"),
    Setting("opost", next(iter(CORRECTIONS.values()))),
    Setting("oscale", next(iter(COST_SCALES.values()))),
    Setting("undivided", False),
    Setting("orisk", False),
    Setting("otheta", 0.5),
    Setting("otab", "Order"),
    *(Setting(f"w{number}", 1.0, reset=True) for number in range(1, 6)),
    Setting("other_measure", reset=True),
    # export
    Setting("etab", "Figures"),
    Setting("eset", ALL_SETS, names="datasets"),
    Setting("etogether", "sidebar measure"),
    Setting("evenue"),
    Setting("efont", "Times-like"),
    Setting("eink", "grey"),
    Setting("etitle", False),
    # lab
    Setting("ltab", "Power"),
    Setting("ldraws", "250"),
    Setting("lfirst", reset=True),
    Setting("lsecond", reset=True),
    Setting("lset", reset=True),
    Setting("lcost", reset=True),
    Setting("ldifference", linked=False, recorded=False, reset=True),
    # help
    Setting("htab", "Glossary"),
    Setting("term"),
    Setting("record", "One number per data set"),
    Setting("spent", "No"),
    Setting("folding", "10 folds"),
    Setting("question", "Two on one data set"),
    Setting("method"),
    # in the link in a form of their own
    Setting("alpha", linked=False),
    Setting("level", linked=False),
    # without widgets bound to the address
    Setting(HOLES, "", linked=False, reset=True),
    Setting(BASELINE, "", linked=False, reset=True),
    Setting(FAMILIES, {}, linked=False, reset=True),
    Setting(TYPED, {}, linked=False, reset=True),
    Setting(SHORT, False, linked=False, reset=True),
    Setting(PRIOR, [], linked=False, reset=True, names="algorithms"),
    Setting(MAPPINGS, {}, linked=False),
    Setting(SELECTION, {}, linked=False, recorded=False, reset=True),
    Setting(ASKED_THETA, linked=False, recorded=False, reset=True),
    Setting(SHOWN, linked=False, recorded=False, reset=True),
)
SETTINGS = {setting.key: setting for setting in _SETTINGS}
LINKED = tuple(setting.key for setting in _SETTINGS if setting.linked)
# recorded settings, with and without widgets
WIDGETS = tuple(key for key, setting in SETTINGS.items() if setting.recorded and key[0] != "_")
UNBOUND = tuple(key for key, setting in SETTINGS.items() if setting.recorded and key[0] == "_")


def linked(key: str, *, kept: bool = True) -> dict[str, Any]:
    """Return the options of a widget bound to the address, kept while other pages are open."""
    options = {"key": key, "bind": "query-params"}
    return options | {"persist_state": "session"} if kept else options


def non_default_settings(alpha: float) -> dict:
    """Return the settings of this view that differ from their defaults, by query parameter."""
    values = {name: st.session_state.get(name) for name in LINKED}
    values["alpha"] = "" if alpha == 0.05 else f"{alpha:g}"
    chosen = {name: value for name, value in values.items() if not is_default(name, value)}
    return {**unbound_parameters(), **chosen}


def is_default(key: str, value: Any) -> bool:
    """Return whether a value of a widget needs no place in a link or a workspace."""
    return value in (None, "", [], ()) or value == SETTINGS[key].default


def unbound_parameters() -> dict[str, list[str]]:
    """Return the query parameters of this page that no widget writes."""
    names = [name for name in UNBOUND_PARAMETERS if name in st.query_params]
    return {name: st.query_params.get_all(name) for name in names}


def forget_choices() -> None:
    """Reset the settings that refer to names in the open results."""
    for key, setting in SETTINGS.items():
        if setting.reset:
            st.session_state.pop(key, None)
