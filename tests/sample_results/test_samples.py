import re

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from sklearn.tree import DecisionTreeClassifier

from stats_core.io.read import read_results
from stats_core.ordering.order import OrderRules, order_of
from tests.samples import SAMPLES

KEY = ["dataset", "algorithm", "repetition", "fold"]
OUTCOMES = ["tp", "fp", "tn", "fn"]
SHAPES = {
    "uci38_5x2.csv": (38, 8, 5, 2),
    "twoclass_counts.csv": (7, 7, 10, 10),
    "thesis_counts.csv": (10, 5, 1, 30),
    "graded.csv": (18, 5, 1, 10),
}
COUNTS = ["twoclass_counts.csv", "thesis_counts.csv"]
SCORES = {
    "twoclass_scores.csv.gz": (3, 7, 10),
    "thesis_scores.csv.gz": (3, 5, 30),
    "binary16_scores.csv.gz": (16, 7, 10),
}


def read(name):
    return pd.read_csv(SAMPLES / name, keep_default_na=False)


@pytest.fixture(scope="module")
def code():
    """The modules next to make_samples.py, imported as the script does, by name."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(SAMPLES))
        import _data
        import _experiments
        import _learners
        import make_samples

        yield {
            "data": _data,
            "experiments": _experiments,
            "learners": _learners,
            "make": make_samples,
        }


@pytest.fixture(scope="module")
def iris(code):
    bunch = load_iris(as_frame=True)
    frame = bunch.data.assign(**{"class": bunch.target.astype(str)})
    return code["data"].make_table("iris", frame)


@pytest.fixture
def iris_two(code, iris):
    return code["data"].two_classes(iris, "2", "1", "")


@pytest.mark.parametrize(("name", "shape"), SHAPES.items())
def test_every_cell_is_there_once(name, shape):
    frame = read(name)

    assert tuple(frame[column].nunique() for column in KEY) == shape
    assert len(frame) == np.prod(shape)
    assert not frame.duplicated(KEY).any()
    assert list(frame.columns[:4]) == KEY
    assert frame["repetition"].min() == frame["fold"].min() == 1
    assert not frame.isna().to_numpy().any()


def test_uci38_errors_are_shares_of_the_validation_half():
    frame = read("uci38_5x2.csv")

    assert frame[["error", "test_error"]].min().min() >= 0
    assert frame[["error", "test_error"]].max().max() <= 1
    mistakes = frame["error"] * frame["n_test"]
    np.testing.assert_allclose(mistakes, mistakes.round(), atol=0.01)
    assert (frame[["train_s", "predict_s", "size"]] > 0).to_numpy().all()


def test_uci38_algorithms_share_the_halves():
    frame = read("uci38_5x2.csv")
    halves = frame.groupby(["dataset", "repetition", "fold"])[["n_train", "n_test"]]
    assert (halves.nunique() == 1).to_numpy().all()

    one = frame[(frame["algorithm"] == "C4.5") & (frame["dataset"] == "iris")]
    assert (one["n_train"] + one["n_test"]).tolist() == [100] * 10


@pytest.mark.parametrize(
    ("dataset", "algorithm", "low", "high"),
    [
        ("iris", "Logistic regression", 0.01, 0.08),
        ("spambase", "SVM (RBF)", 0.05, 0.11),
        ("titanic", "C4.5", 0.19, 0.25),
    ],
)
def test_uci38_error_is_what_the_data_set_is_known_for(dataset, algorithm, low, high):
    frame = read("uci38_5x2.csv").set_index(["dataset", "algorithm"])
    assert low < frame.loc[(dataset, algorithm), "error"].mean() < high


@pytest.mark.parametrize("name", COUNTS)
def test_totals_of_a_fold_are_the_same_for_every_algorithm(name):
    frame = read(name)
    totals = frame.assign(positives=frame.tp + frame.fn, negatives=frame.fp + frame.tn)
    folds = totals.groupby(["dataset", "repetition", "fold"])[["positives", "negatives"]]

    assert frame[OUTCOMES].dtypes.eq("int64").all()
    assert (frame[OUTCOMES] >= 0).to_numpy().all()
    assert (folds.min() > 0).to_numpy().all()
    assert (folds.nunique() == 1).to_numpy().all()


@pytest.mark.parametrize(
    ("name", "sample", "covered"), [(COUNTS[0], "twoclass", 1), (COUNTS[1], "thesis", 1 / 3)]
)
def test_totals_agree_with_the_properties(name, sample, covered):
    properties = read("properties.csv").query("sample == @sample").set_index("name")
    for dataset, rows in read(name).groupby("dataset"):
        first = rows[(rows["algorithm"] == rows["algorithm"].iloc[0]) & (rows["repetition"] == 1)]
        tested = first if covered == 1 else first.head(1)
        negatives, positives = map(int, properties.loc[dataset, "class_sizes_used"].split("/"))
        assert (tested.tp + tested.fn).sum() == pytest.approx(positives * covered, abs=1)
        assert (tested.fp + tested.tn).sum() == pytest.approx(negatives * covered, abs=1)


@pytest.mark.parametrize(("name", "shape"), SCORES.items())
def test_scores_are_complete(name, shape):
    frame = read(name)
    assert list(frame.columns) == ["dataset", "algorithm", "fold", "instance", "true", "score"]
    assert tuple(frame[column].nunique() for column in ["dataset", "algorithm", "fold"]) == shape
    assert not frame.duplicated(["dataset", "algorithm", "fold", "instance"]).any()
    assert frame["score"].between(0, 1).all()
    assert set(frame["true"]) == {0, 1}
    assert (frame.groupby(["dataset", "instance"])["true"].nunique() == 1).all()


def test_scores_of_the_first_repetition_give_its_counts():
    scores = read("twoclass_scores.csv.gz")
    called, positive = scores["score"] >= 0.5, scores["true"] == 1
    outcomes = {
        "tp": called & positive,
        "fp": called & ~positive,
        "tn": ~called & ~positive,
        "fn": ~called & positive,
    }
    key = ["dataset", "algorithm", "fold"]
    recounted = scores.assign(**outcomes).groupby(key)[OUTCOMES].sum()
    counts = read("twoclass_counts.csv").query("repetition == 1").set_index(key)[OUTCOMES]

    pd.testing.assert_frame_equal(recounted, counts.loc[recounted.index], check_dtype=False)


@pytest.mark.parametrize("name", ["twoclass_scores.csv.gz", "binary16_scores.csv.gz"])
def test_cross_validation_scores_every_instance_once(name):
    scores = read(name)
    for _, rows in scores.groupby(["dataset", "algorithm"]):
        assert sorted(rows["instance"]) == list(range(1, len(rows) + 1))


def test_thesis_folds_share_their_test_instances():
    scores = read("thesis_scores.csv.gz")
    for _, rows in scores.groupby("dataset"):
        by_instance = rows.groupby("instance").size()
        assert by_instance.tolist() == [5 * 30] * 500


@pytest.mark.parametrize(
    ("name", "shape"),
    [("garcia_herrera_2008_accuracy.csv", (30, 5)), ("demsar_2006_auc.csv", (14, 4))],
)
def test_published_tables(name, shape):
    frame = read(name).set_index("dataset")
    assert frame.shape == shape
    assert frame.index.is_unique
    assert frame.stack().between(0, 1).all()


def test_published_ranks():
    # Garcia and Herrera 2008, Table 2, last line; Kernel and CN2 rounded there.
    garcia = read("garcia_herrera_2008_accuracy.csv").set_index("dataset")
    ranks = garcia.rank(axis=1, ascending=False).mean()
    np.testing.assert_allclose(ranks, [2.100, 3.250, 2.200, 4.333, 3.117], atol=5e-4)

    # Demsar 2006, Table 6: the tie on voting as printed moves two ranks by 1/28.
    demsar = read("demsar_2006_auc.csv").set_index("dataset")
    ranks = demsar.rank(axis=1, ascending=False).mean()
    np.testing.assert_allclose(ranks, [3.143, 2.000, 2.893, 1.964], atol=0.037)


def test_catalogue_names_files_that_exist_and_starts_with_the_38_sets():
    catalog = read("catalog.csv")
    columns = ["file", "title", "question", "shape", "measure", "source", "licence"]
    assert list(catalog.columns) == columns
    assert catalog["file"].iloc[0] == "uci38_5x2.csv"
    assert catalog["file"].is_unique
    assert (catalog != "").to_numpy().all()
    assert [name for name in catalog["file"] if not (SAMPLES / name).is_file()] == []


def test_the_readme_lists_the_samples_of_the_catalogue_and_the_names_of_the_algorithms(code):
    readme = (SAMPLES / "README.md").read_text(encoding="utf-8")
    for file, title, question in read("catalog.csv")[["file", "title", "question"]].itertuples(
        index=False
    ):
        assert f"| `{file}` | {title} | {question} |" in readme

    _, _, algorithms = readme.partition("## Algorithms")
    assert sorted(re.findall(r"^\| (?!name|---)([^|]+) \|", algorithms, re.M)) == sorted(
        {*code["learners"].NAMES.values()}
    )


@pytest.mark.parametrize("name", [*SHAPES, *SCORES])
def test_algorithms_have_the_printed_names(code, name):
    assert {*read(name)["algorithm"]} <= {*code["learners"].NAMES.values()}


def test_every_algorithm_has_a_printed_name(code):
    learners = code["learners"]
    algorithms = (
        learners.EIGHT,
        learners.SEVEN,
        learners.FIVE,
        learners.SCORED,
        learners.SEVERAL,
        learners.REGRESSORS,
    )
    assert set().union(*algorithms) == {*learners.NAMES}


def test_two_models_are_a_part_of_the_thesis_scores(code):
    computed = code["make"].two_models(read("thesis_scores.csv.gz"))
    pd.testing.assert_frame_equal(computed.reset_index(drop=True), read("two_models.csv"))


def test_files_are_written_with_names_in_the_order_of_the_keys(code, tmp_path):
    """Rows are sorted by the keys, from which the random seeds are derived."""
    rows = [("b", "tree", 1, 1, 0, 0.5), ("b", "lda", 1, 1, 0, 0.25), ("a", "svm1", 1, 1, 0, 0.5)]
    scores = pd.DataFrame(
        rows, columns=["dataset", "algorithm", "fold", "instance", "true", "score"]
    )
    frames = {
        "some_scores": scores,
        "some_counts": scores,
        "properties": read("properties.csv").head(1),
    }
    code["make"].write(frames, tmp_path)

    written = [
        pd.read_csv(tmp_path / name)["algorithm"].tolist()
        for name in ("some_scores.csv.gz", "some_counts.csv")
    ]
    assert written == [
        ["SVM (linear)", "LDA", "Decision tree"],
        ["Decision tree", "LDA", "SVM (linear)"],
    ]


def test_every_table_is_in_the_catalogue_or_in_the_readme():
    shipped = {path.name for path in SAMPLES.glob("*.csv*")} - {"catalog.csv"}
    readme = (SAMPLES / "README.md").read_text(encoding="utf-8")
    listed = set(read("catalog.csv")["file"])
    assert {name for name in shipped - listed if name not in readme} == set()


def test_files_are_small():
    sizes = {path.name: path.stat().st_size for path in SAMPLES.glob("*.csv*")}
    assert max(sizes.values()) < 2_000_000
    assert sum(sizes.values()) < 6_000_000


def test_properties_describe_every_data_set(code):
    properties = read("properties.csv")
    for name, (_, datasets) in code["make"].EXPERIMENTS.items():
        assert properties.loc[properties["sample"] == name, "name"].tolist() == list(datasets)

    raw = properties["class_sizes"].map(lambda sizes: sum(map(int, sizes.split("/"))))
    used = properties["class_sizes_used"].map(lambda sizes: sum(map(int, sizes.split("/"))))
    assert raw.tolist() == properties["instances"].tolist()
    assert used.tolist() == properties["instances_used"].tolist()
    left_out = properties["instances_used"] < properties["instances"]
    assert (properties.loc[left_out, "note"] != "").all()


def test_five_by_two_repeats_itself(code, iris):
    quick = {name: code["learners"].EIGHT[name] for name in ("c45", "mdt", "svl", "5nn")}
    seconds = ["train_s", "predict_s"]
    first = code["experiments"].five_by_two(iris, quick).drop(columns=seconds)
    second = code["experiments"].five_by_two(iris, quick).drop(columns=seconds)

    pd.testing.assert_frame_equal(first, second)
    assert len(first) == 4 * 10
    assert first["error"].between(0.001, 0.15).mean() > 0.8


def test_ten_by_ten_scores_give_its_counts(code, iris_two):
    quick = {name: code["learners"].SEVEN[name] for name in ("lda", "svm1")}
    counts, scores = code["experiments"].ten_by_ten(iris_two, quick, repetitions=2)

    assert len(counts) == 2 * 2 * 10
    assert len(scores) == 2 * 100
    assert counts[OUTCOMES].sum(axis=1).tolist() == [10] * 40
    wrong = (scores["score"] >= 0.5) != (scores["true"] == 1)
    first = counts[counts["repetition"] == 1]
    assert wrong.sum() == (first["fp"] + first["fn"]).sum()


def test_larger_models_store_more_numbers(code, iris):
    lines = code["experiments"].tenfold(iris)
    sizes = lines.groupby("algorithm")["size"].mean()

    assert len(lines) == 5 * 10
    # one split and two leaves; per class a prior, and a mean and a variance of four columns
    assert (sizes["stump"], sizes["nb"], sizes["lp"]) == (6, 27, 15)
    assert sizes["rf"] > 50 * sizes["tree"]


def test_in_the_graded_sample_tests_override_the_cost():
    results = read_results(SAMPLES / "graded.csv")
    for cost in results.costs:
        assert order_of(results, rules=OrderRules(cost=cost)).ordering.edges


def test_thirty_training_sets_share_the_test_set(code, iris_two):
    counts, scores = code["experiments"].thirty_training_sets(iris_two, folds=3)

    assert counts[OUTCOMES].sum(axis=1).unique().tolist() == [34]
    assert scores.groupby("instance").size().unique().tolist() == [5 * 3]
    errors = (counts["fp"] + counts["fn"]).groupby(counts["algorithm"]).mean() / 34
    assert errors.max() < 0.2


def test_oblique_tree_needs_one_split_where_the_border_is_oblique(code):
    rng = np.random.default_rng(3)
    X = rng.uniform(-1, 1, (300, 2))
    y = (X[:, 0] + X[:, 1] > 0).astype(int)
    oblique = code["learners"].LinearDiscriminantTree().fit(X, y)
    plain = DecisionTreeClassifier(random_state=0).fit(X, y)

    assert np.mean(oblique.predict(X) == y) > 0.97
    assert oblique.n_leaves_ < plain.get_n_leaves() / 2


def test_oblique_tree_of_one_class_is_a_leaf(code):
    tree = code["learners"].LinearDiscriminantTree().fit(np.zeros((6, 2)), np.full(6, 4))
    assert tree.n_leaves_ == 1
    assert tree.predict(np.ones((2, 2))).tolist() == [4, 4]


def test_rule_list_finds_a_conjunction(code):
    X = np.array([[a, b] for a in (0, 1) for b in (0, 1)] * 10, dtype=float)
    y = (X.sum(axis=1) == 2).astype(int)
    rules = code["learners"].RuleList().fit(X, y)
    assert (rules.predict(X) == y).all()


def test_naive_bayes_gives_the_posterior_of_its_formula(code):
    X = np.array([[0.0], [0.0], [1.0], [1.0], [1.0], [0.0]])
    y = np.array([0, 0, 0, 1, 1, 1])
    model = code["learners"].MixedNaiveBayes().fit(X, y)

    # Laplace: P(1 | class 0) = 2/5, P(1 | class 1) = 3/5, equal priors.
    np.testing.assert_allclose(model.predict_proba([[1.0]]), [[0.4, 0.6]])


def test_most_confused_pair_is_versicolor_and_virginica(code, iris):
    rarer, other, mistakes = code["data"].most_confused(iris)
    assert {rarer, other} == {"1", "2"}
    assert mistakes > 0


def test_rare_classes_are_left_out_with_a_note(code):
    frame = pd.DataFrame({"x": range(15), "class": ["a"] * 9 + ["b"] * 5 + ["c"]})
    kept = code["data"].drop_rare_classes(code["data"].make_table("toy", frame))
    assert kept.labels.tolist() == ["a"] * 9
    assert kept.notes == ("classes left out: b (5), c (1)",)


def test_encoding_knows_only_the_training_rows(code):
    frame = pd.DataFrame({"x": [1.0, 3.0, None, 9.0], "s": ["u", "v", None, "w"]})
    encoder = code["data"].make_encoder(frame).fit(frame.iloc[:3])
    encoded = encoder.transform(frame)

    assert encoded.shape == (4, 1 + 3)
    assert encoded[2, 0] == pytest.approx(0)
    assert encoded[3, 1:].tolist() == [0, 0, 0]
    assert encoded[2, 1:].sum() == 1
