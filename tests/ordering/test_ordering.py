"""Tests of MultiTest and Multi2Test on given decisions: printed examples, identities, invalid input.

Sections and tables are those of Ulas, Yildiz and Alpaydin, Pattern Recognition 45 (2012) 1772.
"""

from itertools import combinations, pairwise

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stats_core.core.errors import DataError, DesignError, SettingError
from stats_core.inference.multiplicity.adjust import adjust_pairs
from stats_core.inference.ranks import friedman, nemenyi, post_hoc_z
from stats_core.ordering.multitest import COST, TEST, multi2test, multitest

EIGHT = "c45 mdt mlp lnp svl sv2 svr 5nn".split()
OPTDIGITS = [  # Table 1 of the paper: the row is significantly more accurate than the column
    "00000000",
    "10000000",
    "11010000",
    "10000000",
    "11110001",
    "11110001",
    "11110001",
    "11010000",
]
BY_TIME = "5nn c45 lnp mlp svr svl sv2 mdt".split()  # Fig. 1, cheapest first


def decisions(names, rows):
    """Return a table of who is better than whom, from rows of 0 and 1."""
    values = np.array([[cell == "1" for cell in row] for row in rows])
    return pd.DataFrame(values, index=list(names), columns=list(names))


def better_by(names, *pairs):
    """Return a table in which the first of each pair is better than the second."""
    table = pd.DataFrame(False, index=list(names), columns=list(names))
    for first, second in pairs:
        table.loc[first, second] = True
    return table


@st.composite
def cases(draw):
    """Draw a prior order and random decisions, at most one per pair, also in favour of the cheaper algorithm."""
    k = draw(st.integers(1, 8))
    prior = draw(st.permutations([f"a{place}" for place in range(k)]))
    said = {pair: draw(st.sampled_from("<> ")) for pair in combinations(prior, 2)}
    pairs = [pair if sign == "<" else pair[::-1] for pair, sign in said.items() if sign != " "]
    return tuple(prior), better_by(sorted(prior), *pairs)


# -- the printed examples ----------------------------------------------------------------------


@pytest.fixture
def optdigits():
    return multitest(BY_TIME, decisions(EIGHT, OPTDIGITS))


def test_optdigits_is_ordered_as_printed(optdigits):
    """Expected from section 3.1."""
    assert optdigits.order == ("svr", "svl", "sv2", "5nn", "mlp", "lnp", "mdt", "c45")
    assert optdigits.places.to_dict() == {
        name: place for place, name in enumerate(optdigits.order, 1)
    }
    assert list(optdigits.places.index) == BY_TIME


def test_optdigits_has_the_printed_candidates(optdigits):
    """Expected from the caption of Fig. 2, (a), (d), (f) and (h)."""
    candidates = [step.candidates for step in optdigits.steps]

    assert candidates[0] == ("svr", "svl", "sv2", "mdt")
    assert candidates[3] == ("5nn", "mlp", "mdt")
    assert candidates[5] == ("lnp", "mdt")
    assert candidates[7] == ("c45",)
    assert [len(step.remaining) for step in optdigits.steps] == [8, 7, 6, 5, 4, 3, 2, 1]
    assert optdigits.steps[5].remaining == ("c45", "lnp", "mdt")  # cheapest first


def test_each_step_is_one_sentence(optdigits):
    said = [step.text for step in optdigits.steps]

    assert said[3] == (
        "The algorithms that are not significantly worse than a more expensive remaining algorithm are 5nn, mlp and mdt. "
        "5nn is the cheapest of these and takes rank 4."
    )
    assert said[6] == (
        "mdt is the only algorithm that is not significantly worse than a more expensive remaining algorithm "
        "and takes rank 7."
    )
    assert optdigits.steps[3].describe(typed=True) == (
        "The algorithms that are not significantly worse than a later remaining algorithm are 5nn, mlp and mdt. "
        "5nn is the first of these in the prior order and takes rank 4."
    )
    assert said[7] == "c45 is the last remaining algorithm and takes rank 8."


def test_optdigits_was_decided_by_these_neighbours(optdigits):
    """By hand from Table 1: the more expensive of two neighbours comes first if it is better."""
    by = {(first, second): by for first, second, by in optdigits.decisions}

    assert by == {
        ("svr", "svl"): COST,
        ("svl", "sv2"): COST,
        ("sv2", "5nn"): TEST,
        ("5nn", "mlp"): COST,
        ("mlp", "lnp"): TEST,
        ("lnp", "mdt"): COST,
        ("mdt", "c45"): TEST,
    }
    assert optdigits.by_test == 3


def test_the_graph_of_optdigits_has_the_edges_of_table_1_that_override_the_cost(optdigits):
    table, place = decisions(EIGHT, OPTDIGITS), {name: i for i, name in enumerate(BY_TIME)}
    wanted = {
        (worse, better)
        for better in EIGHT
        for worse in EIGHT
        if table.loc[better, worse] and place[worse] < place[better]
    }

    assert set(optdigits.edges) == set(optdigits.graph.edges) == wanted
    # incoming edges count those that are preferred but err more, outgoing those that err less
    assert optdigits.graph.in_degree("svr") == 4
    assert optdigits.graph.out_degree("c45") == 7 - 1  # all but 5nn, which is cheaper
    assert list(optdigits.graph) == BY_TIME


def test_four_algorithms_of_table_3():
    table_3 = decisions("ABCD", ["0000", "1010", "0000", "0010"])
    found = multitest("ABCD", table_3)

    assert found.order == ("B", "A", "D", "C")
    assert set(found.edges) == {("A", "B"), ("C", "D")}  # Fig. 3


def test_the_costliest_of_three_comes_first_if_it_beats_both():
    """Section 4.5.2: the order is C, A, B, although A costs least."""
    assert multitest("ABC", better_by("ABC", "CA", "CB")).order == ("C", "A", "B")


# Tables 7(a) and 8(a): average ranks over 38 data sets; prior and final orders of section 4.5
TABLE_7 = dict(zip(EIGHT, [3.11, 5.05, 4.37, 3.13, 5.50, 6.24, 6.11, 2.50], strict=True))
TABLE_8 = dict(zip(EIGHT, [2.50, 2.95, 2.71, 3.68, 5.71, 6.13, 5.32, 7.00], strict=True))
TIME_PRIOR = "5nn c45 lnp mlp mdt svl sv2 svr".split()
SPACE_PRIOR = "c45 mdt mlp lnp svl svr sv2 5nn".split()


def second_pass(table, prior):
    """Return the order and the pairs that differ, from printed average ranks on 38 data sets."""
    ranks = pd.Series(table)
    adjusted = adjust_pairs(post_hoc_z(ranks, 38).pvalues, "bergmann_hommel", average_ranks=ranks)
    lower = np.less.outer(ranks.to_numpy(), ranks.to_numpy())
    separated = {frozenset(pair) for pair in combinations(EIGHT, 2) if adjusted.loc[pair] <= 0.05}
    return multitest(prior, (adjusted <= 0.05) & lower), separated


def across(first, second):
    return {frozenset((a, b)) for a in first for b in second}


def test_by_training_time_no_test_overrides_the_cost():
    """Section 4.5.1: there are three groups, and mlp differs from sv2, svr and 5nn only."""
    found, separated = second_pass(TABLE_7, TIME_PRIOR)

    slow, fast = ["svl", "sv2", "svr", "mdt"], ["5nn", "c45", "lnp"]
    assert separated == across(slow, fast) | across(["mlp"], ["sv2", "svr", "5nn"])
    assert found.order == tuple(TIME_PRIOR)
    assert (found.edges, found.by_test) == ((), 0)


def test_by_space_5nn_goes_from_first_to_last():
    """Expected from section 4.5.2 and Table 8(c)."""
    found, separated = second_pass(TABLE_8, SPACE_PRIOR)

    simple, large = ["lnp", "c45", "mdt", "mlp"], ["svl", "svr", "sv2", "5nn"]
    assert separated == across(simple, large) | {frozenset(("svr", "5nn"))}
    assert found.order == tuple(SPACE_PRIOR)


# -- what holds for any decisions --------------------------------------------------------------


@given(cases())
def test_the_order_is_the_topological_sort_that_prefers_the_cheapest(case):
    prior, better = case
    found = multitest(prior, better)

    wanted = nx.lexicographical_topological_sort(found.graph.reverse(), key=prior.index)
    assert list(found.order) == list(wanted)
    assert sorted(found.order) == sorted(prior)


@given(cases())
def test_edges_lead_from_the_cheaper_to_the_better(case):
    prior, better = case
    found = multitest(prior, better)

    assert set(found.edges) == {
        (cheap, costly) for cheap, costly in combinations(prior, 2) if better.loc[costly, cheap]
    }


@given(cases())
def test_no_algorithm_precedes_a_more_expensive_one_that_is_significantly_better(case):
    prior, better = case
    found = multitest(prior, better)

    assert all(found.places[best] < found.places[cheap] for cheap, best in found.edges)


@given(cases())
def test_neighbours_are_decided_by_the_test_exactly_where_the_costlier_goes_first(case):
    prior, better = case
    found = multitest(prior, better)

    decided = [by for *_, by in found.decisions]
    for (first, second), by in zip(pairwise(found.order), decided, strict=True):
        costlier_first = prior.index(first) > prior.index(second)
        assert costlier_first == (by == TEST)
        assert not costlier_first or better.loc[first, second]
    assert found.by_test == decided.count(TEST)


@given(cases())
def test_a_later_algorithm_is_more_expensive_or_worse_than_an_earlier_one(case):
    """Checks the part of a sentence in section 5 that is always true.

    The sentence states that all algorithms after another one are significantly worse or more
    expensive. In fact, a cheaper one need only be worse than that one or than an algorithm between
    the two.
    """
    prior, better = case
    order = multitest(prior, better).order

    for i, j in combinations(range(len(order)), 2):
        first, later = order[i], order[j]
        if prior.index(later) < prior.index(first):
            assert any(better.loc[between, later] for between in order[i:j])


def test_a_cheaper_follower_need_not_be_worse_than_the_one_it_follows():
    """The smallest order for which the sentence in section 5 is not literally true."""
    found = multitest("ABC", better_by("ABC", "CA"))

    # C is better than A, so A waits; B, the cheapest of the others, need not be better than A
    assert found.order == ("B", "C", "A")


@given(cases(), st.randoms(use_true_random=False))
def test_shuffled_rows_and_columns_change_nothing(case, random):
    prior, better = case
    rows, columns = list(prior), list(prior)
    random.shuffle(rows)
    random.shuffle(columns)

    found, shuffled = multitest(prior, better), multitest(prior, better.loc[rows, columns])
    assert (found.steps, found.edges) == (shuffled.steps, shuffled.edges)


@given(cases())
def test_each_step_chooses_the_first_of_its_candidates(case):
    prior, better = case
    left = list(prior)
    for place, step in enumerate(multitest(prior, better).steps, 1):
        assert (step.place, step.chosen, list(step.remaining)) == (place, step.candidates[0], left)
        left.remove(step.chosen)


# -- what is accepted and refused --------------------------------------------------------------


def test_one_algorithm_has_the_only_place():
    found = multitest(["only"], better_by(["only"]))

    assert (found.order, found.decisions, found.by_test) == (("only",), (), 0)
    assert found.steps[0].text == "only is the last remaining algorithm and takes rank 1."


def test_without_decisions_the_order_is_the_prior():
    assert multitest("dbca", better_by("abcd")).order == tuple("dbca")


def test_of_all_decisions_against_the_cost_the_order_is_its_reverse():
    worse_is_cheaper = better_by("abcd", *[pair[::-1] for pair in combinations("abcd", 2)])
    found = multitest("abcd", worse_is_cheaper)
    assert found.order == tuple("dcba")
    assert found.by_test == 3


def test_names_are_text_whatever_they_hold():
    hostile = ["<b>", "a < b", "$x$", "%s {0}", "1", "π, \n"]
    table = better_by(hostile, ("1", "<b>"), ("π, \n", "a < b"))
    found = multitest(hostile, table)

    # by hand: the cheapest that waits for nobody, again and again
    assert found.order == ("$x$", "%s {0}", "1", "<b>", "π, \n", "a < b")
    assert found.steps[0].text.startswith(
        "The algorithms that are not significantly worse than a more expensive remaining algorithm are $x$; %s {0}; 1"
    )


def test_numbers_serve_as_names():
    table = pd.DataFrame([[0, 0], [1, 0]], index=[1, 2], columns=[1, 2])
    assert multitest([1, 2], table).order == ("2", "1")


@pytest.mark.parametrize(
    ("prior", "table", "words"),
    [
        ("", better_by(""), "`prior` must name every algorithm exactly"),
        ("aba", better_by("ab"), "`prior` must name every algorithm exactly once"),
        (
            "abc",
            better_by("ab"),
            "\\(a, b and c\\) as rows.*has the rows a and b and the columns a and b",
        ),
        (
            "ab",
            better_by("abc"),
            "\\(a and b\\) as rows.*has the rows a, b and c and the columns a, b and c",
        ),
        ("ab", better_by("ab").iloc[:1], "`better` must have the algorithms of `prior`"),
        ("ab", better_by("ab", "ab", "ba"), "a over b and for b over a"),
        ("ab", better_by("ab").astype(object).where(np.eye(2) == 1), "true or false in every cell"),
        ("ab", better_by("ab") + 0.03, "true or false in every cell"),
        ("ab", better_by("ab").astype(str), "true or false in every cell"),
    ],
)
def test_wrong_decisions_are_refused_in_words(prior, table, words):
    with pytest.raises(DataError, match=words):
        multitest(prior, table)


# -- over data sets ----------------------------------------------------------------------------


@pytest.fixture
def places():
    """Ranks on twelve data sets: c is mostly first, and b mostly last."""
    rows = [[2, 3, 1]] * 8 + [[1, 3, 2]] * 2 + [[3, 1, 2]] * 2
    return pd.DataFrame(rows, columns=list("abc"), index=[f"d{i}" for i in range(12)])


@pytest.mark.parametrize("post_hoc", ["bergmann_hommel", "shaffer", "holm", "nemenyi", "none"])
def test_over_data_sets_the_post_hoc_test_decides(places, post_hoc):
    found = multi2test(places, "abc", post_hoc=post_hoc)

    ranks = places.mean()
    by_z = post_hoc_z(ranks, 12).pvalues
    wanted = nemenyi(ranks, 12).pvalues if post_hoc == "nemenyi" else adjust_pairs(by_z, post_hoc)
    pd.testing.assert_frame_equal(found.adjusted, wanted)
    assert found.friedman.pvalue == friedman(places, higher_is_better=False).pvalue
    # averages 24/12, 32/12, 16/12 with standard error sqrt(3 4 / (6 12)) = .408: z of c and b is
    # 3.27, of the others 1.63, below 1.96; Nemenyi's critical difference is .957
    assert found.average_ranks.tolist() == pytest.approx([2, 8 / 3, 4 / 3])
    assert found.better.stack().loc[lambda cell: cell].index.tolist() == [("c", "b")]
    assert found.rejected
    assert not found.same_everywhere


def test_a_test_that_does_not_reject_leaves_the_order_to_the_cost(places):
    found = multi2test(places.iloc[8:], "bac", alpha=0.05)

    assert found.friedman.pvalue > 0.05
    assert (found.rejected, found.adjusted) == (False, None)
    assert not found.better.to_numpy().any()
    assert found.ordering.order == tuple("bac")


def test_one_order_everywhere_is_rejected_by_definition():
    two = pd.DataFrame([[2, 1], [2, 1]], columns=list("ab"))
    found = multi2test(two, "ab")

    # chi-square 2 with 1 df: p = 0.157; z = 1 / sqrt(2 3 / 12) = 1.414 with the same p
    assert found.friedman.pvalue == pytest.approx(0.1572992)
    assert found.same_everywhere
    assert found.rejected
    assert found.adjusted.loc["a", "b"] == pytest.approx(0.1572992)
    assert found.ordering.order == ("a", "b")
    assert multi2test(two, "ab", alpha=0.16).ordering.order == ("b", "a")


def test_ties_everywhere_are_not_one_order():
    found = multi2test(pd.DataFrame(1.5, index=range(4), columns=list("ab")), "ba")
    assert (found.same_everywhere, found.rejected) == (False, False)
    assert found.ordering.order == ("b", "a")


def test_the_average_cost_gives_the_prior(places):
    costs = pd.DataFrame([[3.0, 1.0, 2.0]] * 12, columns=list("abc"), index=places.index)
    found = multi2test(places, costs=costs)

    assert found.ordering.prior == ("b", "c", "a")
    assert found.average_cost.tolist() == [1, pytest.approx(1 / 3), pytest.approx(2 / 3)]
    assert found.ordering.order == ("c", "b", "a")  # c is better than b, not than a
    assert found.ordering.order == multi2test(places, "bca").ordering.order


def test_ties_in_average_cost_are_reported_and_go_by_column(places):
    costs = pd.DataFrame([[1.0, 5.0, 1.0]] * 12, columns=list("abc"), index=places.index)
    found = multi2test(places, costs=costs)
    assert (found.ordering.prior, found.ties) == (("a", "c", "b"), (("a", "c"),))


def test_bergmann_hommel_gives_way_where_it_cannot_be_computed():
    many = [f"a{place:02}" for place in range(101)]
    found = multi2test(pd.DataFrame([range(1, 102)] * 2, columns=many), many)
    assert found.post_hoc == "shaffer"


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        ({"prior": None}, SettingError, "needs `prior` or `costs`"),
        (
            {"prior": "ab"},
            DataError,
            "has the columns a, b and c for the algorithms a and b. Use the same names",
        ),
        (
            {"prior": "abcd"},
            DataError,
            "has the columns a, b and c for the algorithms a, b, c and d",
        ),
        ({"prior": "aabc"}, DataError, "for the algorithms a, a, b and c"),
        ({"post_hoc": "tukey"}, SettingError, "`post_hoc` must be one of"),
        ({"alpha": 1}, SettingError, "`alpha` must lie strictly between 0 and 1, but is 1"),
        ({"prior": None, "scale": "best", "costs": pd.DataFrame({"a": [1.0]})}, SettingError, "sc"),
    ],
)
def test_wrong_settings_are_refused_in_words(places, change, error, words):
    options = {"prior": "abc"} | change
    with pytest.raises(error, match=words):
        multi2test(places, options.pop("prior"), **options)


def test_too_little_for_two_passes_is_refused(places):
    with pytest.raises(DesignError, match="Multi2Test needs at least 2 data sets, but"):
        multi2test(places.iloc[:1], "abc")
    with pytest.raises(DesignError, match="at least 2 algorithms"):
        multi2test(places[["a"]], "a")
    with pytest.raises(DataError, match="d3"):
        multi2test(places.astype(float).drop("d3").reindex(places.index), "abc")
