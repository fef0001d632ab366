"""Tests of tables of average ranks, wins and decisions: read, asked about or refused."""

import pytest

from stats_core.core.errors import DataError, NeedsMapping, SettingError
from stats_core.data.published import Published
from stats_core.io.mapping import Mapping
from stats_core.io.read import explain, read_results

RANKS = "algorithm,average rank\nsvm,1.50\nrf,1.70\nnb,3.05\n1nn,3.75\n"
WINS = "w,svm,rf,nb\nsvm,,9,17\nrf,7,,15\nnb,2,3,\n"
ONES = "d,svm,rf,nb\nsvm,0,0,1\nrf,0,0,1\nnb,0,0,0\n"


def read(text, **said):
    """Return the results of a table given as CSV, with fields of `Mapping`."""
    return read_results(("t.csv", text.encode()), mapping=Mapping(**said) if said else None)


def asked(text, **said):
    """Return the question that a table raises."""
    with pytest.raises(NeedsMapping) as found:
        read(text, **said)
    return found.value


def test_average_ranks_are_asked_over_how_many_data_sets():
    question = asked(RANKS)

    assert question.question == "Over how many data sets are these average ranks?"
    assert (question.about, question.fields) == ("published", ("n_datasets",))
    assert question.guess.holds == "average ranks"
    with pytest.raises(NeedsMapping):  # the guess does not invent a number
        read_results(("t.csv", RANKS.encode()), mapping=question.guess)


@pytest.mark.parametrize(
    "text",
    [
        RANKS,
        "avg. rank,svm,rf,nb,1nn\navg. rank,1.50,1.70,3.05,3.75\n",
        "method;mean rank;accuracy\nsvm;1,50;0,9\nrf;1,70;0,8\nnb;3,05;0,8\n1nn;3,75;0,7\n",
    ],
)
def test_average_ranks_stand_in_a_column_or_in_a_row(text):
    results = read(text, n_datasets=20)

    assert results.published == Published(
        what="average ranks",
        names=("svm", "rf", "nb", "1nn"),
        n=20,
        ranks=(1.5, 1.7, 3.05, 3.75),
        digits=2,
    )
    assert results.summary() == "Read 20 data sets, 4 algorithms, average ranks only."
    assert results.averages("average rank").loc["all data sets", "nb"] == 3.05


def test_a_column_can_tell_the_number_of_data_sets():
    table = "algorithm,average rank,N\na,1.2,10\nb,1.8,10\n"

    assert read(table).n_datasets == 10


def test_ranks_of_which_the_highest_is_best_are_turned():
    said = read(RANKS, n_datasets=20, directions={"average rank": "higher"})

    assert said.published.ranks == (3.5, 3.3, 1.95, 1.25)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (
            "algorithm,average rank\na,1.3\nb,2.1\nc,2.2\n",
            "add up to 6, but these ranks add up to 5.6",
        ),
        ("algorithm,average rank\na,1.4\nb,2.1\nc,4.2\n", "The ranks range from 1.4 to 4.2"),
        ("algorithm,rank\na,1\nb,2\nc,3\n", "only the ranks 1 to 3"),
        ("average rank,kept\n1.2,3\n1.8,4\n", "no column contains a different name"),
    ],
)
def test_ranks_that_cannot_be_tested_are_refused_with_the_reason(text, found):
    assert found in str(asked(text, **({"n_datasets": 9} if "names" not in found else {})))


def test_a_number_of_data_sets_that_cannot_be_is_told():
    table = "algorithm,average rank\na,1.23\nb,1.77\n"

    assert "ranks do not fit" in {note.code for note in read(table, n_datasets=10).notes}
    assert "ranks do not fit" not in {note.code for note in read(table, n_datasets=13).notes}


def test_wins_are_asked_whose_they_are_and_over_how_many_data_sets():
    question = asked(WINS)

    assert question.fields == ("n_datasets", "winner")
    assert 'The cell in row "svm" and column "nb" is 17.' in question.question
    by_row = read(WINS, n_datasets=20, winner="row").published
    by_column = read(WINS, n_datasets=20, winner="column").published
    assert by_row.matrix("wins").loc["svm", "nb"] == by_column.matrix("wins").loc["nb", "svm"] == 17
    assert by_row.matrix("ties").loc["svm", "rf"] == 4


def test_pairs_that_all_add_up_tell_the_number_of_data_sets():
    table = "row beats column,a,b,c\na,-,7,9\nb,5,-,8\nc,3,4,-\n"

    assert read(table).published.n == 12


@pytest.mark.parametrize(
    "text",
    [
        "row wins,a,b,c\na,-,7/2/5,9/0/5\nb,5/2/7,-,8/2/4\nc,5/0/9,4/2/8,-\n",
        "row wins,a,b,c\na,-,7-5-2,9-5-0\nb,5-7-2,-,8-4-2\nc,5-9-0,4-8-2,-\n",
        "row wins w/t/l,a,b,c\na,,7/2/5,9/0/5\nb,,,8/2/4\nc,,,\n",
    ],
)
def test_cells_of_wins_ties_and_losses_tell_their_order_themselves(text):
    published = read(text).published

    assert published.n == 14
    assert published.wins == ((0, 7, 9), (5, 0, 8), (5, 4, 0))
    assert published.ties == ((0, 2, 0), (2, 0, 2), (0, 2, 0))


@pytest.mark.parametrize(
    ("text", "said", "found"),
    [
        ("x,a,b\na,,7/2/5\nb,,\n", {}, "Only one half of the table is filled"),
        ("x,a,b\na,,7/2/5\nb,5/3/7,\n", {}, "do not match"),
        ("row wins,a,b,c\na,-,7/2/5,9/0/5\nb,5/2/7,-,8/2/5\nc,5/0/9,5/2/8,-\n", {}, "add up to 15"),
        (WINS, {"n_datasets": 10, "winner": "row"}, "on at least 19 data sets"),
        ("x,a,b,c\na,0,1,1\nb,1,0,0\nc,0,0,0\n", {}, "a is better than b, and b is better than a"),
    ],
)
def test_cells_that_contradict_each_other_are_refused_by_name(text, said, found):
    assert found in str(asked(text, **said))


def test_decisions_are_asked_who_is_better_unless_they_mirror():
    assert asked(ONES).fields == ("winner",)
    assert read(ONES, winner="row").published.matrix("decided").loc["svm", "nb"]
    assert read(ONES, winner="column").published.matrix("decided").loc["nb", "svm"]
    mirrored = read("differ,a,b,c\na,0,0,1\nb,0,0,0\nc,1,0,0\n").published
    assert not mirrored.sided


@pytest.mark.parametrize(
    "text",
    [
        "a,x,y\nx,1,0.3\ny,0.3,1\n",  # similarities
        "actual,cat,dog\ncat,40,3\ndog,5,52\n",  # confusions: the diagonal is full
    ],
)
def test_other_squares_are_none(text):
    assert explain(("t.csv", text.encode())).taken.published is None


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (RANKS, {"n_datasets": 20}),
        (WINS, {"n_datasets": 20, "winner": "column"}),
        (ONES, {"winner": "row"}),
        ("differ,a,b,c\na,0,0,1\nb,0,0,0\nc,1,0,0\n", {}),
    ],
)
def test_what_was_read_can_be_written_and_read_again(text, said):
    results = read(text, **said)

    assert read(results.to_csv()) == results


def test_names_change_in_what_was_published_too():
    results = read(WINS, n_datasets=20, winner="row").rename(algorithms={"nb": "naive Bayes"})

    assert results.algorithms == ("naive Bayes", "rf", "svm")
    assert results.published.names == ("svm", "rf", "naive Bayes")


def test_what_is_said_must_fit():
    with pytest.raises(SettingError, match="at least 2"):
        Mapping(n_datasets=1)
    with pytest.raises(SettingError, match="row or column"):
        Mapping(winner="left")
    with pytest.raises(SettingError, match="average ranks, wins or decisions"):
        Mapping(holds="medians")
    with pytest.raises(SettingError, match="given only for average ranks or wins"):
        read("dataset,algorithm,fold,error\nx,a,1,0.1\nx,b,1,0.2\n", n_datasets=9)
    with pytest.raises(DataError, match="a table of wins"):
        read(RANKS, holds="wins")
    with pytest.raises(NeedsMapping):  # the user says that it is something else
        read("algorithm,rank\na,0.1\nb,0.2\n", roles={"algorithm": "algorithm", "rank": "measure"})
