"""The words Foldwise uses: what each means, its formula or picture, and where it appears."""

from dataclasses import dataclass

# page, what the link says, and what the address asks of the page
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
    """One word.

    Attributes
    ----------
    text : str
        What it means, in one line.
    more : str
        What else one has to know.
    formula : str
        In LaTeX.
    picture : str
        A key of `foldwise.ui.help_views.PICTURES`.
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


GLOSSARY = {
    "alpha": Term(
        text="the share of false alarms you accept.",
        more="Set it in the sidebar before you look at the results.",
        formula=r"P(\text{a difference is claimed} \mid \text{there is none}) \le \alpha",
        page=OVERVIEW,
    ),
    "Adjusted p-value": Term(
        text="p after paying for many comparisons; compare it with alpha directly.",
        formula=r"\tilde p_{(i)} = \max_{j \le i}\,\min\{(m - j + 1)\,p_{(j)},\,1\}"
        r"\quad\text{(Holm)}",
        page=PAIRS,
    ),
    "ANOVA": Term(
        text="one test for equal means of several algorithms.",
        more="It compares how far their means spread with how much single folds vary.",
        formula=r"F = \frac{J\sum_i (m_i - m)^2/(a - 1)}"
        r"{\sum_{ij}(y_{ij} - m_i - m_j + m)^2/((a - 1)(J - 1))}",
        page=FOLDS,
    ),
    "Area under the curve (AUC)": Term(
        text="chance that a positive scores above a negative.",
        more="Equal scores count one half; guessing gives 0.5.",
        formula=r"A = \frac{1}{n_+ n_-}\sum_{i \in +}\sum_{j \in -}"
        r"\left(\mathbb 1[s_i > s_j] + \tfrac12\,\mathbb 1[s_i = s_j]\right)",
        page=AREAS,
    ),
    "Average rank": Term(
        text="mean place over data sets, 1 is best.",
        more="On each data set the algorithms are ranked; ties share the mean of their places.",
        picture="ranks",
        page=RANKS,
    ),
    "Bergmann-Hommel": Term(
        text="the correction that finds most, using which equalities can hold together.",
        more="If a = b and b = c, then a = c: so not every set of pairs can be equal. "
        "The largest is taken over the sets that contain the pair.",
        formula=r"\tilde p_{ij} = \min\Bigl\{1,\ \max_{I \ni (i,j)}\ |I|\,\min_{I} p\Bigr\},"
        r"\quad I\ \text{exhaustive}",
        page=PAIRS,
    ),
    "Block": Term(
        text="the shared fold or data set that makes results comparable.",
        more="What makes a fold hard is hard for all, and drops out of differences.",
        formula=r"y_{ij} = \mu + \underbrace{\alpha_i}_{\text{algorithm}}"
        r" + \underbrace{\beta_j}_{\text{block}} + \varepsilon_{ij}",
        page=FOLDS,
    ),
    "Clique (group)": Term(
        text="algorithms no pair of which differs.",
        more="A bar joins each group. Here a and c differ, although b differs from neither.",
        picture="clique",
        page=DIAGRAM,
    ),
    "Compact letters": Term(
        text="algorithms without a common letter differ.",
        more="One letter for each group.",
        table="| a | b | c | d |\n|:-:|:-:|:-:|:-:|\n| A | AB | B | C |",
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
        formula=r"\tilde p_i = \min\{1,\ m\,p_i\}\quad\text{(Bonferroni)}",
        page=PAIRS,
    ),
    "Cost": Term(
        text="what you pay besides error: time, memory, effort.",
        more="Data sets are made comparable before costs are averaged.",
        formula=r"\bar c_i = \frac1N \sum_{d=1}^{N} \frac{c_{di}}{\max_l c_{dl}}",
        page=COSTS,
    ),
    "Cost curve": Term(
        text="the expected cost at every mix of class shares and losses.",
        more="The lower one is better there; dotted lines call all cases alike.",
        picture="costs",
        page=LOSSES,
    ),
    "Critical difference (CD)": Term(
        text="the rank gap from which on two algorithms differ.",
        formula=r"\mathrm{CD} = \frac{q_\alpha}{\sqrt2}\sqrt{\frac{k(k + 1)}{6N}}",
        picture="critical",
        page=DIAGRAM,
    ),
    "DeLong's test": Term(
        text="do two classifiers rank the same cases equally well?",
        more="It looks at one test set: training is not seen.",
        formula=r"z = \frac{A_1 - A_2}{\sqrt{S_{11} + S_{22} - 2 S_{12}}}",
        page=AREAS,
    ),
    "Dimension": Term(
        text="how many directions the means spread over: a point, a line, a plane.",
        formula=r"D_r^2 = \Bigl(v_E - \tfrac{p - v_H + 1}{2}\Bigr)\sum_{j > r}\ln(1 + \lambda_j)",
        page=MEASURES,
    ),
    "Effect size": Term(
        text="how large a difference is, apart from how sure.",
        more="Many folds make a small difference sure, not large.",
        formula=r"d_z = \frac{\bar d}{s_d}",
        page=PAIR,
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
    "Friedman test": Term(
        text="do average ranks differ more than chance?",
        formula=r"\chi^2 = \frac{12N}{k(k + 1)}\Bigl(\sum_j R_j^2 - \frac{k(k + 1)^2}{4}\Bigr)",
        page=DIAGRAM,
    ),
    "Hole": Term(
        text="a missing result for one data set, algorithm, fold.",
        more="Nothing is compared until you choose what to do with it.",
        table="| data set | bayes | forest | svm |\n|:--|:-:|:-:|:-:|\n"
        "| heart | 0.21 | 0.17 | 0.18 |\n| soil | 0.30 | - | 0.26 |",
        page=DATA,
    ),
    "Hotelling's T2": Term(
        text="the paired t test for several measures at once.",
        more="The two differ where the region of the mean leaves out zero.",
        formula=r"T^2 = J\,\bar d^{\mathsf T} S^{-1} \bar d",
        picture="ellipse",
        page=MEASURES,
    ),
    "Hull": Term(
        text="the points of a ROC curve that are best at some cost.",
        more="The smallest concave curve above it; other points are never the best choice.",
        formula=r"\min_{t}\ \bigl\{\lambda\,n_-\,\mathrm{fpr}(t) + n_+\,(1 -"
        r" \mathrm{tpr}(t))\bigr\}"
        r"\ \text{ for some } \lambda",
        page=CURVES,
    ),
    "Interval": Term(
        text="values of the difference the data do not rule out.",
        more="It leaves out zero exactly where the test rejects.",
        picture="interval",
        page=PAIR,
    ),
    "Learned measure": Term(
        text="the mix of measures that separates the algorithms most.",
        formula=r"\max_{w}\ \frac{w^{\mathsf T} H w}{w^{\mathsf T} E w}",
        page=MEASURES,
    ),
    "Loss ratio (lambda)": Term(
        text="cost of a false positive over a false negative.",
        formula=r"\lambda = \frac{\text{cost of a false positive}}{\text{cost of a false"
        r" negative}},"
        r"\qquad \theta = \frac{\lambda}{1 + \lambda}",
        page=LOSSES,
    ),
    "MANOVA": Term(
        text="ANOVA on several measures.",
        more="One test for equal vectors of means.",
        formula=r"\Lambda = \frac{|E|}{|E + H|}",
        page=MEASURES,
    ),
    "Mardia's tests": Term(
        text="are several measures normal together?",
        more="One statistic for skewness, one for kurtosis.",
        formula=r"\begin{gathered}b_1 = \frac1{n^2}\sum_{ij} g_{ij}^3,\quad"
        r" b_2 = \frac1n\sum_i g_{ii}^2\\"
        r" g_{ij} = (x_i - \bar x)^{\mathsf T} S^{-1} (x_j - \bar x)\end{gathered}",
        page=MEASURES,
    ),
    "MultiTest": Term(
        text="orders by error where tests decide, by cost where not.",
        more="An arrow leads to a costlier algorithm that is better.",
        picture="order",
        page=ORDER,
    ),
    "Nemenyi test": Term(
        text="all pairs of ranks against one CD.",
        formula=r"|R_i - R_j| \ge \mathrm{CD}\quad\Rightarrow\quad i \text{ and } j \text{ differ}",
        page=DIAGRAM,
    ),
    "Not separated": Term(
        text="no difference found; not the same as equal.",
        more="The interval holds zero, and other values too: these are not ruled out either.",
        picture="not_separated",
        page=OVERVIEW,
    ),
    "Overlap factor": Term(
        text="by how much training sets that share cases widen the variance of a mean.",
        more="f is the share of cases tested in a fold: 10 folds give 2.11.",
        formula=r"c = 1 + J\,\frac{f}{1 - f}",
        page=PAIR,
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
    "Precision-recall curve": Term(
        text="how pure the positive calls are as more positives are found.",
        formula=r"\text{precision} = \frac{tp}{tp + fp},\qquad \text{recall} = \frac{tp}{tp + fn}",
        page=CURVES,
    ),
    "Risk": Term(
        text="what errors cost on average, at the losses you set.",
        formula=r"R = \theta\,fp + (1 - \theta)\,fn",
        page=LOSSES,
    ),
    "ROC curve": Term(
        text="the share of positives found for each share of false alarms.",
        more="The diagonal is guessing; closer to the upper left corner is better.",
        picture="roc",
        page=CURVES,
    ),
    "Threshold (theta)": Term(
        text="the score from which a case is called positive.",
        more="At 0.5 both kinds of error cost the same.",
        formula=r"\text{positive} \iff s \ge \theta",
        page=LOSSES,
    ),
    "Tukey's test": Term(
        text="all pairs of means against one gap, after an ANOVA.",
        formula=r"|m_i - m_l| \ge q_\alpha\,\sqrt{\frac{\mathrm{MSE}}{J}}",
        page=FOLDS,
    ),
    "Underlines": Term(
        text="stretches of an ordering whose two ends do not differ.",
        more="The best stands on the left.",
        picture="underlines",
        page=FOLDS,
    ),
    "Wilcoxon test": Term(
        text="paired test on ranks of differences.",
        more="Large differences count more than small ones, without assuming a normal shape.",
        formula=r"W_+ = \sum_{d_i > 0} \operatorname{rank}|d_i|",
        page=PAIR,
    ),
}
