"""Steps of an analysis (its tests in order), compared with those of two published papers."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from functools import singledispatch
from itertools import product

import pandas as pd

from stats_core.comparison.analyse import analyse
from stats_core.comparison.cards import method_card
from stats_core.comparison.kinds import published_summaries
from stats_core.comparison.kinds.benchmarks import BenchmarksComparison
from stats_core.comparison.kinds.control import ControlComparison
from stats_core.comparison.kinds.datasets import RanksComparison, TwoComparison
from stats_core.comparison.kinds.fold_comparisons import FoldsComparison
from stats_core.comparison.kinds.fold_pair import FoldPairComparison, OnFolds
from stats_core.comparison.kinds.incomplete_datasets import PresentComparison
from stats_core.comparison.kinds.instances import CasesComparison, TrainingsComparison
from stats_core.comparison.kinds.measure_vectors import (
    OnMeasures,
    PairOnMeasures,
    SeveralOnMeasures,
)
from stats_core.comparison.kinds.wins import WinsComparison
from stats_core.comparison.plan import PlannedTest, Role
from stats_core.comparison.result import Comparison
from stats_core.core.errors import DesignError
from stats_core.core.formatting import format_count, measure_name
from stats_core.core.messages import fill_in, message, read_texts
from stats_core.core.validation import given_or_new
from stats_core.curves.threshold_sweep import DESCRIPTIVE, THETAS
from stats_core.data.results import Results
from stats_core.data.settings import TUKEY, Settings
from stats_core.inference import inference_text
from stats_core.inference.anova import TukeyResult
from stats_core.inference.fold_pairs import resampling_unit
from stats_core.inference.methods import PAIR_TESTS
from stats_core.inference.multiplicity import adjust
from stats_core.inference.paired import overlap_factor
from stats_core.report import advice, effect_text, plan_text


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One step of an analysis.

    Attributes
    ----------
    question : str
        Heading of the step.
    test : str
        The test, or the procedure if nothing is tested.
    why : str
        Reason for this test, in one sentence.
    reference : str
        Publication with the reason.
    papers : str
        The test that published papers use, "" if it is the same.
    fails : str
        Assumptions that fail here, and their treatment; "" if none is known to fail.
    advised : bool
        Whether it is one of the tests that `Advice.test` names.
    """

    question: str
    test: str
    why: str
    reference: str
    papers: str = ""
    fails: str = ""
    advised: bool = False


_TEXTS = read_texts("report/analysis_steps.toml")
_PAPERS = {
    "demsar": method_card.cite("demsar2006"),
    "irsoy": method_card.cite("irsoy2012"),
    "thesis": method_card.cite("aslan2009"),
    "multivariate": method_card.cite("yildiz2011"),
    "dietterich": method_card.cite("dietterich1998"),
    "rencher": method_card.cite("rencher2002"),
    "garcia": method_card.cite("garcia2008"),
}


def _step(
    key: str,
    comparison: Comparison | None = None,
    variant: str = "other",
    *,
    fails: Iterable[object] = (),
    planned: PlannedTest | None = None,
    **values: object,
) -> Step:
    """Return a step with its texts from `analysis_steps.toml`, and those of the planned test if it is one."""
    texts = dict(_TEXTS[key])
    advised = texts.pop("advised", False) or (planned is not None and planned.decides)
    if planned is not None and comparison is not None:
        values |= _texts_of_test(planned, comparison)
        fails = [*plan_text.failed_texts(planned), *fails]
    values |= {"c": comparison, **_PAPERS}
    if comparison is not None:
        values |= {"advice": advice.advice_on(comparison), "tests": comparison.test_name}
    if "card" in texts:
        values["card"] = method_card.method_card(texts.pop("card").format(**values))
    templates = {
        name: text if isinstance(text, str) else text.get(variant, text.get("other", ""))
        for name, text in texts.items()
    }
    filled = {name: text.format(**values) for name, text in templates.items()}
    failed = (filled.pop("fails", ""), *fails)
    return Step(
        **filled, fails=" ".join(str(reason) for reason in failed if reason), advised=advised
    )


def _texts_of_test(planned: PlannedTest, c: Comparison) -> dict[str, str]:
    """Return the texts on a planned test that steps insert."""
    reasons = plan_text.reason_text(planned, c), plan_text.adjusted_text(planned)
    return {
        "test": plan_text.test_text(planned, c),
        "reason": " ".join(filter(None, reasons)),
        "card_text": plan_text.card_text(planned),
        "cites": plan_text.reference_text(planned),
    }


def describe_steps(comparison: Comparison) -> list[Step]:
    """Return the steps of an analysis, with reasons and the papers' choices; NotImplementedError for unknown kinds."""
    steps = _steps_of(comparison)
    if comparison.obstacle == "identical":
        return [steps[0], _step("identical", comparison)]
    return steps


@singledispatch
def _steps_of(comparison: Comparison) -> list[Step]:
    """Return the steps of an analysis whose tests are possible."""
    raise NotImplementedError(type(comparison).__name__)


@_steps_of.register
def _ranks_steps(c: RanksComparison) -> list[Step]:
    """Return the analysis steps for algorithms over data sets (scenario 4, Irsoy et al.)."""
    variant = c.settings.correction
    return [_step("average", c), *_tests_on_datasets(c, "ranks", "pairs by ranks", variant)]


def _tests_on_datasets(c: Comparison, first: str, then: str, variant: str = "other") -> list[Step]:
    """Return the steps of omnibus test, pairwise tests and, without a control, groups."""
    impossible = effect_text.no_difference_possible(c)
    steps = {Role.OMNIBUS: (first, "other", []), Role.PAIRWISE: (then, variant, [impossible])}
    tests = [
        _step(key, c, form, fails=fails, planned=planned)
        for planned in c.plan
        for key, form, fails in [steps[planned.role]]
    ]
    return [*tests, *([] if c.shape.control else [_step("groups")])]


@_steps_of.register
def _present_steps(c: PresentComparison) -> list[Step]:
    """Return the analysis steps for several algorithms with missing results."""
    return [_step("average", c), *_tests_on_datasets(c, "incomplete ranks", "shared pairs")]


@_steps_of.register
def _control_steps(c: ControlComparison) -> list[Step]:
    """Return the analysis steps for comparisons with a control over data sets."""
    return [_step("average", c), *_tests_on_datasets(c, "ranks", "control")]


@_steps_of.register
def _two_steps(c: TwoComparison) -> list[Step]:
    """Return the analysis steps for two algorithms over data sets."""
    impossible = effect_text.no_difference_possible(c)
    tests = [_step("two algorithms", c, fails=[impossible], planned=planned) for planned in c.plan]
    return [_step("average", c), *tests]


@_steps_of.register
def _fold_pair_steps(c: FoldPairComparison) -> list[Step]:
    """Return the analysis steps for two algorithms on one data set (thesis, case 1)."""
    refused = "" if c.chosen.outcome is not None else c.chosen.reason
    papers = "corrected" if PAIR_TESTS[c.test].corrects_overlap else c.test
    fails = [refused, effect_text.no_difference_possible(c)]
    return [
        _fold_result(c),
        _step("fold pair", c, papers, fails=fails, planned=c.tests_of_design.pairwise),
    ]


def _fold_result(c: OnFolds) -> Step:
    """Return the step that describes how results were obtained by resampling."""
    return _step("fold", c, c.design, fails=c.design_notes())


@_steps_of.register
def _folds_steps(c: FoldsComparison) -> list[Step]:
    """Return the analysis steps for several algorithms on one data set (thesis, case 2)."""
    steps, omnibus = [_fold_result(c)], c.tests_of_design.omnibus
    if omnibus is not None:
        steps.append(_step(omnibus.card, c, planned=omnibus))
    return [*steps, _fold_pairs_step(c), _step("groups")]


def _fold_pairs_step(c: FoldsComparison) -> Step:
    """Return the step of pairwise tests on folds."""
    planned = c.tests_of_design.pairwise
    if planned.method is None:
        corrected = variance_factor(c) != 1
        source = method_card.reference_of(TUKEY, *(["overlap_factor"] if corrected else []))
        variant = "corrected" if corrected else "plain"
        return _step(TUKEY, c, variant, source=source, planned=planned)
    fallback = adjust.fallback_message(
        c.settings.correction, len(c.order), source=c.test, used=c.correction
    )
    variant = "other" if c.tests_of_design.omnibus is None else "after_anova"
    fails = [fallback, effect_text.no_difference_possible(c)]
    return _step("fold pairs", c, variant, fails=fails, planned=planned)


def variance_factor(c: FoldsComparison) -> float:
    """Return the variance inflation factor for overlapping training sets; 1 if the test does not correct for it."""
    if isinstance(c.raw, TukeyResult):
        return c.raw.factor
    corrected = c.method is not None and c.method.corrects_overlap
    return overlap_factor(c.n_folds, c.test_fraction) if corrected else 1.0


def _vector(
    c: OnMeasures | WinsComparison, unit: str, design: str, fails: Iterable[object] = ()
) -> Step:
    """Return the step stating that each resampling unit gives one vector of measures."""
    return _step(
        "vector",
        fails=fails,
        measures=", ".join(map(measure_name, c.measures)),
        unit=unit,
        design=design,
    )


def _tests_on_vectors(c: OnMeasures | WinsComparison) -> list[Step]:
    """Return the steps of MANOVA, of the Hotelling tests and of those of expected cost."""
    steps = []
    for planned in c.plan:
        match planned.label:
            case "manova":
                variant = "gate" if planned.role is Role.WIN else "reported"
                steps.append(_step("manova", c, variant, planned=planned))
            case "hotelling":
                key = "two vectors" if planned.correction is None else "pairs of vectors"
                steps.append(_step(key, c, planned=planned))
            case "t_of_cost":
                steps.append(_step("wins by risk", c, "risk", planned=planned))
            case _:  # described with the results, or after these tests
                continue
    return steps


def _of_each_measure(c: OnMeasures) -> Step:
    """Return the step of the tests of each measure alone."""
    additional = ", ".join(planned.name for planned in c.plan if not planned.decides)
    return _step("each measure", additional=additional)


def _on_vectors(c: OnMeasures) -> list[object]:
    """Return the doubts about measures and design, without those that fail a test."""
    in_plan = [failed.note for planned in c.plan for failed in planned.failed]
    return [note for note in c.doubts() if note not in in_plan]


@_steps_of.register
def _several_measures_steps(c: SeveralOnMeasures) -> list[Step]:
    """Return the analysis steps for several measures on one data set (thesis, case 3)."""
    vector = _vector(c, c.unit, c.design_label, _on_vectors(c))
    return [vector, *_tests_on_vectors(c), _step("groups"), _of_each_measure(c)]


@_steps_of.register
def _measure_pair_steps(c: PairOnMeasures) -> list[Step]:
    """Return the analysis steps for two algorithms on several measures."""
    vector = _vector(c, c.unit, c.design_label, _on_vectors(c))
    return [vector, *_tests_on_vectors(c), _of_each_measure(c)]


@_steps_of.register
def _wins_steps(c: WinsComparison) -> list[Step]:
    """Return the analysis steps for measures (thesis, case 5) or thresholds (case 6)."""
    thresholds = [_step("thresholds", thetas=THETAS)] if c.sweeps else []
    by_cost = [_step("lower cost", c)] if c.settings.win == "thesis" else []
    return [
        _vector(c, resampling_unit(c.results.design), c.results.design_label),
        *thresholds,
        *_tests_on_vectors(c),
        *by_cost,
        *(
            _sign_step(c, planned)
            for planned in c.plan
            if planned.card in ("sign_test", "set_wins")
        ),
    ]


def _sign_step(c: WinsComparison, planned: PlannedTest) -> Step:
    """Return the step of a sign test, across thresholds or over data sets."""
    if planned.role is Role.WIN:
        return _step("wins of thresholds", c, fails=[DESCRIPTIVE], planned=planned)
    impossible = effect_text.no_difference_possible(c)
    variant = planned.correction or "bonferroni"
    return _step("data set wins", c, variant, fails=[impossible], planned=planned)


@_steps_of.register
def _cases_steps(c: CasesComparison) -> list[Step]:
    """Return the analysis steps for models on one test set."""
    trained = [message("trained models")]
    cases = format_count(c.n_cases, "instance")
    return [_step("case", c, fails=trained, cases=cases, reason=_reason(c)), *_tests_of_models(c)]


def _reason(c: Comparison) -> str:
    """Return the reason for the pairwise test."""
    return plan_text.reason_text(c.tests_of_design.pairwise, c)


def _tests_of_models(c: Comparison) -> list[Step]:
    """Return the steps of the tests on instances, and of the groups if there are some."""
    keys = {Role.OMNIBUS: "trained models", Role.PAIRWISE: "models"}
    grouping = [_step("groups")] if c.groups and len(c.order) > 2 else []
    return [*(_step(keys[test.role], c, planned=test) for test in c.plan), *grouping]


@_steps_of.register
def _trainings_steps(c: TrainingsComparison) -> list[Step]:
    """Return the analysis steps for several runs."""
    cases = format_count(c.n_cases, "instance")
    trainings = format_count(c.n_trainings, "run")
    unit = _step("case and training", c, cases=cases, trainings=trainings, reason=_reason(c))
    return [unit, *_tests_of_models(c)]


@_steps_of.register
def _benchmarks_steps(c: BenchmarksComparison) -> list[Step]:
    """Return the analysis steps for models on several benchmarks."""
    few = [message("these benchmarks", n=len(c.parts))]
    unit = _step("benchmark", c, fails=few, counted=c.counted, reason=_reason(c))
    grouping = [_step("groups")] if c.groups and len(c.order) > 2 else []
    additional = " and ".join(test.name for test in c.plan if not test.decides)
    tests = [_step("over instances", c, planned=test) for test in c.plan if test.decides]
    return [unit, *tests, _step("mean of benchmarks", additional=additional), *grouping]


@_steps_of.register
def _untested_steps(c: published_summaries.UntestedComparison) -> list[Step]:
    """Return the step that explains why there is no test."""
    return [_step("untested", c)]


@_steps_of.register
def _published_ranks_steps(c: published_summaries.PublishedRanks) -> list[Step]:
    """Return the analysis steps for published average ranks."""
    origin = _step("published rank", fails=[c.published.lacks])
    return [origin, *_tests_on_datasets(c, "ranks", "pairs by ranks", "published")]


@_steps_of.register
def _published_decisions_steps(c: published_summaries.PublishedDecisions) -> list[Step]:
    """Return the analysis steps for published decisions."""
    decisions, grouping = _step("published decisions", fails=[c.published.lacks]), _step("groups")
    if c.ordering is None:
        return [decisions, replace(grouping, test=_TEXTS["phrases"]["given_groups"], advised=True)]
    rule = inference_text("order.rule", first=_TEXTS["phrases"]["given_order"], later="later")
    return [
        decisions,
        grouping,
        _step("order", reason=method_card.method_card("multitest").why or rule),
    ]


@_steps_of.register
def _published_wins_steps(c: published_summaries.PublishedWins) -> list[Step]:
    """Return the analysis steps for published counts of wins."""
    impossible = effect_text.no_difference_possible(c)
    origin = _step("published win", fails=[c.published.lacks])
    signs = [_step("published wins", c, fails=[impossible], planned=test) for test in c.plan]
    return [origin, *signs, *([_step("groups")] if len(c.wins) > 2 else [])]


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One experimental design with the tests that two papers use for it.

    Attributes
    ----------
    multivariate, several, many, thresholds : bool
        Whether there are several measures, tested together; more than two algorithms; several data
        sets; several thresholds.
    scenario, case : str
        Scenario of Irsoy et al. and case of Aslan's thesis, with the tests they use; "" if none.
    """

    multivariate: bool
    several: bool
    many: bool
    thresholds: bool
    scenario: str
    case: str


def map_of_cases() -> tuple[Cell, ...]:
    """Return all designs with the papers' scenarios and cases.

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
        for many, several in product((False, True), repeat=2):
            case = _TEXTS["cases"].get(_several(multivariate, several, many, thresholds))
            scenario = None if multivariate else _TEXTS["scenarios"][_several(False, several, many)]
            cells.append(
                Cell(
                    multivariate=multivariate,
                    several=several,
                    many=many,
                    thresholds=thresholds,
                    scenario="Scenario {number}: {tests}".format(**scenario) if scenario else "",
                    case="Case {number}: {tests}".format(**case) if case else "",
                )
            )
    return tuple(cells)


def _several(measures: bool, algorithms: bool, datasets: bool, thresholds: bool = False) -> str:
    """Return the key of a design in the tables of scenarios and cases."""
    flags = {
        "measures": measures,
        "algorithms": algorithms,
        "data sets": datasets,
        "thresholds": thresholds,
    }
    return ", ".join(name for name, is_so in flags.items() if is_so)


@dataclass(frozen=True, slots=True, kw_only=True)
class Chain:
    """Steps of one analysis, with the steps that two papers recommend.

    Attributes
    ----------
    scenario : str
        Scenario of Irsoy et al., and the tests they use for it; "" if nothing is tested.
    case : str
        Case of Aslan's thesis, and the tests used for it, or that the thesis has none; "" if nothing
        is tested.
    steps : tuple of Step
        The analysis steps, in order.
    advised : str
        The recommendation, as `Advice.test`; "" if nothing is tested.
    """

    scenario: str
    case: str
    steps: tuple[Step, ...]
    advised: str

    @property
    def test(self) -> str:
        """Tests that are run: the recommended ones (`advised`), unless the settings choose others."""
        return ", then ".join(step.test for step in self.steps if step.advised)

    def to_frame(self) -> pd.DataFrame:
        """Return one row per step, without `advised`."""
        table = pd.DataFrame([asdict(step) for step in self.steps])
        return table.drop(columns="advised")


def chain(results: Results, settings: Settings | None = None, *, thresholds: bool = False) -> Chain:
    """Return the analysis steps for given results and settings; DesignError for one algorithm.

    References
    ----------
    Irsoy, Yildiz and Alpaydin, IEEE/ACM TCBB 9 (2012), Table II; Aslan's thesis 2009, Figure 7.1.

    Examples
    --------
    >>> import pandas as pd
    >>> from stats_core import Results
    >>> rows = [(d, a, ord(d) + ord(a) % 3) for d in "wxyz" for a in "abc"]
    >>> table = pd.DataFrame(rows, columns=["dataset", "algorithm", "error"])
    >>> found = chain(Results.from_frame(table.assign(fold=1)))
    >>> found.test
    'Iman-Davenport test, then pairwise tests of average ranks with Bergmann-Hommel adjustment'
    >>> found.scenario.split(":")[0]
    'scenario 4'
    """
    requested = given_or_new(settings, Settings, "settings")
    return chain_of(
        analyse(results, replace(requested, thresholds=thresholds or requested.thresholds))
    )


def chain_of(comparison: Comparison) -> Chain:
    """Return the analysis steps of a comparison; DesignError for one algorithm."""
    results = comparison.results
    k, several_datasets = len(results.algorithms), results.n_datasets > 1
    if k < 2:
        raise DesignError(fill_in(_TEXTS["phrases"]["needs_two"], {"k": k}))
    if comparison.obstacle == "identical":
        return Chain(scenario="", case="", steps=tuple(describe_steps(comparison)), advised="")
    several_measures, thresholds = len(comparison.together) > 1, comparison.settings.thresholds
    return Chain(
        scenario=_scenario(k > 2, several_datasets),
        case=_case(several_measures, k > 2, several_datasets, thresholds),
        steps=(*describe_steps(comparison), *_order(results, k, several_datasets)),
        advised=advice.advice_on(comparison).test,
    )


def _order(results: Results, k: int, several_datasets: bool) -> list[Step]:
    """Return the step that orders algorithms by cost; [] without costs."""
    if not results.costs:
        return []
    variant = ("several" if k > 2 else "many") if several_datasets else "one"
    return [_step("order by cost", None, variant)]


def _scenario(several_algorithms: bool, several_datasets: bool) -> str:
    scenario = _TEXTS["scenarios"][_several(False, several_algorithms, several_datasets)]
    return "scenario {number}: {design} ({irsoy}, Table II: {tests})".format(**scenario, **_PAPERS)


def _case(
    multivariate: bool, several_algorithms: bool, several_datasets: bool, thresholds: bool
) -> str:
    """Return the case of Aslan's thesis with its design and tests, or that the thesis has none for this design."""
    source = f"{_PAPERS['thesis']}, Figure 7.1"
    if case := _TEXTS["cases"].get(
        _several(multivariate, several_algorithms, several_datasets, thresholds)
    ):
        return "case {number}: {design} ({source}: {tests})".format(**case, source=source)
    parts = (
        "multivariate" if multivariate else "univariate",
        "several classifiers" if several_algorithms else "two classifiers",
        "several data sets" if several_datasets else "one data set",
        *(["different thresholds"] if thresholds else []),
    )
    return _TEXTS["phrases"]["no_case"].format(design=", ".join(parts), source=source)
