"""Tests that every method has one card, and that cards name existing functions and publications."""

import importlib
import inspect
import pkgutil
import re
import tomllib
from collections import Counter
from importlib.resources import files
from itertools import takewhile
from pathlib import Path

import pytest

from stats_core.comparison import cards as package
from stats_core.comparison.cards.method_card import (
    CHAPTERS,
    REFERENCES,
    cite,
    cited_keys,
    method_card,
    method_details,
    methods_page,
    reference,
    reference_of,
    reference_text,
)
from stats_core.core.errors import SettingError
from stats_core.data.settings import SOURCES, TUKEY
from stats_core.inference.methods import PAIR_TESTS
from stats_core.inference.multiplicity.adjust import CONTROL_CORRECTIONS, CORRECTIONS, LARGEST_RANKS
from stats_core.inference.multiplicity.bergmann_hommel import LARGEST_ANY, MOST_STEPS

ROOT = Path(__file__).parents[2]
CARDS = [one for chapter in CHAPTERS for one in chapter.cards]
REGISTERED = {name: test.name for name, test in PAIR_TESTS.items()}
REGISTERED |= CORRECTIONS | CONTROL_CORRECTIONS
# functions that return a test result or cite a publication, and are parts of a card's method or
# apply it
PARTS = {
    "one card or another": {
        *(
            "run_pair_test",
            "run_fold_pair_tests",
            "pairwise_delong",
            "one_fold_intervals",
            "possible_tests",
        ),
        "advised_test",
    },
    "the tests of two, one-sided": {"one_sided", "wilcoxon_greater"},
    "permutation": {"shuffle_outcome"},
    "swap_test": {"swap_tests_of_means", "mcnemar_tests"},
    "two_way_test": {"two_way_of_moves"},
    "cluster_errors": {"cr2_error"},
    "plan_items": {"t_power"},
    "threshold_risks": {"signs_turned"},
    "iman_davenport": {"as_iman_davenport", "friedman_of_rows"},
    "wilcoxon": {
        "ordered_sums",
        "signed_rank_pairs",
        "wilcoxon_two_sided",
        "pairs_without_each",
        "pairwise_result",
    },
    "rom": {"rom_levels"},
    "shaffer": {"true_counts"},
    "exact_rank_pairs": {"two_sided_tail", "exact_critical_gap", "advised_source"},
    "pair_intervals": {"rank_shift", "typical_differences"},
    "sign": {"sign_pairs"},
    "tukey": {"tukey_after"},
    "manova_dimension": {"dimension_after"},
    "bergmann_hommel": {"bergmann_hommel_rows", "largest_products", "products_by_search"},
    "against_region": {"turning_widths"},
    "set_wins": {"wins_from"},
    "wins": {"decide_threshold", "sign_pvalues"},
    "similar_sets": {"similarity_order"},
    "curves": {
        "curves_of_folds",
        "average_curves",
        "mean_areas",
        "dominance",
        "rates_at_threshold",
    },
    "sweep": {"sweep_curves", "sweep_each"},
    "detectable": {
        *("distance_by_hotelling", "distance_by_manova", "li_levels"),
        *("shift_by_cv52", "shift_by_flips", "shift_by_signed_ranks"),
    },
    "simulate_multitest": {"rates_of_three", "rates_of_four"},
    "where a page opens": {"best_first", "datasets_by_difference"},
    "the analysis, once more": {
        *("findings", "sensitivity", "by_measure", "by_dataset", "by_group", "changed_decisions"),
        "decided_otherwise",
        *("equivalence", "learned_measures_of", "permutation_test_of", "one_or_several"),
        *("inside_group", "cost_plane"),
        "run_part",
    },
}


def functions(*rooms):
    """Yield name and function of every public function defined in some subpackages of stats_core."""
    for room in rooms:
        start = importlib.import_module(f"stats_core.{room}")
        for module in pkgutil.walk_packages(start.__path__, f"{start.__name__}."):
            for name, found in vars(importlib.import_module(module.name)).items():
                own = inspect.isfunction(found) and found.__module__ == module.name
                if own and not name.startswith("_"):
                    yield name, found


def is_method(function):
    """Return whether a function returns a test result or cites a publication."""
    given = str(function.__annotations__.get("return"))
    return bool(re.search(r"Result\b", given)) or "\n    References\n" in function.__doc__


def test_every_method_has_a_card():
    told = {name.split(".")[-1] for one in CARDS for name in one.runs}
    rooms = functions("inference", "curves", "ordering", "power", "robustness")
    methods = {name for name, found in rooms if is_method(found)}

    assert methods - told <= set().union(*PARTS.values())


@pytest.mark.parametrize("one", CARDS, ids=lambda one: one.key)
def test_a_card_names_functions_and_papers_that_exist(one):
    assert one.definition.endswith(".")
    assert one.when
    assert one.runs
    for name in one.runs:
        module, _, function = f"stats_core.{name}".rpartition(".")
        found = getattr(importlib.import_module(module), function)
        assert found.__module__ == module, name
    for said in (*one.assumes, *one.refused, *one.also, one.when):
        assert said.endswith((".", "?", '".')), said
    assert all(reference(key) and cite(key, place) in one.reference for key, place in one.cites)


def test_all_that_settings_ask_for_has_a_card():
    for name, shown in REGISTERED.items():
        assert method_card(name).name == shown
    assert {method_card(source).key for source in SOURCES} == {
        "exact_rank_pairs",
        "wilcoxon",
        "sign_test",
    }
    assert method_card(TUKEY).name == "Tukey's test"
    with pytest.raises(SettingError, match="astrology"):
        method_card("astrology")


def test_no_two_cards_share_a_key_or_a_name():
    keys = Counter(name for one in CARDS for name in (one.key, *one.aliases))
    names = Counter(one.name.lower() for one in CARDS)

    assert [key for key, times in (keys | names).items() if times > 1] == []


def test_no_name_is_typed_twice():
    cards = [method.card for method in PAIR_TESTS.values()]
    for path in files(package).iterdir():
        if path.name.endswith(".toml"):
            for key, told in tomllib.loads(path.read_text(encoding="utf-8")).items():
                if isinstance(told, dict) and "name" in told:
                    assert not {key, *told.get("aliases", ())} & {*REGISTERED, *cards}, key


def test_every_publication_is_cited_and_every_citation_is_known():
    assert cited_keys() == sorted(REFERENCES)
    assert all(re.search(r"\b\d{4}\b", cite(key)) for key in REFERENCES)
    assert reference_of("holm", "holm") == cite("holm1979")


def test_no_publication_is_named_on_a_card_without_its_entry():
    """Cards cite publications by key, not in plain text such as "O'Brien and Shieh 1992"."""
    named = re.compile(
        r"\b[A-Z][\w’'-]+(?: (?:and|et al\.,?) [A-Z]?[\w’'-]*)* \(?(?:18|19|20)\d\d\b"
    )
    for path in files(package).iterdir():
        if path.name.endswith(".toml"):
            assert named.findall(path.read_text(encoding="utf-8")) == [], path.name


def test_addresses_of_publications_are_ones_and_each_is_printed():
    for key, one in REFERENCES.items():
        doi, url = (one.fields.get(name, "") for name in ("doi", "url"))
        assert not (doi and url), key
        assert not doi or re.fullmatch(r"10\.\d{4,9}/\S+", doi), key
        assert not url or re.fullmatch(r"https://\S+", url), key
        assert (doi or url) in reference_text(key)
    given = [one.fields["doi"] for one in REFERENCES.values() if "doi" in one.fields]
    assert len(given) == len(set(given)) >= 59
    # Oxford's DOIs of Biometrika are volume, number and first page
    for key, one in REFERENCES.items():
        if one.fields.get("journal") == "Biometrika" and "doi" in one.fields:
            first = one.fields["pages"].split("--")[0]
            volume, number = one.fields["volume"], one.fields.get("number", "3-4")
            expected = f"10.1093/biomet/{volume}.{number.replace('--', '-')}.{first}"
            assert one.fields["doi"] == expected, key


def test_the_page_of_methods_is_up_to_date():
    written = (ROOT / "docs" / "methods.md").read_text(encoding="utf-8")

    assert written == methods_page(), "python -m stats_core.comparison.cards > docs/methods.md"
    assert not re.search(r"@[a-z]+\d{4}|\{\w+\}\.|\{levels\}", written)


MEASURED = {  # card -> columns of the tables that hold its measured limits
    "proportions": ["Wilson, coverage"],
    "cluster_errors": ["mean", "accuracy", "ranks"],
    "rank_intervals": ["simultaneous", "ranks"],
    "stratified_difference": ["all instances", "mean of benchmarks"],
}


@pytest.mark.parametrize("key", MEASURED)
def test_cards_tell_the_worst_measured_rates(key):
    """The numbers of the sentence are the worst of the tables on the page of methods."""
    lines = methods_page().splitlines()
    (said,) = re.findall(r"Measured limits:\*\* (.*)", method_details(method_card(key)))
    worst = []
    for column in MEASURED[key]:
        start = next(i for i, line in enumerate(lines) if f"| {column} |" in line)
        position = [cell.strip() for cell in lines[start].strip("|").split("|")].index(column)
        rows = list(takewhile(lambda line: line.startswith("|"), lines[start + 2 :]))
        numbers = [float(row.strip("|").split("|")[position].split("±")[0]) for row in rows]
        worst.append(max(numbers) if key == "stratified_difference" else min(numbers))
    assert len(numbers) > 3
    assert [float(number) for number in re.findall(r"0\.\d{3}", said)] == worst


def test_the_limits_on_the_card_are_those_of_the_code():
    text = method_card("bergmann_hommel").text
    assert f"for up to {LARGEST_RANKS} algorithms" in text
    assert f"partitions into cliques, for up to {LARGEST_ANY} algorithms." in text.replace(
        "\n", " "
    )
    assert f"not finished in {MOST_STEPS // 1_000_000} million steps" in text
