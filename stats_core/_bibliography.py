"""The papers and books behind the methods, as data."""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Reference:
    """One publication.

    Attributes
    ----------
    kind : str
        BibTeX's type of entry.
    authors : tuple of str
        "Last, First", in the order of the paper.
    title : str
        With braces around capitals that stay.
    year : int
        Of publication.
    fields : dict of str to str
        Journal, volume, pages and so on, by their names in BibTeX.
    """

    kind: str
    authors: tuple[str, ...]
    title: str
    year: int
    fields: dict[str, str] = field(default_factory=dict)


def _article(authors: str, title: str, year: int, journal: str, **fields: str) -> Reference:
    return Reference("article", _people(authors), title, year, {"journal": journal, **fields})


def _other(kind: str, authors: str, title: str, year: int, **fields: str) -> Reference:
    return Reference(kind, _people(authors), title, year, fields)


def _people(authors: str) -> tuple[str, ...]:
    return tuple(authors.split("; "))


_JMLR = "Journal of Machine Learning Research"
_JASA = "Journal of the American Statistical Association"
_NEURAL = "Neural Computation"
_ANNALS = "The Annals of Mathematical Statistics"

# key -> publication; a field that is not certain is left out
REFERENCES: dict[str, Reference] = {
    "alpaydin1999": _article(
        "Alpaydın, Ethem",
        "Combined 5 × 2 cv {F} Test for Comparing Supervised Classification Learning Algorithms",
        1999,
        _NEURAL,
        volume="11",
        number="8",
        pages="1885--1892",
    ),
    "aslan2009": _other(
        "mastersthesis",
        "Aslan, Özlem",
        "Statistical Comparison of Classifiers Using Receiver Operating Characteristics Information",
        2009,
        school="Boğaziçi University",
    ),
    "bergmann1988": _other(
        "incollection",
        "Bergmann, Beate; Hommel, Gerhard",
        "Improvements of General Multiple Test Procedures for Redundant Systems of Hypotheses",
        1988,
        booktitle="Multiple Hypotheses Testing",
        editor="Bauer, Peter and Hommel, Gerhard and Sonnemann, Eckart",
        pages="100--115",
        publisher="Springer",
    ),
    "bouckaert2004": _other(
        "inproceedings",
        "Bouckaert, Remco R.; Frank, Eibe",
        "Evaluating the Replicability of Significance Tests for Comparing Learning Algorithms",
        2004,
        booktitle="Advances in Knowledge Discovery and Data Mining, {PAKDD} 2004",
        pages="3--12",
        publisher="Springer",
    ),
    "cochran1950": _article(
        "Cochran, William G.",
        "The Comparison of Percentages in Matched Samples",
        1950,
        "Biometrika",
        volume="37",
        pages="256--266",
    ),
    "conover1999": _other(
        "book",
        "Conover, William J.",
        "Practical Nonparametric Statistics",
        1999,
        edition="Third",
        publisher="Wiley",
    ),
    "delong1988": _article(
        "DeLong, Elizabeth R.; DeLong, David M.; Clarke-Pearson, Daniel L.",
        "Comparing the Areas under Two or More Correlated Receiver Operating Characteristic Curves: "
        "A Nonparametric Approach",
        1988,
        "Biometrics",
        volume="44",
        number="3",
        pages="837--845",
    ),
    "demsar2006": _article(
        "Demšar, Janez",
        "Statistical Comparisons of Classifiers over Multiple Data Sets",
        2006,
        _JMLR,
        volume="7",
        pages="1--30",
    ),
    "dietterich1998": _article(
        "Dietterich, Thomas G.",
        "Approximate Statistical Tests for Comparing Supervised Classification Learning Algorithms",
        1998,
        _NEURAL,
        volume="10",
        number="7",
        pages="1895--1923",
    ),
    "dunn1961": _article(
        "Dunn, Olive Jean",
        "Multiple Comparisons Among Means",
        1961,
        _JASA,
        volume="56",
        number="293",
        pages="52--64",
    ),
    "finner1993": _article(
        "Finner, Helmut",
        "On a Monotonicity Problem in Step-Down Multiple Test Procedures",
        1993,
        _JASA,
        volume="88",
        number="423",
        pages="920--923",
    ),
    "fisher1935": _other(
        "book",
        "Fisher, Ronald A.",
        "The Design of Experiments",
        1935,
        publisher="Oliver and Boyd",
        address="Edinburgh",
    ),
    "friedman1937": _article(
        "Friedman, Milton",
        "The Use of Ranks to Avoid the Assumption of Normality Implicit in the Analysis of Variance",
        1937,
        _JASA,
        volume="32",
        number="200",
        pages="675--701",
    ),
    "garcia2008": _article(
        "García, Salvador; Herrera, Francisco",
        "An Extension on ``{S}tatistical Comparisons of Classifiers over Multiple Data Sets'' for "
        "All Pairwise Comparisons",
        2008,
        _JMLR,
        volume="9",
        pages="2677--2694",
    ),
    "garcia2010": _article(
        "García, Salvador; Fernández, Alberto; Luengo, Julián; Herrera, Francisco",
        "Advanced Nonparametric Tests for Multiple Comparisons in the Design of Experiments in "
        "Computational Intelligence and Data Mining: Experimental Analysis of Power",
        2010,
        "Information Sciences",
        volume="180",
        number="10",
        pages="2044--2064",
    ),
    "hochberg1988": _article(
        "Hochberg, Yosef",
        "A Sharper {B}onferroni Procedure for Multiple Tests of Significance",
        1988,
        "Biometrika",
        volume="75",
        number="4",
        pages="800--802",
    ),
    "hodges1963": _article(
        "Hodges, Joseph L.; Lehmann, Erich L.",
        "Estimates of Location Based on Rank Tests",
        1963,
        _ANNALS,
        volume="34",
        number="2",
        pages="598--611",
    ),
    "hoenig2001": _article(
        "Hoenig, John M.; Heisey, Dennis M.",
        "The Abuse of Power: The Pervasive Fallacy of Power Calculations for Data Analysis",
        2001,
        "The American Statistician",
        volume="55",
        number="1",
        pages="19--24",
    ),
    "holm1979": _article(
        "Holm, Sture",
        "A Simple Sequentially Rejective Multiple Test Procedure",
        1979,
        "Scandinavian Journal of Statistics",
        volume="6",
        number="2",
        pages="65--70",
    ),
    "hommel1988": _article(
        "Hommel, Gerhard",
        "A Stagewise Rejective Multiple Test Procedure Based on a Modified {B}onferroni Test",
        1988,
        "Biometrika",
        volume="75",
        number="2",
        pages="383--386",
    ),
    "hotelling1931": _article(
        "Hotelling, Harold",
        "The Generalization of {S}tudent's Ratio",
        1931,
        _ANNALS,
        volume="2",
        number="3",
        pages="360--378",
    ),
    "iman1980": _article(
        "Iman, Ronald L.; Davenport, James M.",
        "Approximations of the Critical Region of the {F}riedman Statistic",
        1980,
        "Communications in Statistics -- Theory and Methods",
        volume="9",
        number="6",
        pages="571--595",
    ),
    "irsoy2012": _article(
        "İrsoy, Ozan; Yıldız, Olcay Taner; Alpaydın, Ethem",
        "Design and Analysis of Classifier Learning Experiments in Bioinformatics: Survey and Case "
        "Studies",
        2012,
        "IEEE/ACM Transactions on Computational Biology and Bioinformatics",
        volume="9",
        number="6",
        pages="1663--1675",
    ),
    "li2008": _article(
        "Li, Jianjun David",
        "A Two-Step Rejection Procedure for Testing Multiple Hypotheses",
        2008,
        "Journal of Statistical Planning and Inference",
        volume="138",
        number="6",
        pages="1521--1527",
    ),
    "mardia1970": _article(
        "Mardia, Kanti V.",
        "Measures of Multivariate Skewness and Kurtosis with Applications",
        1970,
        "Biometrika",
        volume="57",
        number="3",
        pages="519--530",
    ),
    "mardia1979": _other(
        "book",
        "Mardia, Kanti V.; Kent, John T.; Bibby, John M.",
        "Multivariate Analysis",
        1979,
        publisher="Academic Press",
        address="London",
    ),
    "mcnemar1947": _article(
        "McNemar, Quinn",
        "Note on the Sampling Error of the Difference Between Correlated Proportions or Percentages",
        1947,
        "Psychometrika",
        volume="12",
        number="2",
        pages="153--157",
    ),
    "nadeau2003": _article(
        "Nadeau, Claude; Bengio, Yoshua",
        "Inference for the Generalization Error",
        2003,
        "Machine Learning",
        volume="52",
        number="3",
        pages="239--281",
    ),
    "nemenyi1963": _other(
        "phdthesis",
        "Nemenyi, Peter B.",
        "Distribution-free Multiple Comparisons",
        1963,
        school="Princeton University",
    ),
    "phipson2010": _article(
        "Phipson, Belinda; Smyth, Gordon K.",
        "Permutation P-values Should Never Be Zero: Calculating Exact P-values When Permutations "
        "Are Randomly Drawn",
        2010,
        "Statistical Applications in Genetics and Molecular Biology",
        volume="9",
        number="1",
        note="Article 39",
    ),
    "pratt1959": _article(
        "Pratt, John W.",
        "Remarks on Zeros and Ties in the {W}ilcoxon Signed Rank Procedures",
        1959,
        _JASA,
        volume="54",
        number="287",
        pages="655--667",
    ),
    "rencher2002": _other(
        "book",
        "Rencher, Alvin C.",
        "Methods of Multivariate Analysis",
        2002,
        edition="Second",
        publisher="Wiley",
    ),
    "rom1990": _article(
        "Rom, Dror M.",
        "A Sequentially Rejective Test Procedure Based on a Modified {B}onferroni Inequality",
        1990,
        "Biometrika",
        volume="77",
        number="3",
        pages="663--665",
    ),
    "shaffer1986": _article(
        "Shaffer, Juliet Popper",
        "Modified Sequentially Rejective Multiple Test Procedures",
        1986,
        _JASA,
        volume="81",
        number="395",
        pages="826--831",
    ),
    "tukey1953": _other(
        "unpublished",
        "Tukey, John W.",
        "The Problem of Multiple Comparisons",
        1953,
        note="Manuscript, Princeton University",
    ),
    "ulas2012": _article(
        "Ulaş, Aydın; Yıldız, Olcay Taner; Alpaydın, Ethem",
        "Cost-conscious Comparison of Supervised Learning Algorithms over Multiple Data Sets",
        2012,
        "Pattern Recognition",
        volume="45",
        number="4",
        pages="1772--1781",
    ),
    "wilcoxon1945": _article(
        "Wilcoxon, Frank",
        "Individual Comparisons by Ranking Methods",
        1945,
        "Biometrics Bulletin",
        volume="1",
        number="6",
        pages="80--83",
    ),
    "yildiz2006": _article(
        "Yıldız, Olcay Taner; Alpaydın, Ethem",
        "Ordering and Finding the Best of {$K > 2$} Supervised Learning Algorithms",
        2006,
        "IEEE Transactions on Pattern Analysis and Machine Intelligence",
        volume="28",
        number="3",
        pages="392--402",
    ),
    "yildiz2011": _other(
        "inproceedings",
        "Yıldız, Olcay Taner; Aslan, Özlem; Alpaydın, Ethem",
        "Multivariate Statistical Tests for Comparing Classification Algorithms",
        2011,
        booktitle="Learning and Intelligent Optimization, {LION} 5",
        pages="1--15",
        publisher="Springer",
    ),
}
