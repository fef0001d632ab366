"""Which test on the cases of one test set, and why."""

from stats_core.comparison.advice import Advice
from stats_core.comparison.cards.card import card, reference_of
from stats_core.comparison.on_cases import WAYS, way_of
from stats_core.core.words import count
from stats_core.data.case_table import CaseTable

_WHY = {
    "mcnemar": "Both of a pair classified the same cases, so the cases on which they disagree tell.",
    "delong": "Both of a pair scored the same cases: what each case adds to both areas tells how "
    "much their difference varies.",
    "swaps": "If the two were equal, it would not matter which of them said what of a case: the "
    "answers to some cases are swapped, in every way or in many, and the difference is looked at "
    "anew.",
    "clusters": "Cases of one cluster are not independent, so their answers are swapped together.",
    "areas of clusters": "Cases of one cluster are not independent, so what they add to the area "
    "is summed up first.",
    "two-way": "New cases and new trainings would both give other numbers, so the variance over "
    "both is counted.",
    "two-way by clusters": "New clusters of cases and new trainings would both give other numbers, "
    "so the variance over both is counted.",
}


def advise_on_cases(table: CaseTable, measure: str, k: int) -> Advice:
    """Return the recommendation for the cases of one test set.

    Parameters
    ----------
    table : CaseTable
    measure : str
    k : int
        How many are compared.
    """
    key, trainings = way_of(table, measure), len(table.trainings)
    way, pairs = WAYS[key], k * (k - 1) // 2
    found = card(way.card)
    first = ("Cochran's Q" if way.first == "cochran_q" else "DeLong's test of all areas") + ", "
    test = f"{first if way.first else ''}{'then ' if way.first else ''}{found.name}"
    because: tuple[str, ...] = (
        f"There is one test set of {count(len(table.cases), 'case')}, each case is named, and "
        + (
            "each algorithm gave it one result."
            if trainings == 1
            else f"each algorithm was trained {trainings} times."
        ),
        _WHY[key],
    )
    if k > 2:
        because += (f"{k} algorithms: {pairs} pairs share one family.",)
    independent = (
        f"Clusters are independent; there are {table.n_clusters}. Cases within one need not be."
        if way.unit == "cluster"
        else "Cases are independent, and drawn as those are on which the models will be used."
    )
    return Advice(
        question=_question(measure, trainings),
        test=f"{test}{' for each pair, adjusted' if k > 2 else ''}" if k > 2 else found.name,
        because=because,
        assumes=(independent, *(found.assumes if way.card != "delong" else ())),
        alternatives=_instead(trainings),
        not_allowed=(
            *(
                (("Any test on folds", "Needs the result of every fold."),)
                if trainings == 1
                else ()
            ),
            ("Friedman or Wilcoxon over data sets", "They speak of two or more data sets."),
        ),
        reference=reference_of(*((way.first,) if way.first and k > 2 else ()), way.card),
    )


def _question(measure: str, trainings: int) -> str:
    if trainings > 1:
        return f"Which algorithm has the better {measure} on other cases, trained anew?"
    if measure in ("error", "accuracy"):
        return "Which of these trained models errs less on this population of cases?"
    return f"Which of these trained models has the better {measure} on this population of cases?"


def _instead(trainings: int) -> tuple[tuple[str, str], ...]:
    if trainings > 1:
        return (
            (
                "A test over trainings alone",
                "Speaks of this test set only: it takes its cases for the whole population.",
            ),
            ("k-fold cross-validation", "Other cases are tested by each training."),
        )
    return (("k-fold cross-validation", "Speaks of the algorithms: training varies there."),)
