"""Tests that every analysis has its figures, and that every figure can be drawn and printed."""

import re
from itertools import cycle

import numpy as np
import pandas as pd
import pytest

from foldwise.figures import clouds, ordering_strip, theme
from foldwise.figures.auc_histogram import errors_drawing
from foldwise.figures.cd_diagram import best_ranked
from foldwise.figures.cost_curves import cost_share
from foldwise.figures.cost_plane import CostPlaneFigure
from foldwise.figures.fold_histogram import folds_drawing
from foldwise.figures.pair_matrix import matrix_of_pairs
from foldwise.figures.rank_map import rank_map_of_order
from foldwise.figures.registry import drawings, missing_drawings
from foldwise.figures.roc import operating_points, same_cost
from foldwise.figures.sign_test_graph import sign_graph_of_wins
from foldwise.figures.theme import LEAST_POINTS
from foldwise.figures.wins_table import wins_over_datasets
from foldwise.rendering.figure_files import (
    VENUES,
    StylePanel,
    draw_for_print,
    figure_file,
    smallest_font,
)
from stats_core.comparison.analyse import analyse
from stats_core.curves.curve_comparison import AVERAGES, average_curves, curves_of_folds
from stats_core.data.results import Results
from stats_core.data.settings import Settings
from stats_core.io.mapping import Mapping
from stats_core.io.read import read_results
from stats_core.ordering.order import order_of
from stats_core.report.tables import robustness_tables
from stats_core.robustness.dataset_decisions import set_wins
from tests.figures.sample_figures import COUNTS, CURVES, UCI, made, read

PAIR = ("5-NN", "C4.5")
CASES = {
    "several over data sets": (
        (UCI, Settings()),
        True,
        "ranks_error from_best_error pairs_error intervals_error rank_map_error cost_plane_error "
        "ordering_error order_ranks_error order_places_error paths_cost",
    ),
    "a control": (
        ("garcia_herrera_2008_accuracy.csv", Settings(control="C4.5")),
        False,
        "control_accuracy intervals_accuracy rank_map_accuracy",
    ),
    "two over data sets": ((UCI, Settings(pair=PAIR)), False, "differences_error scatter_error"),
    "several on folds": (
        (UCI, Settings(dataset="australian")),
        True,
        "from_best_error|order_maximal groups_australian_error|folds_australian_error|raincloud_australian_error|"
        "pairs_australian_error|intervals_australian_error|qq_australian_error|cost_plane_error|"
        "ordering_error|paths_cost",
    ),
    "two on folds": (
        (UCI, Settings(dataset="australian", pair=PAIR)),
        False,
        "difference_australian_error folds_australian_error raincloud_australian_error paired_australian_error qq_australian_error",
    ),
    "several on measures": (
        (COUNTS, Settings(dataset="donors", measures=("fpr", "tpr"))),
        False,
        "contours_donors_fpr_tpr_panels cliques_donors_fpr_tpr pairs_donors_fpr_tpr loadings_donors "
        "learned_donors distances_donors",
    ),
    "two on measures": (
        (COUNTS, Settings(dataset="donors", measures=("fpr", "tpr"), pair=("LDA", "QDA"))),
        False,
        "contours_donors_fpr_tpr difference_donors_fpr_tpr loadings_donors distances_donors",
    ),
    "scores": (
        (CURVES, Settings(dataset="acceptors", measure="auc")),
        False,
        "from_best_auc|order_maximal groups_acceptors_auc|folds_acceptors_auc|raincloud_acceptors_auc|pairs_acceptors_auc|"
        "intervals_acceptors_auc|qq_acceptors_auc|roc_acceptors|pr_acceptors|"
        "auc_intervals_acceptors|sweep_acceptors_tp_fp_tn_fn|cost_acceptors",
    ),
}

HIGHER = Mapping(measure_name="score", directions={"score": "higher"})


@pytest.fixture(scope="module", params=CASES)
def case(request):
    (file, settings), with_order, names = CASES[request.param]
    analysis, order, found = made(file, settings, with_order=with_order)
    return analysis, order, found, names.split("|" if "|" in names else " ")


def test_every_analysis_has_its_figures_in_the_order_of_thought(case):
    _, _, found, names = case
    assert [one.name for one in found] == names


def test_every_figure_can_be_drawn_on_paper_and_read(case):
    for one in case[2]:
        for panel in (
            StylePanel(width_in=min(VENUES.values())),
            StylePanel(width_in=max(VENUES.values()), serif=False, colour=True, points=9),
        ):
            figure = draw_for_print(one, panel)
            assert figure.layout.width == round(96 * panel.width_in), one.name
            assert LEAST_POINTS <= smallest_font(figure) <= panel.points, one.name
            assert isinstance(one.caption(panel.style), str)


def test_every_figure_can_be_drawn_on_the_screen(case):
    for one in case[2]:
        assert (one.figure(theme.screen()).layout.width or 0) <= 980, one.name
        assert 20 < len(one.alt) <= 300
        assert one.how_to_read.count(".") >= 2
        assert len(one.data.columns)


def test_every_figure_can_be_printed_in_every_form(case):
    """Every text in TikZ has the typeface of the style panel, and the figure its width."""
    panels = (StylePanel(width_in=3.25), StylePanel(width_in=6.75, serif=False, colour=True))
    for one, panel in zip(case[2], cycle(panels), strict=False):
        source = figure_file(one, panel, "tikz").decode()
        family = r"\rmfamily" if panel.serif else r"\sffamily"
        assert source.count(family) == source.count(r"\fontsize") > 0, one.name
        assert f"({96 * panel.width_in:g}," in source, one.name
        assert figure_file(one, panel, "pdf").startswith(b"%PDF"), one.name


def test_rows_of_the_numbers_are_named(case):
    for one in case[2]:
        rows = one.data.index
        assert isinstance(rows, pd.RangeIndex) or all(rows.names), one.name


def test_the_table_of_normality_says_the_other_form_and_what_cannot_be_tested():
    analysis = made(COUNTS, Settings(dataset="donors", measures=("fpr", "tpr")))[0]
    checks = {**analysis.normality, "nobody": "2 folds are too few"}
    notes = robustness_tables.normality_table(analysis, checks).frame["note"]
    assert notes["LDA"].startswith("asymptotic p")
    assert notes["nobody"] == "2 folds are too few"


def test_what_is_missing_is_not_drawn_and_has_a_reason(case):
    analysis, order, found, _ = case
    names = " ".join(one.name for one in found)
    missing = missing_drawings(analysis, order=order, results=read(CURVES))
    assert ("order by cost" in missing) == ("ordering_" not in names)
    assert ("average ranks" in missing) == ("ranks_" not in names and "control_" not in names)
    assert all(missing.values())


def test_a_table_of_averages_says_what_it_lacks():
    analysis, _, _ = made("garcia_herrera_2008_accuracy.csv")
    assert missing_drawings(analysis, results=read("garcia_herrera_2008_accuracy.csv")) == {
        "results per fold": "one result per algorithm and data set",
        "several measures": "one measure",
        "ROC/PR curves": "no scores",
        "order by cost": "no cost",
    }


def test_scores_of_several_data_sets_have_curves_once_one_is_chosen():
    analysis, _, found = made(CURVES)
    reason = missing_drawings(analysis, results=read(CURVES))["ROC/PR curves"]
    assert reason == "several data sets"
    assert not any(one.name.startswith("roc_") for one in found)


def test_one_algorithm_has_no_figures():
    results = read_results(b"dataset,algorithm,error\na,svm,0.1\nb,svm,0.2\n")
    assert drawings(analyse(results), results=results) == []


def test_colours_stay_with_the_algorithm_when_others_are_left_out():
    """The first colour belongs to the first algorithm of the file, even if that is left out."""
    results = read(UCI)
    names = results.algorithms
    settings = Settings(dataset="australian", without_algorithms=(names[0],))
    found = drawings(analyse(results, settings), results=results)
    histograms = next(one for one in found if one.name.startswith("folds_"))
    spec = str(histograms.figure(theme.screen()).to_dict()["data"])
    assert theme.PALETTE[0] not in spec
    assert theme.PALETTE[1] in spec


def test_selection_is_for_the_screen_only():
    analysis, _, _ = made(UCI, Settings(dataset="australian"))
    plain = folds_drawing(analysis)
    picked = folds_drawing(analysis, selected=["1.1"], lit=[analysis.order[0]])
    on_paper, on_screen = theme.paper(), theme.screen()
    assert picked.figure(on_paper) == plain.figure(on_paper)
    assert picked.figure(on_screen) != plain.figure(on_screen)


def test_orders_are_drawn_twice_where_notations_disagree():
    """In these folds, the first and the last algorithm do not differ, but two between them do."""
    rng = np.random.default_rng(3)
    base = rng.normal(size=30)
    wobble = 3 * rng.normal(size=30)
    columns = {
        "a": base + wobble,
        "b": base + 0.2 + 0.05 * rng.normal(size=30),
        "c": base + 0.4 + 0.05 * rng.normal(size=30),
        "d": base + 0.6 - wobble,
    }
    table = pd.DataFrame(columns).rename_axis("fold").reset_index()
    frame = table.melt(id_vars="fold", var_name="algorithm", value_name="score")
    frame = frame.astype({"fold": str}).assign(dataset="s")
    results = Results.from_frame(frame, directions={"score": "higher"})
    analysis = analyse(results, Settings(test="paired t"))
    assert analysis.notations_disagree
    first, second = ordering_strip.strip_drawings(analysis)
    assert "maximal groups" in first.name
    assert "underlines" in second.name


def test_of_many_algorithms_the_best_are_drawn_with_their_groups():
    rng = np.random.default_rng(5)
    names = [f"a{i:02}" for i in range(64)]
    wide = pd.DataFrame(rng.normal(size=(30, 64)) + np.linspace(0, 9, 64), columns=names)
    wide.index = pd.Index([f"d{i:02}" for i in range(30)], name="dataset")
    results = read_results(wide.to_csv().encode(), mapping=HIGHER)
    analysis = analyse(results, Settings(correction="holm"))

    ranks, groups = best_ranked(analysis, 60)

    assert list(ranks.index) == analysis.order[:60]
    inside = {name for group in groups for name in group}
    assert inside <= set(ranks.index)
    assert not any(set(a) < set(b) for a in groups for b in groups)
    assert best_ranked(analysis, None)[1] == analysis.groups
    matrix = matrix_of_pairs(analysis)
    assert len(matrix.data) == 60 * 59 / 2
    assert len(matrix.numbers()) == 64 * 63 / 2, "a file has what is not drawn, too"


def test_of_many_algorithms_the_best_are_ranked_among_themselves():
    """Of 70 algorithms with a cost, the heat map shows 60, ranked from 1 to 60."""
    rng = np.random.default_rng(3)
    table = pd.DataFrame(
        [
            {
                "dataset": f"d{i}",
                "algorithm": f"a{j:02}",
                "error": rng.random() / 10 + j / 90,
                "time": j + 1,
            }
            for i in range(12)
            for j in range(70)
        ]
    )
    results = read_results(table.rename(columns={"time": "time_s"}).to_csv(index=False).encode())
    order = order_of(results, Settings(measure="error", correction="holm"))
    one = rank_map_of_order(order)
    assert one is rank_map_of_order(order), "kept with the order"
    assert one.data.shape == (12, 60)
    assert one.data.max(axis=None) == 60
    for style in (theme.paper(), theme.screen()):
        assert one.figure(style).layout.height > 0
        assert "60 best of 70 algorithms are drawn" in one.caption(style)


def test_many_arrows_of_the_sign_test_are_left_out_and_the_caption_says_so():
    rng = np.random.default_rng(3)
    table = pd.DataFrame(
        rng.random((20, 25)) + np.arange(25), columns=[f"a{j:02}" for j in range(25)]
    )
    table.index = pd.Index([f"d{i}" for i in range(20)], name="dataset")
    results = read_results(table.to_csv().encode(), mapping=HIGHER)
    found = set_wins(results, measure=results.measures[0])
    drawn = sign_graph_of_wins(found, list(found.wins.index))
    assert drawn is sign_graph_of_wins(found, list(found.wins.index)), "kept with the wins"
    assert wins_over_datasets(found, list(found.wins.index)).data.index.name == "algorithm"
    said = drawn.caption(theme.screen())
    assert "that start or end at" in said
    assert "Where there is no arrow" not in said


def test_every_caption_says_what_is_drawn(case):
    """Figures of loadings and distances are explained by their titles."""
    for one in case[2]:
        if not one.name.startswith(("loadings", "distances", "difference_donors")):
            for style in (theme.paper(), theme.screen()):
                assert len(one.caption(style)) > 40, one.name
                assert one.caption(style).endswith("."), one.name


def test_the_numbers_of_an_axis_have_the_same_decimals(case):
    """Plotly's own ticks drop trailing zeros: 0.18, 0.19, 0.2; only zoomable axes on the screen use them."""
    for one in case[2]:
        figure = one.figure(theme.paper())
        for axis in [*figure.select_xaxes(), *figure.select_yaxes()]:
            if axis.visible is False or axis.showticklabels is False:
                continue
            if axis.ticktext is None:
                assert axis.tickformat, one.name
                continue
            numbers = [word for word in axis.ticktext if re.fullmatch(r"\u2212?[\d,]*\.?\d+", word)]
            said = [float(word.replace("\u2212", "-").replace(",", "")) for word in numbers]
            # logarithms do not say their own places
            if len(numbers) == len(axis.ticktext) and np.allclose(said, axis.tickvals):
                assert len({len(word.partition(".")[2]) for word in numbers}) <= 1, one.name


def test_marks_and_the_line_of_equal_cost_by_hand():
    """Two folds of 1 positive and 2 negatives at theta = 1/2: slope (2 / 1) x (.5 / .5) = 2."""
    text = b"algorithm,fold,true,score\na,1,1,0.9\na,1,0,0.7\na,1,0,0.2\na,2,1,0.6\na,2,0,0.1\na,2,0,0.3\n"
    data = curves_of_folds(read_results(text), "results")
    counts = data.counts([0.5])[0][0]

    marks = operating_points(data, counts, "roc")

    assert marks.to_numpy().tolist() == [[0.5, 1.0], [0.0, 1.0]]
    assert operating_points(data, counts, "pr").to_numpy().tolist() == [[1.0, 0.5], [1.0, 1.0]]
    assert same_cost(data, {"a": marks}, 0.5)[:2] == (2.0, 1.0 - 2.0 * 0.25)
    assert cost_share(data, 0.5) == pytest.approx(1 / 3)


def test_the_hull_of_all_folds_is_nowhere_below_their_average():
    data = curves_of_folds(read(CURVES), "acceptors")
    mean = average_curves(data, "roc", AVERAGES[0], "one standard error", None)
    hull = average_curves(data, "roc", AVERAGES[2], "one standard error", None)
    for name in data.names:
        above = np.interp(mean[name]["x"], hull[name]["x"], hull[name]["y"])
        assert (above >= mean[name]["y"] - 1e-9).all()


def test_a_figure_is_kept_for_tables_that_hold_the_same():
    data = curves_of_folds(read(CURVES), read(CURVES).datasets[0])
    errors = pd.DataFrame({name: [0.1, 0.2] for name in data.names}, index=["1", "2"])

    one = errors_drawing(data, errors)

    assert errors_drawing(data, errors.copy()) is one
    assert errors_drawing(data, errors.assign(**{data.names[0]: [0.1, 0.3]})) is not one
    assert errors_drawing(data, errors.set_axis(["1", "3"])) is not one


def test_of_many_drawings_those_used_last_are_kept():
    """After a hundred other figures, a figure requested in between is still cached, and another is not."""
    analysis, *_ = made(COUNTS, Settings(dataset="donors", measures=("fpr", "tpr")))
    used, left = (clouds.clouds_drawing(analysis, levels=(share,)) for share in (0.5, 0.9))
    for place in range(100):
        clouds.clouds_drawing(analysis, levels=(0.5, 0.6 + place / 1000))
        assert clouds.clouds_drawing(analysis, levels=(0.5,)) is used
    assert clouds.clouds_drawing(analysis, levels=(0.9,)) is not left


@pytest.mark.parametrize("measures", [(), ("fpr", "tpr")])
@pytest.mark.parametrize("pair", [(), ("a", "b")])
def test_figures_of_runs_speak_of_runs(measures, pair):
    """All texts of a figure, also hover texts, use the noun of the design."""
    rows = [
        f"d,{name},{seed}," + ",".join(f"0.{(seed * (place + n)) % 7 + 1}" for n in (2, 3, 5))
        for place, name in enumerate("abc")
        for seed in range(7)
    ]
    table = "\n".join(["dataset,algorithm,seed,error,fpr,tpr", *rows])
    settings = Settings(pair=pair, measures=measures, measure="error")
    drawn = drawings(analyse(read_results(("runs.csv", table.encode())), settings))
    for drawing in drawn:
        said = words_of(drawing)
        assert "fold" not in said.lower(), drawing.name
        if drawing.name.startswith(("folds", "paired", "difference", "contours")):
            assert "run 0" in said, drawing.name
    assert len(drawn) > 2


def test_figures_of_curves_speak_of_partitions():
    rng = np.random.default_rng(0)
    rows = [
        f"d,{name},{seed},{case},{case % 2},{0.3 * (case % 2) + 0.7 * rng.random():.3f}"
        for seed in range(5)
        for case in rng.permutation(90)[:40]
        for name in "abc"
    ]
    table = "\n".join(["dataset,algorithm,seed,instance,true,score", *rows])
    results = read_results(("partitions.csv", table.encode()))
    for measure in ("auc", "error"):
        found = analyse(results, Settings(dataset="d", measure=measure))
        said = {one.name: words_of(one) for one in drawings(found, results=results)}
        assert {name for name, words in said.items() if "fold" in words.lower()} == set()
        assert "each tick is the auc of one partition" in said["auc_intervals_d"].lower()


def words_of(drawing):
    """Return all texts of a figure on the screen."""
    style = theme.screen()
    fig = drawing.figure(style)
    said = [drawing.title, drawing.alt, drawing.how_to_read, drawing.caption(style)]
    said += [str(note.text) for note in fig.layout.annotations]
    said += [str([each.hovertext, each.hovertemplate, each.text]) for each in fig.data]
    return " ".join(said)


def test_a_cost_plane_without_costs_says_so():
    rows = pd.DataFrame(
        {"cost": [np.nan], "value": [0.1], "standing": ["undominated"], "by": [""]}, index=["a"]
    )
    texts = {
        "name": "plane",
        "title": "Error against cost",
        "cost": "cost",
        "value": "error",
        "finding": "",
    }
    spec = CostPlaneFigure(data=rows, higher_is_better=False, **texts)

    for style in (theme.screen(), theme.screen(dark=True)):
        (note,) = spec.figure(style).layout.annotations
        assert note.text == spec.caption(style) == "No algorithm has a cost."
