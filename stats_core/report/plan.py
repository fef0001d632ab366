"""Plan of an analysis: its tests in order, compared with those of two published papers."""

from dataclasses import asdict, dataclass, replace

import pandas as pd

from stats_core.comparison.analyse import analyse
from stats_core.comparison.result import Comparison
from stats_core.core.errors import DesignError
from stats_core.core.formatting import format_count
from stats_core.data.results import Results
from stats_core.data.settings import Settings
from stats_core.report.analysis_steps import IRSOY, THESIS, Step, describe_steps

__all__ = ["Cell", "Chain", "Step", "chain", "chain_of", "map_of_cases"]

# Irsoy, Yildiz and Alpaydin 2012, Table II: (several algorithms, several data sets) -> tests
_SCENARIOS = {
    (False, False): ("1", "two algorithms on one data set", "5x2 cv F test"),
    (True, False): (
        "2",
        "several algorithms on one data set",
        "analysis of variance, then the 5x2 cv F test of pairs",
    ),
    (False, True): ("3", "two algorithms on several data sets", "Wilcoxon's signed-rank test"),
    (True, True): (
        "4",
        "several algorithms on several data sets",
        "Friedman's test, then Nemenyi's",
    ),
}
# Aslan's thesis 2009, Figure 7.1: (multivariate, several algorithms, several data sets, thresholds)
_CASES = {
    (False, False, False, False): (
        "1",
        "univariate, two classifiers, one data set",
        "paired t test",
    ),
    (False, True, False, False): (
        "2",
        "univariate, several classifiers, one data set",
        "blocked analysis of variance, then Tukey's test",
    ),
    (True, True, False, False): (
        "3",
        "multivariate, several classifiers, one data set",
        "blocked MANOVA, then two-sample Hotelling tests with Bonferroni",
    ),
    (False, True, True, False): (
        "4",
        "univariate, several classifiers, several data sets",
        "as case 2 on each data set, then wins by risk and sign tests with Bonferroni",
    ),
    (True, True, True, False): (
        "5",
        "multivariate, several classifiers, several data sets",
        "as case 3 on each data set, then wins by risk and sign tests with Bonferroni",
    ),
    (True, True, True, True): (
        "6",
        "multivariate, several classifiers, several data sets, different thresholds",
        "as case 3 at each threshold, right-tailed sign tests over thresholds, then sign tests "
        "over data sets with Bonferroni",
    ),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One design with the tests that the papers use for it.

    Attributes
    ----------
    multivariate, several, many, thresholds : bool
        Whether several measures count together, more than two algorithms, several data sets and
        many thresholds.
    scenario, case : str
        Which of the four scenarios of Irsoy et al. and of the six cases of Aslan's thesis it is,
        with the tests they use; "" if none.
    """

    multivariate: bool
    several: bool
    many: bool
    thresholds: bool
    scenario: str
    case: str


def map_of_cases() -> tuple[Cell, ...]:
    """Where do the four scenarios and the six cases of the papers lie?

    References
    ----------
    Irsoy, Yildiz and Alpaydin, IEEE/ACM TCBB 9 (2012), Table II; Aslan's thesis 2009, Figure 7.1.

    Examples
    --------
    >>> sum(bool(cell.scenario) for cell in map_of_cases())
    4
    >>> sum(bool(cell.case) for cell in map_of_cases())
    6
    """
    cells = []
    for multivariate, thresholds in ((False, False), (True, False), (True, True)):
        for several_algorithms, several_datasets in _SCENARIOS:
            case = _CASES.get((multivariate, several_algorithms, several_datasets, thresholds))
            scenario = None if multivariate else _SCENARIOS[several_algorithms, several_datasets]
            cells.append(
                Cell(
                    multivariate=multivariate,
                    several=several_algorithms,
                    many=several_datasets,
                    thresholds=thresholds,
                    scenario=f"Scenario {scenario[0]}: {scenario[2]}" if scenario else "",
                    case=f"Case {case[0]}: {case[2]}" if case else "",
                )
            )
    return tuple(cells)


@dataclass(frozen=True, slots=True, kw_only=True)
class Chain:
    """Tests of one analysis, in order.

    Attributes
    ----------
    scenario : str
        Which of the four scenarios of Irsoy et al. this is, and the tests they use there.
    case : str
        Which of the six cases of Aslan's thesis this is, and the tests used there.
    steps : tuple of Step
        The links.
    advised : str
        The recommendation, as `Advice.test`.
    """

    scenario: str
    case: str
    steps: tuple[Step, ...]
    advised: str

    @property
    def test(self) -> str:
        """The tests that are run; equal to `advised` unless the settings choose others."""
        return ", then ".join(step.test for step in self.steps if step.advised)

    def to_frame(self) -> pd.DataFrame:
        """Return one row per step."""
        table = pd.DataFrame([asdict(step) for step in self.steps])
        return table.drop(columns="advised")


def chain(results: Results, settings: Settings | None = None, *, thresholds: bool = False) -> Chain:
    """Which tests answer the question, one after another, and which do the papers take?

    References
    ----------
    Irsoy, Yildiz and Alpaydin, IEEE/ACM TCBB 9 (2012), Table II; Aslan's thesis 2009, Figure 7.1.

    Examples
    --------
    Three algorithms on four data sets:

    >>> import pandas as pd
    >>> from stats_core import Results
    >>> rows = [(d, a, ord(d) + ord(a) % 3) for d in "wxyz" for a in "abc"]
    >>> table = pd.DataFrame(rows, columns=["dataset", "algorithm", "error"])
    >>> found = chain(Results.from_frame(table.assign(fold=1)))
    >>> found.test
    'Iman-Davenport, then Bergmann-Hommel on average ranks'
    >>> found.scenario.split(":")[0]
    'scenario 4'
    """
    requested = settings or Settings()
    return chain_of(
        analyse(results, replace(requested, thresholds=thresholds or requested.thresholds))
    )


def chain_of(comparison: Comparison) -> Chain:
    """Which tests were run, one after another, and which do the papers take?"""
    results = comparison.results
    k, several_datasets = len(results.algorithms), results.n_datasets > 1
    if k < 2:
        raise DesignError(
            f"A chain of tests needs two algorithms. There is {format_count(k, 'algorithm')}. Add another."
        )
    several_measures, thresholds = len(comparison.together) > 1, comparison.settings.thresholds
    return Chain(
        scenario=_scenario(k > 2, several_datasets),
        case=_case(several_measures, k > 2, several_datasets, thresholds),
        steps=(*describe_steps(comparison), *_order(results, k, several_datasets)),
        advised=comparison.advice.test,
    )


def _order(results: Results, k: int, several_datasets: bool) -> list[Step]:
    """Return the step that orders algorithms not separated, if there are costs."""
    if not results.costs:
        return []
    return [
        Step(
            question="Which comes first where tests do not decide?",
            test="Multi2Test" if several_datasets and k > 2 else "MultiTest",
            why="Of algorithms that are not separated the cheaper one goes first.",
            reference="Yildiz and Alpaydin, TPAMI 28 (2006) 392"
            + (
                "; Ulas, Yildiz and Alpaydin, Pattern Recognit. 45 (2012) 1772"
                if several_datasets
                else ""
            ),
        )
    ]


def _scenario(several_algorithms: bool, several_datasets: bool) -> str:
    number, description, tests = _SCENARIOS[several_algorithms, several_datasets]
    return f"scenario {number}: {description} ({IRSOY}, Table II: {tests})"


def _case(
    multivariate: bool, several_algorithms: bool, several_datasets: bool, thresholds: bool
) -> str:
    source = f"{THESIS}, Figure 7.1"
    entry = _CASES.get((multivariate, several_algorithms, several_datasets, thresholds))
    if entry:
        number, description, tests = entry
        return f"case {number}: {description} ({source}: {tests})"
    parts = (
        "multivariate" if multivariate else "univariate",
        "several classifiers" if several_algorithms else "two classifiers",
        "several data sets" if several_datasets else "one data set",
        *(["different thresholds"] if thresholds else []),
    )
    return f"none of the six cases: {', '.join(parts)} ({source})"
