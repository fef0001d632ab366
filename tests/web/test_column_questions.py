"""Tests of the column mapper: questions about columns, and failed attempts, which change nothing."""

import pytest
import streamlit as st

from tests.web.conftest import texts, turn_to, upload


def finnish() -> bytes:
    """Return a CSV of three algorithms on three data sets, with a byte order mark and decimal commas."""
    rows = "Aineisto;Keino;Fold;Arvo\n"
    for place in ("iris", "wine", "glass"):
        for better, name in enumerate(("knn", "svm", "rf")):
            for fold in range(10):
                value = 0.4 - better / 10 + (fold * 7 % 10) / 200 + len(place) / 100
                rows += f"{place};{name};{fold};{value:.3f}\n".replace(".", ",")
    return f"\ufeff{rows}".encode()


@pytest.fixture
def typed(monkeypatch):
    """Values that a stand-in for st.data_editor enters, by (column of the file, column of the mapper)."""
    cells = {}
    draw = st.data_editor

    def with_cells(table, **options):
        edited = draw(table, **options).set_index("column")
        for (name, column), value in cells.items():
            edited.loc[name, column] = value
        return edited.reset_index()

    monkeypatch.setattr(st, "data_editor", with_cells)
    return cells


def shown(at) -> dict[str, tuple[str, str]]:
    """Return the meaning and the direction of every column, as shown by the mapper."""
    frame = next(frame.value for frame in at.dataframe if "meaning" in frame.value)
    return {row.column: (row.meaning, row.direction) for row in frame.itertuples()}


def press(at):
    key = next(b.key for b in at.button if (b.key or "").startswith("apply_"))
    at.button(key=key).click()
    return at.run()


def test_every_column_that_cannot_be_placed_is_asked_for(app):
    upload(app, ("mine.csv", finnish()))

    question = next(m.value for m in app.markdown if "guess" in m.value).replace("\\", "")
    assert question == (
        '## Which columns are the data set, algorithm and measure? The guess is "Aineisto", "Keino" and "Arvo".'
        ' Are higher or lower values of "Arvo" better?'
    )
    assert "3 algorithms named in the column Keino" in texts(app)
    assert "3 data sets named in the column Aineisto" in texts(app)
    assert "3 algorithms named in the column Aineisto" in texts(app)
    assert "3 data sets named in the column Keino" in texts(app)
    assert shown(app) == {
        "Aineisto": ("dataset", ""),
        "Keino": ("algorithm", ""),
        "Fold": ("fold", ""),
        "Arvo": ("measure", ""),
    }


def test_the_direction_is_asked_for_where_no_name_tells_it(app, typed):
    upload(app, ("mine.csv", finnish()))
    press(app)

    assert 'The direction of "Arvo" is not known.' in texts(app)
    assert shown(app)["Arvo"] == ("measure", "")

    typed["Arvo", "direction"] = "lower"
    press(app)
    assert not app.exception
    assert (
        "Read 90 results: 3 data sets, 3 algorithms, 10-fold cross-validation; measure Arvo."
        in texts(app)
    )
    assert app.selectbox(key="measure").label == "Measure (lower is better)"


def test_an_attempt_that_fails_leaves_the_mapper_open(app, typed):
    upload(app, ("mine.csv", finnish()))
    typed["Aineisto", "meaning"] = typed["Keino", "meaning"] = "ignore"
    typed["Arvo", "direction"] = "lower"
    press(app)

    said = texts(app)
    assert "With these columns, the file cannot be read:" in said
    assert "The table needs a column that names the algorithm" in said
    assert (
        'Columns not used: "Aineisto" and "Keino". Duplicate rows may differ in these columns.'
        in said
    )
    assert "Arvo" in shown(app)
    assert "## Preview" in said
    assert any(b.label == "Start page" for b in app.button)

    del typed["Aineisto", "meaning"], typed["Keino", "meaning"]
    press(app)
    assert "3 data sets, 3 algorithms" in texts(app)


def test_an_attempt_that_fails_keeps_results_that_are_open(app, typed):
    known = finnish().replace(b"Aineisto", b"dataset").replace(b"Keino", b"model")
    upload(app, ("mine.csv", known.replace(b"Arvo", b"error")))
    app.session_state["edit"] = True
    app.run()
    typed["dataset", "meaning"] = "ignore"
    press(app)

    said = texts(app)
    assert 'Columns not used: "dataset".' in said
    assert "3 data sets, 3 algorithms" in said
    assert app.selectbox(key="measure").value == "error"


def test_empty_cells_are_shown_empty(app):
    upload(app, ("mine.csv", finnish()))

    assert [frame.proto.placeholder for frame in app.dataframe] == ["", ""]
    assert all(frame.proto.HasField("placeholder") for frame in app.dataframe)


PLAIN = b"dataset,a,b,c\n" + b"".join(
    f"d{i},{i + 1.5},{i + 2},{9 - i}\n".encode() for i in range(12)
)


@pytest.mark.parametrize("way", ["higher", "lower"])
def test_which_values_are_better_takes_one_click(app, way):
    upload(app, ("plain.csv", PLAIN))

    assert "What do the numbers measure, and are higher values better?" in texts(app)
    labels = {b.label: b.key for b in app.button}
    key = labels["Higher is better" if way == "higher" else "Lower is better"]
    app.button(key=key).click().run()

    assert not app.exception
    assert "12 data sets, 3 algorithms" in texts(app)
    assert app.selectbox(key="measure").label == f"Measure ({way} is better)"


def test_an_answer_whose_reading_is_refused_is_not_offered(app):
    rows = "".join(
        f"d{i},{a},{-999 if (i, a) == (3, 'b') else 0.5 + i / 50}\n"
        for i in range(8)
        for a in "abc"
    )
    upload(app, ("codes.csv", f"dataset,algorithm,accuracy\n{rows}".encode()))

    offered = [b.label for b in app.button if (b.key or "").startswith("answer_")]
    assert [label.replace("\\", "") for label in offered] == ["Yes, read -999 as a missing result."]
    assert (
        "No, -999 was measured.  \nThis cannot be read: The values range from -999 to 0.64"
        in texts(app)
    )


def test_only_measures_that_fit_are_offered_and_each_answer_says_what_it_gives(app):
    upload(app, ("plain.csv", PLAIN))

    (pills,) = [group for group in app.button_group if group.key.startswith("common_")]
    assert pills.options == ["log loss", "RMSE"], "the numbers exceed 1"
    assert "Higher is better → 3 algorithms on 12 data sets: b first" in texts(app)
    assert "Lower is better, log loss → 3 algorithms on 12 data sets: a and c first" in texts(app)


def test_both_ways_to_read_a_table_are_offered(app):
    rows = "".join(f"{name},0.9,0.8,0.7\n" for name in ("Random Forest", "SVM", "kNN", "MLP"))
    upload(app, ("accuracy.csv", f",iris,wine,zoo\n{rows}".encode()))

    assert "Are the algorithms the columns (iris and 2 others), or the rows" in texts(app)
    first, second = (b for b in app.button if b.label.startswith("Select"))
    assert first.label != second.label, "screen readers hear which answer a button selects"
    turn_to(app, "results").run()
    assert "Are the algorithms the columns" in app.title[0].value
    app.button(key=first.key).click().run()
    assert "3 data sets / 4 algorithms" in texts(app)


def test_what_holds_no_results_says_what_it_is(app):
    rows = "".join(f"{i},{1 / (i + 1):.3f},{1 / (i + 2):.3f}\n" for i in range(20))
    upload(app, ("log.csv", f"epoch,loss,val_loss\n{rows}".encode()))

    assert "This does not look like results that can be compared" in texts(app)
    assert "this is a training curve" in texts(app)
    assert any(b.label == "Start page" for b in app.button)


def test_a_table_can_be_pasted(app):
    app.switch_page("pages/data.py").run()
    table = (
        r"Data & rf & svm \\ a & 0.9 & $0.8 \pm 0.1$ \\ b & 0.7 & 0.6 \\ c & \textbf{0.8} & 0.5 \\"
    )
    app.text_area(key="pasted").set_value(table.replace(r"\\ ", "\\\\\n")).run()
    next(b for b in app.button if b.label == "Read table").click()
    app.run()

    assert "What do the numbers measure" in texts(app)
    assert {"rf", "svm"} <= set(shown(app))


def test_a_refused_text_on_the_start_screen_leaves_no_previous_results(app):
    app.run()
    app.text_area(key="pasted").set_value("no table").run()
    next(b for b in app.button if b.label == "Read table").click()
    app.run()

    assert "pasted.txt" in texts(app)
    assert "The previous results" not in texts(app)


def test_a_text_without_a_table_is_refused_and_what_was_open_stays(app):
    app.query_params["sample"] = "demsar_2006_auc.csv"
    app.run()
    app.switch_page("pages/data.py").run()
    app.text_area(key="pasted").set_value("no table").run()
    next(b for b in app.button if b.label == "Read table").click()
    app.run()

    assert "pasted.txt" in texts(app)
    assert "The previous results are still open." in texts(app)


def test_an_encoding_that_does_not_exist_is_refused_on_the_data_page(app):
    rows = "".join(
        f"{m},d{d},{f},0.{f}{k}{d}\n" for d in (1, 2) for f in (7, 8) for k, m in enumerate("ab")
    )
    upload(app, ("a.csv", f"model,dataset,fold,acc\n{rows}".encode()))
    app.session_state["edit"] = True
    app.run()
    key = next(b.key for b in app.button if (b.key or "").startswith("apply_"))
    app.text_input(key=key.replace("apply_", "encoding_")).set_value("utf-99")
    app.button(key=key).click().run()

    assert 'There is no encoding "utf-99"' in texts(app)
    assert not app.exception


def test_one_click_answers_which_spelling_is_right(app):
    """Byte F2 is \u0148 in Windows-1250 and \u00f2 in Windows-1252."""
    rows = "".join(
        f"{m},{d},{f},0.{f}{k}\n"
        for d in ("Plze\u0148", "Brno")
        for f in (7, 8)
        for k, m in enumerate("ab")
    )
    upload(app, ("a.csv", f"model,dataset,fold,acc\n{rows}".encode("cp1250")))
    app.run()
    assert "Which spelling" in texts(app)

    next(button for button in app.button if button.label == "Plze\u0148").click()
    app.run()

    assert "Which spelling" not in texts(app)
    assert [mapping.encoding for mapping in app.session_state["_mappings"].values()] == ["cp1250"]


def test_the_encoding_of_each_of_several_files_is_asked_about_in_turn(app):
    """Both towns are words in Greek (Windows-1253) and in Cyrillic (Windows-1251)."""
    models = [f"{m},TOWN,{f},0.{f}{k}\n" for f in (7, 8) for k, m in ((1, "rf"), (2, "svm"))]
    greek, cyrillic = "\u039b\u03ac\u03c1\u03b9\u03c3\u03b1", "\u0440\u0430\u0439\u043e\u043d"
    towns = {"a.csv": (greek, "cp1253"), "b.csv": (cyrillic, "cp1251")}
    rows = "".join(["model,dataset,fold,acc\n", *models])
    upload(
        app,
        *(
            (name, rows.replace("TOWN", town).encode(encoding))
            for name, (town, encoding) in towns.items()
        ),
    )
    for name, (town, _) in towns.items():
        assert f"{name} does not declare its encoding" in texts(app)
        next(button for button in app.button if button.label == town).click().run()

    assert not app.exception
    assert "Read 8 results: 2 data sets" in texts(app)
