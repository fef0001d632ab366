"""What the tests of all pairs decide about two algorithms, beside the test of these two alone."""

from stats_core.comparison.base import Comparison
from stats_core.comparison.claims import claimed
from stats_core.core.words import p_phrase


def among_all(two: Comparison, every: Comparison) -> str:
    r"""Does the test of two algorithms decide otherwise than the tests of all pairs do about them?

    Parameters
    ----------
    two : Comparison
        Of the two alone.
    every : Comparison
        Of all algorithms, on the same results.

    Returns
    -------
    str
        Both decisions are right, each for its own question; this says what the other one is. "" if
        both are the same, or if the two are no pair of the family.

    Examples
    --------
    >>> from stats_core.comparison.analyse import analyse
    >>> from stats_core.data.settings import Settings
    >>> from stats_core.reading.reading import read_results
    >>> rows = "".join(f"set{i},0.9{i},0.8{i},0.7{i}\n" for i in range(5))
    >>> results = read_results(("acc.csv", f"dataset,rf,svm,knn\n{rows}".encode()))
    >>> two = analyse(results, Settings(pair=("rf", "knn")))
    >>> print(among_all(two, analyse(results))[:53])
    Among all 3 algorithms rf and knn are separated (Berg
    """
    first, second = two.order[:2]
    rows = every.tested()
    rows = rows[rows["first"].isin((first, second)) & rows["second"].isin((first, second))]
    if not len(rows):
        return ""
    row = rows.iloc[0]
    if bool(row["separated"]) == bool(claimed(two).apart):
        return ""
    found = p_phrase(row["p adjusted"], every.settings.alpha)
    tests = f"({every.post}, adjusted {found})"
    which = f"Among all {len(every.order)} algorithms {first} and {second} are"
    if row["separated"]:
        return f"{which} separated {tests}; the test here looks at these two alone."
    return (
        f"{which} not separated {tests}; a test of two alone is for a pair named before the "
        "results were seen."
    )
