"""The methods by question: the text of docs/methods.md, with formulas and when to use them."""

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "methods.md"

TWO, SEVERAL, MEASURES = "Two on one data set", "Several on one data set", "Several measures"
MANY, CORRECTIONS, CURVES = "Many data sets", "Corrections", "Curves and thresholds"
ORDERS, NUMBERS = "Orders with cost", "About the numbers"
# groups by the headings of the page; a heading that is not here is a group of its own
GROUPS = {
    "One data set: folds and their overlap": TWO,
    "Two algorithms on one data set": TWO,
    "Several algorithms on one data set": SEVERAL,
    "Several measures at once, on one data set": MEASURES,
    "Several algorithms over many data sets": MANY,
    "Two algorithms over many data sets": MANY,
    "Curves, from a score for each case": CURVES,
    "Measures from counts": CURVES,
    "Ordering: error by tests, ties by cost": ORDERS,
    "Failed runs": NUMBERS,
    "How the numbers are checked": NUMBERS,
}
IN_ORDER = (TWO, SEVERAL, MEASURES, MANY, CORRECTIONS, CURVES, ORDERS, NUMBERS)


@dataclass(frozen=True, slots=True)
class Use:
    """When a method is the one to use, its formula in LaTeX, and what it assumes."""

    when: str
    formula: str = ""
    assumes: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """One section of the page.

    Attributes
    ----------
    title : str
    group : str
        The question it belongs to.
    uses : dict of function to Use
        Of the functions it names.
    text : str
        As it stands on the page, without its heading.
    """

    title: str
    group: str
    uses: dict[str, Use]
    text: str

    @property
    def everything(self) -> str:
        """All words of the section in lower case, to search in."""
        said = [f"{name} {use.when} {use.assumes}" for name, use in self.uses.items()]
        return " ".join((self.title, self.group, *said, self.text)).lower()


def parse(page: str) -> list[Section]:
    r"""Part a page of methods by its headings.

    Parameters
    ----------
    page : str
        Markdown with groups under ## and methods under ###; the functions of a method stand in
        backquotes in its heading. Text before the first ## belongs to no method.

    Returns
    -------
    list of Section
        In the order of `IN_ORDER`, unknown groups last.

    Examples
    --------
    >>> page = "## Two algorithms on one data set\n### A test, `paired_t`\nWords.\n"
    >>> found = parse(page)
    >>> found[0].group, found[0].title, list(found[0].uses), found[0].text
    ('Two on one data set', 'A test', ['paired_t'], 'Words.')
    """
    found = []
    for chapter in re.split(r"^## ", page, flags=re.MULTILINE)[1:]:
        heading, _, rest = chapter.partition("\n")
        intro, *parts = re.split(r"^### ", rest, flags=re.MULTILINE)
        title = _title(heading)
        group = GROUPS.get(title, title)
        if intro.strip():
            found.append(_section(title, _functions(heading + intro), intro, group))
        for part in parts:
            line, _, text = part.partition("\n")
            found.append(_section(_title(line), _functions(line), text, group))
    place = {group: i for i, group in enumerate(IN_ORDER)}
    return sorted(found, key=lambda section: place.get(section.group, len(place)))


@cache
def methods() -> list[Section]:
    """Return the sections of docs/methods.md."""
    return parse(PAGE.read_text(encoding="utf-8"))


def _title(heading: str) -> str:
    return heading.split(", `")[0].strip()


def _functions(text: str) -> list[str]:
    return re.findall(r"`(\w+)`", text)


def _section(title: str, functions: list[str], text: str, group: str) -> Section:
    uses = {name: USES[name] for name in functions if name in USES}
    if uses.keys() & {"adjust_pairs", "adjust_control"}:
        group = CORRECTIONS
    return Section(title=title, group=group, uses=uses, text=text.strip())


USES = {
    # two on one data set
    "overlap_factor": Use(
        "Folds of cross-validation or random partitions, whose training sets share cases.",
        r"c = 1 + J\,\frac{f}{1 - f},\qquad f ="
        r" \frac{n_{\text{test}}}{n_{\text{train}} + n_{\text{test}}}",
        "any two folds correlate by f",
    ),
    "corrected_t": Use(
        "The usual choice on k-fold, repeated k-fold and random partitions.",
        r"t = \frac{\bar d}{\sqrt{\left(\frac1J + \frac{f}{1 -"
        r" f}\right)s^2}},\quad J - 1\ \text{df}",
        "normal differences, any two of which correlate by f",
    ),
    "paired_t": Use(
        "Training sets that do not overlap.",
        r"t = \frac{\bar d}{\sqrt{s^2/J}},\quad J - 1\ \text{df}",
        "normal, independent differences",
    ),
    "cv52_f": Use(
        "Five repetitions of two folds.",
        r"F = \frac{\sum_{i=1}^{5}\sum_{j=1}^{2} p_{ij}^2}{2\sum_{i=1}^{5}"
        r" s_i^2},\quad (10, 5)\ \text{df}",
        "normal differences; the halves of a repetition independent",
    ),
    "cv52_t": Use(
        "To repeat an analysis that used it; the F test does not hang on which result is first.",
        r"t = \frac{p_{11}}{\sqrt{\sum_i s_i^2/5}},\quad 5\ \text{df}",
        "as the 5x2 cv F",
    ),
    "cv52_combined_t": Use(
        "To repeat an analysis that used it.",
        r"t = \frac{\sqrt{10}\;\bar d}{\sqrt{\sum_i s_i^2/5}},\quad 5\ \text{df}",
        "all ten differences independent",
    ),
    "sign_flip_test": Use(
        "Differences far from normal, training sets that do not overlap.",
        r"p = \frac{\#\{\epsilon \in \{-1, 1\}^J : |\sum_j \epsilon_j d_j| \ge"
        r" |\sum_j d_j|\}}{2^J}",
        "symmetric, independent differences",
    ),
    "mcnemar": Use(
        "Predictions that name their cases: two trained classifiers on the same cases.",
        r"p = \min\Bigl\{1,\ 2\,P\bigl(\mathrm{Bin}(b + c, \tfrac12) \ge \max(b, c)\bigr)\Bigr\}",
        "independent cases; training is not seen",
    ),
    "effect_sizes": Use(
        "Beside every test: how large, not how sure.",
        r"d_z = \frac{\bar d}{s},\qquad r = \frac{W_+ - W_-}{W_+ + W_-}",
    ),
    # several on one data set
    "anova": Use(
        "Three or more algorithms on the same folds.",
        r"F = \frac{J\sum_i (m_i - m)^2/(a - 1)}"
        r"{\sum_{ij} (y_{ij} - m_i - m_j + m)^2/\bigl((a - 1)(J - 1)\bigr)}",
        "normal residuals, pairs that vary alike; divided by c where training sets overlap",
    ),
    "tukey": Use(
        "All pairs of means after the analysis of variance.",
        r"p = P\!\left(Q_{a,\,\mathrm{df}} \ge \frac{|m_i - m_l|}{\sqrt{c\,\mathrm{MSE}/J}}\right)",
        "as the analysis of variance",
    ),
    "normality": Use(
        "Before tests that assume normal residuals are believed.",
        r"W = \frac{\bigl(\sum_i a_i\,x_{(i)}\bigr)^2}{\sum_i (x_i - \bar x)^2}",
    ),
    "sphericity": Use(
        "Before a blocked analysis of variance is believed.",
        r"W = \frac{|G|}{\bigl(\operatorname{tr} G/(a - 1)\bigr)^{a - 1}}",
        "normal residuals",
    ),
    "underlines": Use(
        "To read an order: ends of an underline do not differ.",
        r"\text{underline } [i, l] \iff p_{il} > \alpha,\ \text{no longer stretch holds it}",
    ),
    # several measures
    "hotelling_paired": Use(
        "Two algorithms on two or more measures of the same folds.",
        r"T^2 = J\,\bar d^{\mathsf T} S^{-1}\bar d,\qquad F = \frac{(J - p)\,T^2}{p\,(J - 1)},"
        r"\quad (p, J - p)\ \text{df}",
        "normal differences; at least p + 1 folds; divided by c where training sets overlap",
    ),
    "manova": Use(
        "Three or more algorithms on two or more measures.",
        r"\Lambda = \frac{|E|}{|E + H|} = \prod_j \frac{1}{1 + \lambda_j},"
        r"\qquad H = J\sum_i (m_i - m)(m_i - m)^{\mathsf T}",
        "normal residuals of one covariance; eigenvalues divided by c where training sets overlap",
    ),
    "manova_dimension": Use(
        "After a rejection: do the means lie on a line, or in a plane?",
        r"D_r^2 = \Bigl(v_E - \tfrac{p - v_H + 1}{2}\Bigr)\sum_{j > r} \ln(1 + \lambda_j),"
        r"\quad (p - r)(v_H - r)\ \text{df}",
        "as MANOVA",
    ),
    "mardia": Use(
        "To see whether several measures are normal together.",
        r"b_1 = \frac{1}{n^2}\sum_{i,j} g_{ij}^3,\qquad b_2 = \frac1n \sum_i g_{ii}^2,\qquad"
        r" g_{ij} = (x_i - \bar x)^{\mathsf T} S^{-1} (x_j - \bar x)",
    ),
    "shuffled_hotelling": Use(
        "Measures far from normal, training sets that do not overlap.",
        r"p = \frac{1 + \#\{T^2_{\text{shuffled}} \ge T^2\}}{1 + \text{draws}}",
        "symmetric, independent difference vectors",
    ),
    "learned_measures": Use(
        "To see which mix of measures separates the algorithms most.",
        r"E^{-1}H\,w = \lambda\,w",
        "what was learned on these folds is no test on them",
    ),
    "wins": Use(
        "Two kinds of error with losses of your own, over many data sets.",
        r"R = \theta\,fp + (1 - \theta)\,fn",
    ),
    # many data sets
    "friedman": Use(
        "Three or more algorithms on two or more data sets.",
        r"\chi^2 = \frac{(k - 1)\sum_j \bigl(S_j - N(k + 1)/2\bigr)^2}"
        r"{\sum_{ij} r_{ij}^2 - N k (k + 1)^2/4},\quad k - 1\ \text{df}",
        "independent data sets; rough below about ten",
    ),
    "iman_davenport": Use(
        "As Friedman's test, which it sharpens; it decides here.",
        r"F = \frac{(N - 1)\,\chi^2}{N(k - 1) - \chi^2},\quad \bigl(k - 1, (k -"
        r" 1)(N - 1)\bigr)\ \text{df}",
        "independent data sets",
    ),
    "post_hoc_z": Use(
        "All pairs, or all against one, after Friedman's test.",
        r"z = \frac{R_i - R_l}{\sqrt{k(k + 1)/(6N)}}",
        "enough data sets for the normal approximation; corrected over the family",
    ),
    "nemenyi": Use(
        "All pairs against one critical difference; others find more.",
        r"\mathrm{CD} = \frac{q_\alpha}{\sqrt2}\sqrt{\frac{k(k + 1)}{6N}}",
        "as the z of average ranks; it needs no further correction",
    ),
    "friedman_aligned": Use(
        "Few data sets whose differences are comparable in size.",
        r"T = \frac{(k - 1)\bigl(\sum_j \hat R_{\cdot j}^2 - k N^2 (kN + 1)^2/4\bigr)}"
        r"{kN(kN + 1)(2kN + 1)/6 - \tfrac1k \sum_i \hat R_{i\cdot}^2}",
        "differences of one scale on all data sets",
    ),
    "quade": Use(
        "Data sets with a wide range of results should count more.",
        r"F = \frac{(N - 1)\,\tfrac1N\sum_j S_j^2}{\sum_{ij} S_{ij}^2 - \tfrac1N\sum_j S_j^2},"
        r"\quad S_{ij} = Q_i\Bigl(r_{ij} - \tfrac{k + 1}{2}\Bigr)",
        "ranges of one scale on all data sets",
    ),
    "kendall_w": Use(
        "Effect size of Friedman's test.", r"W = \frac{\chi^2}{N(k - 1)}, \quad 0 \le W \le 1"
    ),
    "exact_friedman": Use(
        "Few data sets and algorithms, where the approximation is rough.",
        r"p = P(\chi^2 \ge \chi^2_{\text{seen}} \mid \text{every order of a row equally likely})",
        "independent data sets",
    ),
    "skillings_mack": Use(
        "A table with holes that are not failures.",
        r"A_j = \sum_i \sqrt{\tfrac{12}{k_i + 1}}\Bigl(r_{ij} - \tfrac{k_i + 1}{2}\Bigr),"
        r"\qquad T = A^{\mathsf T} \Sigma^{-} A",
        "independent data sets; holes that do not depend on the results",
    ),
    "set_wins": Use(
        "To count on how many data sets one is better.",
        r"p_{ij} = \min\Bigl\{1,\ 2\,P\bigl(\mathrm{Bin}(N, \tfrac12) \ge"
        r" \max(w_{ij}, w_{ji})\bigr)\Bigr\}",
        "independent data sets; ties split evenly",
    ),
    "correlated_t": Use(
        "Folds, and a region of differences too small to matter.",
        r"\mu \mid d \sim t_{J - 1}\!\left(\bar d,\ \Bigl(\tfrac1J + \tfrac{f}{1"
        r" - f}\Bigr)s^2\right)",
        "normal differences, any two of which correlate by f",
    ),
    "contrast_estimation": Use(
        "How far apart, in units of the measure.",
        r"\hat\Delta_{ij} = m_i - m_j,\quad m_i = \frac1k\sum_l"
        r" \operatorname{median}_d(x_{di} - x_{dl})",
    ),
    "wilcoxon": Use(
        "Two algorithms over data sets, or over folds that do not overlap.",
        r"W_+ = \sum_{d_i > 0} \operatorname{rank}|d_i|,\qquad W_- = \sum_{d_i <"
        r" 0} \operatorname{rank}|d_i|",
        "symmetric, independent differences that can be compared in size",
    ),
    "sign_test": Use(
        "Two algorithms where only who is better counts.",
        r"p = \min\Bigl\{1,\ 2\,P\bigl(\mathrm{Bin}(n, \tfrac12) \ge \max(w, l)\bigr)\Bigr\}",
        "independent data sets",
    ),
    "cliques": Use(
        "To draw what is not separated.",
        r"\text{maximal } G:\quad \tilde p_{ij} > \alpha\ \text{ for all } i, j \in G",
    ),
    # corrections
    "adjust_pairs": Use(
        "All pairs of three or more algorithms. Bergmann-Hommel finds most.",
        r"\begin{gathered}"
        r"\tilde p_{(i)} = \max_{j \le i}\ \min\{1,\ (m - j + 1)\,p_{(j)}\}\ \text{(Holm)}\\"
        r"\tilde p_{il} = \max_{I \ni (i, l)} \min\{1,\ |I| \min_{I} p\}\ \text{(Bergmann-Hommel)}"
        r"\end{gathered}",
        "Hochberg and Hommel: tests that are independent or positively dependent",
    ),
    "adjust_control": Use(
        "One algorithm, chosen beforehand, against all others.",
        r"\begin{gathered}"
        r"\tilde p_{(i)} = \max_{j \le i}\ \min\{1,\ (k - j)\,p_{(j)}\}\ \text{(Holm)}\\"
        r"\tilde p_{(i)} = \max_{j \le i}\ 1 - (1 - p_{(j)})^{(k - 1)/j}\ \text{(Finner)}"
        r"\end{gathered}",
        "all but Bonferroni-Dunn and Holm: comparisons that are not opposed",
    ),
    # curves and thresholds
    "roc_auc": Use(
        "How well scores rank cases, whatever the threshold.",
        r"A = \frac{1}{n_+ n_-}\sum_{i \in +}\sum_{j \in -}"
        r"\left(\mathbb 1[s_i > s_j] + \tfrac12\,\mathbb 1[s_i = s_j]\right)",
    ),
    "pr_auc": Use(
        "Rare positives, where what matters is how pure the calls are.",
        r"\mathrm{AP} = \sum_i (R_i - R_{i - 1})\,P_i",
    ),
    "delong": Use(
        "Two trained classifiers on one test set.",
        r"z = \frac{A_1 - A_2}{\sqrt{L\,S\,L^{\mathsf T}}},\qquad L = (1, -1)",
        "independent cases; training is not seen",
    ),
    "auc_interval": Use(
        "One area from one test set; below the variance of Hanley and McNeil.",
        r"\operatorname{var} A = \frac{A(1 - A) + (n_+ - 1)(Q_1 - A^2) + (n_- -"
        r" 1)(Q_2 - A^2)}{n_+ n_-}",
        "independent cases; training is not seen",
    ),
    "auc_sample_size": Use(
        "Before data are collected: how many cases of each class.",
        r"n = \left(\frac{z_{\alpha/2}\sqrt{2 V_1} + z_\beta\sqrt{V_1 + V_2}}{\delta}\right)^2",
        "two separate samples",
    ),
    "loss_ratio": Use(
        "A false positive costs something else than a false negative.",
        r"\lambda = \frac{\theta}{1 - \theta},\qquad R = \theta\,fp + (1 - \theta)\,fn",
        "scores that are probabilities",
    ),
    "cost_envelope": Use(
        "Class shares and losses are not known yet.",
        r"\mathrm{NEC} = \mathrm{fnr}\cdot PC + \mathrm{fpr}\,(1 - PC)",
    ),
    "confusion_measures": Use(
        "Results given as counts.",
        r"\text{precision} = \frac{tp}{tp + fp},\quad \text{recall} = \frac{tp}{tp + fn},\quad"
        r" F = \frac{2\,tp}{2\,tp + fp + fn}",
    ),
    # orders with cost
    "multitest": Use(
        "One order of the algorithms of one data set, cost breaking ties.",
        r"i \to j \iff \tilde p_{ij} \le \alpha,\quad H_1:\ j \text{ errs less"
        r" than the cheaper } i",
        "a cost known beforehand; the test of the pair",
    ),
    "multi2test": Use(
        "One order over many data sets.",
        r"\bar c_i = \frac1N\sum_{d=1}^{N}\frac{c_{di}}{\max_l c_{dl}}",
        "independent data sets",
    ),
}
