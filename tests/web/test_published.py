"""Tests of published tables on the pages: a question, the verdict, and pages that need other results."""

import pytest

from foldwise.web.session import HIDDEN_PAGES
from tests.web.conftest import specs, texts, turn_to, upload

RANKS = b"algorithm,average rank\nsvm,1.50\nrf,1.70\nnb,3.05\n1nn,3.75\n"
WINS = b"w,svm,rf,nb\nsvm,,9,17\nrf,7,,15\nnb,2,3,\n"
ONES = b"row beats column,svm,rf,nb\nsvm,0,0,1\nrf,0,0,1\nnb,0,0,0\n"


def press(at, start):
    """Press the first button whose key begins with `start`; return the app after the run."""
    at.button(key=next(b.key for b in at.button if (b.key or "").startswith(start))).click()
    return at.run()


def number(at, start, value):
    """Type a value into the first number field whose key begins with `start`."""
    at.number_input(key=next(n.key for n in at.number_input if n.key.startswith(start))).set_value(
        value
    )


def test_average_ranks_lead_to_the_verdict_with_its_diagram(app):
    upload(app, ("ranks.csv", RANKS))
    assert "Over how many data sets are these average ranks?" in texts(app)

    press(app, "way__")
    assert "Enter the number of data sets." in texts(app)
    number(app, "n_", 20)
    press(app, "way__")
    assert "Read 20 data sets, 4 algorithms, average ranks only." in texts(app)
    number(app, "again_", 25)
    app.run()
    assert "Read 25 data sets" in texts(app)

    app.switch_page("pages/results.py").run()
    assert not app.exception
    assert "over 25 data sets, but does not differ significantly from rf" in texts(app)
    assert len(specs(app)) == 1
    assert app.select_slider(key="level_slider").value == 0.05
    assert "Selection of results" not in [
        box.label for box in app.sidebar.expander
    ]  # it would be empty
    assert app.session_state[HIDDEN_PAGES] == {"compare", "explore", "tradeoffs", "plan"}


def test_wins_are_asked_about_and_tested_by_signs(app):
    upload(app, ("wins.csv", WINS))
    number(app, "n_", 20)
    press(app, "way_row_")
    app.switch_page("pages/results.py").run()

    assert not app.exception
    assert "svm wins significantly more often than nb (17 to 2)" in texts(app)


def test_decisions_are_ordered_on_their_page(app):
    upload(app, ("ones.csv", ONES))
    app.switch_page("pages/results.py").run()
    assert (
        "Ordered as in the table, because no later algorithm is significantly better according to the published decisions: "
        "svm, rf, nb." in texts(app)
    )
    app.switch_page("pages/tradeoffs.py").run()

    assert not app.exception
    assert "The decisions are taken as published, without a test." in texts(app)
    assert len(specs(app)) == 1


HAS = "This table contains average ranks only, not results per data set."
NEED = "Compare, Explore, Trade-offs and Plan need results of each algorithm on each data set"


@pytest.mark.parametrize(
    ("page", "said"),
    [
        *((page, HAS) for page in ("compare", "Folds", "Several measures", "Curves", "tradeoffs")),
        ("results", NEED),
    ],
)
def test_pages_that_need_results_say_so_in_one_sentence(app, page, said):
    upload(
        app,
        (
            "ranks.csv",
            RANKS.replace(b"rank\n", b"rank,N\n")
            .replace(b"0\n", b"0,20\n")
            .replace(b"5\n", b"5,20\n"),
        ),
    )
    turn_to(app, page).run()

    assert not app.exception
    links = "\n".join(link.proto.label.replace("\\", "") for link in app.main.get("page_link"))
    assert said in f"{texts(app)}\n{links}"
