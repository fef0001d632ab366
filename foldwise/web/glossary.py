"""Terms of the glossary: meaning, formula or picture, and the page where each appears."""

from dataclasses import dataclass

from stats_core.comparison.cards.method_card import method_card

# page, label of the link, and query parameters
DIAGRAM = ("pages/many_data_sets.py", "Many data sets: Diagram", {"tab": "Diagram"})
PAIRS = ("pages/many_data_sets.py", "Many data sets: Pairs", {"tab": "Pairs"})
RANKS = ("pages/many_data_sets.py", "Many data sets: Ranks", {"tab": "Ranks by data set"})
PAIR = ("pages/pair.py", "Pair", {})
FOLDS = ("pages/one_data_set.py", "One data set", {})
MEASURES = ("pages/multivariate.py", "Multivariate", {})
CURVES = ("pages/curves.py", "Curves", {"ctab": "Curves"})
AREAS = ("pages/curves.py", "Curves: Areas", {"ctab": "Areas"})
LOSSES = ("pages/curves.py", "Curves: Thresholds", {"ctab": "Thresholds and losses"})
ORDER = ("pages/ordering.py", "Ordering", {"otab": "Order"})
GROUPS = ("pages/ordering.py", "Ordering: Ranks", {"otab": "Ranks and groups"})
COSTS = ("pages/ordering.py", "Ordering: Costs", {"otab": "Costs"})
OVERVIEW = ("pages/overview.py", "Overview", {})
DATA = ("pages/data.py", "Data", {})


@dataclass(frozen=True, slots=True, kw_only=True)
class Term:
    """An entry of the glossary.

    Attributes
    ----------
    text : str
        What it means, in one line.
    more : str
        Further explanation.
    formula : str
        In LaTeX.
    picture : str
        A key of `foldwise.web.views.help_views.PICTURES`.
    table : str
        A small table in Markdown.
    page : tuple of (str, str, dict)
        Where it appears.
    """

    text: str
    more: str = ""
    formula: str = ""
    picture: str = ""
    table: str = ""
    page: tuple[str, str, dict[str, str]]


def _method(key: str, page: tuple[str, str, dict[str, str]], **shown: str) -> Term:
    """Return a term with the question, description and formula of a method card."""
    card = method_card(key)
    fields = {"text": card.question, "more": card.plain, "formula": "".join(card.formulas[:1])}
    return Term(**fields | shown, page=page)


_WORDS = {
    "alpha": Term(
        text="the chance of a false alarm you accept, where nothing differs.",
        more="Set it in the sidebar before you look at the results.",
        formula=r"P(\text{a difference is claimed} \mid \text{there is none}) \le \alpha",
        page=OVERVIEW,
    ),
    "Adjusted p-value": Term(
        text="p after paying for many comparisons; compare it with alpha directly.",
        formula=rf"{method_card('holm').formula}\quad\text{{(Holm)}}",
        page=PAIRS,
    ),
    "Average rank": Term(
        text="mean place over data sets, 1 is best.",
        more="On each data set the algorithms are ranked; ties share the mean of their places.",
        picture="ranks",
        page=RANKS,
    ),
    "Block": Term(
        text="the shared fold or data set that makes results comparable.",
        more="What makes a fold hard is hard for all, and drops out of differences.",
        formula=r"y_{ij} = \mu + \underbrace{\alpha_i}_{\text{algorithm}}"
        r" + \underbrace{\beta_j}_{\text{block}} + \varepsilon_{ij}",
        page=FOLDS,
    ),
    "Contour": Term(
        text="the line inside which a stated share of folds would fall.",
        more="It shows the spread of folds, not how well the mean is known.",
        picture="contour",
        page=MEASURES,
    ),
    "Control": Term(
        text="the one algorithm all others are compared with.",
        more="It has to be chosen before the results are seen: k - 1 comparisons, not all pairs.",
        formula=r"k - 1 \quad\text{instead of}\quad \tfrac{k(k - 1)}{2}",
        page=DIAGRAM,
    ),
    "Correction": Term(
        text="the way p-values are adjusted for a family of tests.",
        more="Where many tests are made, some false alarm is likely without it.",
        formula=rf"{method_card('bonferroni').formula}\quad\text{{(Bonferroni)}}",
        page=PAIRS,
    ),
    "Cost": Term(
        text="what you pay besides error: time, memory, effort.",
        more="Data sets are made comparable before costs are averaged.",
        formula=method_card("average_cost").formula,
        page=COSTS,
    ),
    "Critical difference (CD)": Term(
        text="the gap of average ranks from which on the Nemenyi test separates two algorithms.",
        more="Sharper procedures separate some that lie closer.",
        formula=method_card("nemenyi").formulas[0],
        picture="critical",
        page=DIAGRAM,
    ),
    "Family": Term(
        text="all tests whose errors are counted together.",
        more="All pairs of eight algorithms are one family of 28.",
        formula=r"m = \frac{k(k - 1)}{2}",
        page=PAIRS,
    ),
    "Fold": Term(
        text="one train/test split of a data set.",
        more="Each brick is one fold; the triangles are means.",
        picture="folds",
        page=PAIR,
    ),
    "Hole": Term(
        text="a missing result for one data set, algorithm, fold.",
        more="Nothing is compared until you choose what to do with it.",
        table="| data set | bayes | forest | svm |\n|:--|:-:|:-:|:-:|\n"
        "| heart | 0.21 | 0.17 | 0.18 |\n| soil | 0.30 | - | 0.26 |",
        page=DATA,
    ),
    "Interval": Term(
        text="values of the difference the data do not rule out.",
        more="It excludes zero exactly where the pair differs significantly. Where many pairs are tested, "
        "it is adjusted for their selection.",
        picture="interval",
        page=PAIR,
    ),
    "Loss ratio (lambda)": Term(
        text="cost of a false positive over a false negative.",
        formula=r"\lambda = \frac{\text{cost of a false positive}}{\text{cost of a false negative}},\quad "
        + method_card("risk").formulas[0],
        page=LOSSES,
    ),
    "Not separated": Term(
        text="no difference found; not the same as equal.",
        more="The interval holds zero, and other values too: these are not ruled out either.",
        picture="not_separated",
        page=OVERVIEW,
    ),
    "p-value": Term(
        text="how often chance alone would show at least this difference.",
        more="It is not the chance that the two do not differ.",
        formula=r"p = P\bigl(|T| \ge |t_{\text{seen}}| \,\bigm|\, \text{no difference}\bigr)",
        page=PAIRS,
    ),
    "Pairing": Term(
        text="comparing on the same folds, matched by name, not by row.",
        more="Each line is one fold.",
        picture="pairing",
        page=PAIR,
    ),
    "Risk": Term(
        text="what errors cost on average, at the losses you set.", formula=method_card("risk").formulas[1], page=LOSSES
    ),
    "Threshold (theta)": Term(
        text="the score from which a case is called positive.",
        more="Where scores are probabilities, 0.5 is best if both kinds of error cost the same.",
        formula=r"\text{positive} \iff s \ge \theta",
        page=LOSSES,
    ),
}
_METHODS = {
    "ANOVA": _method("anova", FOLDS),
    "Area under the curve (AUC)": _method("roc_auc", AREAS),
    "Bergmann-Hommel": _method("bergmann_hommel", PAIRS),
    "Clique (group)": _method("cliques", DIAGRAM, picture="clique"),
    "Compact letters": _method(
        "compact_letters", FOLDS, table="| a | b | c | d |\n|:-:|:-:|:-:|:-:|\n| A | AB | B | C |"
    ),
    "Cost curve": _method("cost_envelope", LOSSES, picture="costs"),
    "DeLong's test": _method("delong", AREAS),
    "Dimension": _method("manova_dimension", MEASURES),
    "Effect size": _method("effect_sizes", PAIR),
    "Friedman test": _method("friedman", DIAGRAM),
    "Hotelling's T2": _method("hotelling_paired", MEASURES, picture="ellipse"),
    "Hull": _method("roc_hull", CURVES),
    "Learned measure": _method("learned_measures", MEASURES),
    "MANOVA": _method("manova", MEASURES),
    "Mardia's tests": _method("mardia", MEASURES),
    "MultiTest": _method("multitest", ORDER, picture="order"),
    "Nemenyi test": _method("nemenyi", DIAGRAM),
    "Overlap factor": _method("overlap_factor", PAIR),
    "Precision-recall curve": _method("pr_curve", CURVES),
    "ROC curve": _method("roc_curve", CURVES, picture="roc"),
    "Tukey's test": _method("tukey", FOLDS),
    "Underlines": _method("underlines", FOLDS, picture="underlines"),
    "Wilcoxon test": _method("wilcoxon", PAIR),
}
GLOSSARY = dict(sorted((_WORDS | _METHODS).items(), key=lambda item: item[0].lower()))
