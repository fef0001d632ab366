"""Tests of columns that tag data sets: recognised, given, refused, and written and read again."""

import pytest

from stats_core.core.errors import DataError
from stats_core.data.settings import groups_of
from stats_core.io.mapping import Mapping
from stats_core.io.read import describe_columns, read_results


def folds(*columns, sets=6):
    """Return a file of errors on folds, with columns that are functions of data set, algorithm and fold."""
    names = ",".join(name for name, _ in columns)
    lines = [f"dataset,algorithm,fold,error,{names}"]
    for i in range(sets):
        for j, a in enumerate("ab"):
            for f in "12":
                values = ",".join(str(value(i, a, f)) for _, value in columns)
                lines.append(f"d{i},{a},{f},{(i * 7 % 5 + j + int(f)) / 20},{values}")
    return ("error.csv", "\n".join(lines).encode())


DOMAIN = ("domain", lambda i, a, f: "vision" if i % 2 else "text")
LEARNER = ("family", lambda i, a, f: "tree" if a == "a" else "linear")
ROWS = ("n_instances", lambda i, a, f: f"{100 * i + 1}.0")
LEVEL = ("level", lambda i, a, f: i // 2)


def test_texts_shared_by_data_sets_tag_them():
    results = read_results(folds(DOMAIN, LEARNER, LEVEL))

    assert list(results.groups) == ["domain", "level"]
    assert groups_of(results, "domain") == {
        "text": ("d0", "d2", "d4"),
        "vision": ("d1", "d3", "d5"),
    }
    reasons = describe_columns(folds(DOMAIN, LEARNER)).set_index("column")["reason"]
    assert reasons["domain"] == "the same value for several data sets"
    assert (
        reasons["family"]
        == "values that vary within data sets and therefore cannot group data sets"
    )


def test_sizes_tag_data_sets_and_many_are_cut_into_thirds():
    results = read_results(folds(ROWS, sets=9))

    assert results.groups["n_instances"].tolist()[:2] == ["1", "101"]
    assert list(groups_of(results, "n_instances")) == ["1 to 201", "301 to 501", "601 to 801"]


def test_what_names_every_data_set_alone_is_no_tag():
    other = ("source", lambda i, a, f: f"s{i}")

    assert list(read_results(folds(other)).groups) == []
    said = Mapping(roles={"source": "group"})
    assert read_results(folds(other), mapping=said).groups["source"].tolist()[:2] == ["s0", "s1"]


def test_a_tag_that_is_said_must_hold_in_all_rows_of_a_data_set():
    with pytest.raises(DataError, match='"family": .* needs one value .* d0 has tree and linear'):
        read_results(folds(LEARNER), mapping=Mapping(roles={"family": "group"}))


def test_wide_tables_have_tags_too():
    text = b"set,domain,n,rf,svm\na,x,100,.9,.8\nb,x,2000,.7,.6\nc,y,150,.65,.8\nd,,9,.6,.5\n"
    results = read_results(("accuracy.csv", text))

    assert results.groups["domain"].tolist() == ["x", "x", "y", ""]
    assert groups_of(results, "domain") == {"x": ("a", "b"), "y": ("c",)}


def test_the_rows_of_a_transposed_table_cannot_tag_data_sets():
    text = b"model,kind,iris,wine\nrf,tree,.9,.8\nsvm,kernel,.7,.6\nknn,lazy,.6,.5\n"

    with pytest.raises(DataError, match="The rows of this table are algorithms"):
        read_results(("accuracy.csv", text), mapping=Mapping(roles={"kind": "group"}))


def test_tags_are_written_and_read_back():
    results = read_results(folds(DOMAIN, ROWS, LEVEL))

    again = read_results(("error.csv", results.to_csv().encode()))

    assert again == results
    assert again.groups.to_dict() == results.groups.to_dict()


def test_files_that_contradict_each_other_tag_nothing():
    a = ("a.csv", b"dataset,domain,error\nu,x,.1\nv,x,.2\nw,y,.3\n")
    b = ("b.csv", b"dataset,domain,error\nu,x,.1\nv,y,.2\nw,y,.4\n")
    results = read_results(a, b)

    assert list(results.groups) == []
    assert 'The files give different values of "domain" for v.' in " ".join(map(str, results.notes))


def test_predictions_take_a_tag_that_is_said():
    lines = ["dataset,algorithm,fold,instance,true,predicted,domain"]
    lines += [
        f"{d},{a},{f},{i},{i % 2},{(i + (a == 'b') * (i < 2)) % 2},{d == 'u'}"
        for d in "uv"
        for a in "ab"
        for f in "12"
        for i in range(6)
    ]
    source = ("cases.csv", "\n".join(lines).encode())

    assert list(read_results(source).groups) == []
    said = read_results(source, mapping=Mapping(roles={"domain": "group"}))
    assert said.groups["domain"].to_dict() == {"u": "True", "v": "False"}
