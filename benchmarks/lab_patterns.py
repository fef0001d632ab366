"""Comparison of simulations with those in the papers; writes docs/lab.md.

``python -m benchmarks.lab_patterns [--draws 2000]`` redraws Figures 4 and 5 of Garcia and Herrera
(2008) and of Ulas et al. (2012), as pictures in docs/lab and as tables next to the statements of
these papers. It also simulates the level of the default procedure on every sample, over data sets
and on the folds of each data set.
"""

import argparse
import csv
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from foldwise.figures.order_probability import OrderProbability
from foldwise.figures.simulation_figures import lab_drawings
from foldwise.figures.theme import Style, paper
from foldwise.rendering.from_plotly import export
from stats_core.core.errors import DesignError
from stats_core.data.settings import TUKEY, Settings
from stats_core.io.mapping import Mapping
from stats_core.io.read import read_results
from stats_core.power.error_rates import LevelOnDesign, level_of
from stats_core.power.order_simulation import rates_up_to, simulate_multi2test, simulate_multitest
from stats_core.power.simulated_power import power_of
from stats_core.report.power_text import decide_level

ROOT = Path(__file__).parents[1]
SAMPLES = ROOT / "sample_results"
PICTURES = ROOT / "docs" / "lab"
FOUR = ("bonferroni", "holm", "shaffer", "bergmann-hommel")  # the paper's Nemenyi is Bonferroni
ON_Z = tuple(f"{name} on z" for name in FOUR)
HELD = {True: "yes", False: "**no**"}
MOST_FOLDS = 3  # data sets per sample whose folds are simulated


def main() -> None:
    """Write docs/lab.md."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draws", type=int, default=2000)
    (ROOT / "docs" / "lab.md").write_text(text(parser.parse_args().draws), encoding="utf-8")


def text(draws: int) -> str:
    """Return the text of docs/lab.md, after writing its pictures."""
    return "\n".join([*_opening(draws), *_procedures(draws), *_orders(), *_levels(draws)]) + "\n"


def _opening(draws: int) -> Iterator[str]:
    yield "# Simulations compared with the papers"
    yield ""
    yield f"Made by `python -m benchmarks.lab_patterns --draws {draws}`. The papers contain curves, but few numbers."
    yield "Each row compares a statement in a paper with our result. Standard errors are in brackets."


def _procedures(draws: int) -> Iterator[str]:
    """Yield the lines on Figures 4 and 5 of Garcia and Herrera, computed from their table; write the pictures."""
    results = read_results(SAMPLES / "garcia_herrera_2008_accuracy.csv")
    settings = Settings(measure="accuracy")
    result = power_of(results, settings, pair=("C4.5", "1-NN"), procedures=ON_Z, draws=draws)
    # names as in the paper, to compare the figures
    plain = {procedure.name: _NAMES[procedure.correction] for procedure in result.procedures}
    frame = result.frame.replace({"procedure": plain})
    yield "\n## García and Herrera (2008), Figures 4 and 5"
    yield f"Ten of their {result.from_sets} data sets were drawn in each of {draws:,} simulations per bias. The sampling favoured C4.5 over 1-NN, and average ranks were compared by z tests. In the paper, data sets were drawn from fifty."
    yield "The paper does not contain the results on all fifty data sets, so we used the thirty data sets in Table 2. The procedure that the paper calls Nemenyi is the Bonferroni correction."
    every, of_pair = lab_drawings(replace(result, frame=frame))
    pictures = iter(
        (
            _picture("garcia_4", of_pair.alt, of_pair.figure),
            _picture("garcia_5", every.alt, every.figure),
        )
    )
    for title, rejected, p in (
        (
            "Figure 4: C4.5 against 1-NN (share of simulations that reject, and mean adjusted p-value)",
            "pair rejected",
            "pair pvalue",
        ),
        (
            "Figure 5: all ten pairs (mean number of rejections, and mean adjusted p-value)",
            "rejected",
            "pvalue",
        ),
    ):
        yield f"\n### {title}\n"
        yield f"{next(pictures)}\n"
        yield "| bias | Nemenyi | Holm | Shaffer | Bergmann-Hommel |\n|---|---|---|---|---|"
        for bias in (0, 5, 10, 15, 20):
            rows = frame[frame["bias"] == bias]
            cells = [
                f"{row[rejected]:.2f} ({row[f'{rejected} se']:.3f}), {row[p]:.2f}"
                for _, row in rows.iterrows()
            ]
            yield f"| {bias} | {' | '.join(cells)} |"
    wide = {
        name: frame.pivot(index="bias", columns="procedure", values=name)
        for name in ("pair rejected", "pair pvalue", "rejected", "pvalue")
    }
    yield "\n| statement of the paper | our result | agrees |\n|---|---|---|"
    yield from _patterns(wide)


_NAMES = {
    "bonferroni": "Nemenyi",
    "holm": "Holm",
    "shaffer": "Shaffer",
    "bergmann_hommel": "Bergmann-Hommel",
}


def _picture(name: str, alt: str, build: Callable[[Style], go.Figure]) -> str:
    """Write a figure as SVG and return the Markdown line that shows it."""
    PICTURES.mkdir(exist_ok=True)
    figure = build(paper(5.0, serif=False, colour=True))
    (PICTURES / f"{name}.svg").write_bytes(export(figure, "svg"))
    return f"![{alt}](lab/{name}.svg)"


def _patterns(wide: dict[str, pd.DataFrame]) -> Iterator[str]:
    """Yield lines that compare the paper's statements with simulated means, bias x procedure."""
    nemenyi, holm, shaffer, exhaustive = _NAMES.values()
    pair, every, p = wide["pair rejected"], wide["rejected"], wide["pvalue"]
    for figure, table in (("4(a)", pair), ("5(a)", every)):
        gains = (table[exhaustive] - table[shaffer], table[shaffer] - table[holm])
        yield _line(
            f"{figure}: Bergmann-Hommel is the most powerful, followed by Shaffer",
            f"at every bias it rejects {gains[0].min():.3f} to {gains[0].max():.3f} more than Shaffer, which rejects {gains[1].min():.3f} to {gains[1].max():.3f} more than Holm",
            bool((gains[0] > 0).all() and (gains[1] >= 0).all()),
        )
    at_first_bias, at_last_bias = (pair.loc[bias] for bias in (0.0, 20.0))
    near = [abs(rates[exhaustive] - rates[shaffer]) for rates in (at_first_bias, at_last_bias)]
    yield _line(
        "4(a): procedures that use logical relations approach the same power, the others a lower power",
        f"at bias 20 Bergmann-Hommel {at_last_bias[exhaustive]:.3f}, Shaffer {at_last_bias[shaffer]:.3f}, Holm {at_last_bias[holm]:.3f}, Nemenyi {at_last_bias[nemenyi]:.3f}. The first two differ by {near[1]:.3f}, and by {near[0]:.3f} at bias 0",
        near[1] < near[0]
        and min(at_last_bias[exhaustive], at_last_bias[shaffer])
        > max(at_last_bias[holm], at_last_bias[nemenyi]),
    )
    yield _line(
        "4(a): at bias 0 the benefit of Bergmann-Hommel is appreciable",
        f"{at_first_bias[exhaustive]:.3f}, compared with {at_first_bias[shaffer]:.3f} for Shaffer",
        at_first_bias[exhaustive] > at_first_bias[shaffer],
    )
    for figure, table in (("4(b)", wide["pair pvalue"]), ("5(b)", p)):
        yield _line(
            f"{figure}: Nemenyi is the most conservative",
            f"mean adjusted p-value {table[nemenyi].mean():.2f} (next procedure: {table.drop(columns=nemenyi).max(axis=1).mean():.2f})",
            bool((table[nemenyi] > table.drop(columns=nemenyi).max(axis=1)).all()),
        )
    yield _line(
        "5(a): the bias of one pair changes the number of rejections among all pairs",
        f"Bergmann-Hommel {every.loc[0.0, exhaustive]:.2f} at bias 0, {every.loc[20.0, exhaustive]:.2f} at bias 20",
        every.loc[20.0, exhaustive] > every.loc[0.0, exhaustive],
    )
    steps = every[list(_NAMES.values())].diff(axis=1).iloc[:, 1:]
    yield _line(
        "5(b): Shaffer and Bergmann-Hommel gain similarly over the next procedure, Holm gains less",
        f"mean rejections gained: Holm {steps[holm].mean():.2f}, Shaffer {steps[shaffer].mean():.2f}, Bergmann-Hommel {steps[exhaustive].mean():.2f}",
        bool(steps[holm].mean() < min(steps[shaffer].mean(), steps[exhaustive].mean())),
    )


def _line(says: str, find: str, agrees: bool) -> str:
    return f"| {says} | {find} | {HELD[bool(agrees)]} |"


def _orders() -> Iterator[str]:
    """Yield the lines on Figures 4 and 5 of Ulas et al.; write the pictures."""
    yield "\n## Ulaş, Yıldız and Alpaydın (2012), Figures 4 and 5"
    yield "Each probability is based on 1,000 simulations with one-sided paired *t* tests on ten results. Error rates differ more with larger λ, from 0 to 0.1. The prior order is 1, 2, 3 (4), and more expensive algorithms are better."
    yield "In Figure 4 a result has 100 instances, as in the paper. In Figure 5 base rates are drawn between 0.45 and 0.55, as in the paper. The paper does not state the numbers of instances (50 here) and results (10 here) of Figure 5."
    cases = (
        (
            "ulas_4",
            "Figure 4: MultiTest, three algorithms",
            simulate_multitest(rates_up_to((2, 0, -2), 0.1)),
            ("1-2-3", "2-3-1", "3-2-1"),
        ),
        (
            "ulas_5",
            "Figure 5: Multi2Test, four algorithms on 30 data sets",
            simulate_multi2test(rates_up_to((3, 1, -1, -3), 0.1)),
            ("1-2-3-4", "2-3-4-1", "3-4-1-2", "4-3-2-1"),
        ),
    )
    for name, title, result, orders in cases:
        table = result.probabilities
        yield f"\n### {title}: frequency of each order\n"
        spec = OrderProbability(
            probabilities=table, standard_error=result.standard_error, prior=result.prior
        )
        yield f"{_picture(name, spec.alt, spec.draw)}\n"
        columns = [order for order in orders if order in table]
        yield f"| λ | {' | '.join(columns)} |\n|---|{'---|' * len(columns)}"
        for lambda_value in table.index[:: max(1, (len(table) - 1) // 5)]:
            yield f"| {lambda_value:g} | {' | '.join(f'{table.loc[lambda_value, order]:.2f}' for order in columns)} |"
        yield "\n| statement of the paper | our result | agrees |\n|---|---|---|"
        at_smallest, at_largest = table.iloc[0], table.iloc[-1]
        yield _line(
            f"at λ = 0, the method returns {orders[0]}",
            f"{at_smallest[orders[0]]:.3f}",
            at_smallest[orders[0]] > 0.9,
        )
        yield _line(
            f"at λ = 0.1, the method returns {orders[-1]}",
            f"{at_largest[orders[-1]]:.3f}",
            at_largest[orders[-1]] > 0.9,
        )
        peaks = [table[order].idxmax() if order in table else np.nan for order in orders[1:-1]]
        highest = [table[order].max() if order in table else 0.0 for order in orders[1:-1]]
        maxima = " and ".join(
            f"the largest probability of {order} is {high:.2f} (at λ = {peak:g})"
            for order, high, peak in zip(orders[1:-1], highest, peaks, strict=True)
        )
        yield _line(
            f"between λ = 0 and 0.1, the method returns {' and then '.join(orders[1:-1])}",
            maxima,
            bool(np.all(np.diff([table.index[0], *peaks, table.index[-1]]) > 0)),
        )


def _levels(draws: int) -> Iterator[str]:
    """Yield the error rates of the defaults on every sample, and of Tukey's test on folds."""
    yield "\n## Type I error rates of the defaults"
    yield f"Estimates at α = 0.05 from {draws:,} simulations per null hypothesis, with two standard errors in brackets. They are family-wise error rates where p-values are adjusted. Over data sets, the names of all algorithms (no differences) or of one pair (one pair does not differ) are permuted."
    yield f"On folds, results are normal with the observed covariance and the correlation of the test fraction, for the first {MOST_FOLDS} data sets with folds. *Above* marks rates that exceed 0.05 by more than chance."
    yield "Tukey's test is the alternative on folds. Its error rate depends on the differences between variances, which ten folds estimate poorly. In [methods.md](methods.md) its rate is lower, because the algorithms there are copies of one"
    yield "learner with similar variances, and real folds correlate less. [methods.md](methods.md) also describes how the simulations were validated."
    yield "\n| sample | data set | default | no differences | one pair does not differ | above | Tukey, no differences |\n|---|---|---|---|---|---|---|"
    rates: list[tuple[bool, bool]] = []
    with (SAMPLES / "catalog.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            results = read_results(
                SAMPLES / row["file"], mapping=Mapping(measure_name=row["measure"])
            )
            measure = results.measures[0]
            for dataset in ("", *results.with_folds[:MOST_FOLDS]):
                settings = Settings(measure=measure, dataset=dataset)
                try:
                    result = level_of(results, settings, draws=draws)
                except DesignError:  # a single result per algorithm
                    continue
                by_tukey = result.frame[result.frame["procedure"] == TUKEY]
                tukey_rate = ""
                if dataset and len(by_tukey):
                    tukey_rate = _rate(by_tukey.iloc[0])
                    default = result.frame[result.frame["chosen"]]
                    rates.append(
                        tuple(
                            (rows_of_procedure["level"] > result.alpha).any()
                            for rows_of_procedure in (default, by_tukey)
                        )
                    )
                yield f"| {row['file']} | {dataset or 'all data sets'} | {_level(result)} | {tukey_rate} |"
    n_default, n_tukey = (sum(decisions) for decisions in zip(*rates, strict=True))
    yield f"\nThe estimated rate on folds exceeds 0.05 for the default on {n_default} of {len(rates)} data sets, and for Tukey's test on {n_tukey}. Estimates for designs of the same size share random numbers, so they are not independent."
    yield "With ten folds, the estimate for Tukey's test is slightly too high (8 algorithms without differences: 0.066 instead of 0.050). Real algorithms have different variances, so no family-wise error rate is claimed for Tukey's test."
    yield "On a common test set, the overlap of training sets is unknown, so folds are assumed independent."


def _rate(row: pd.Series) -> str:
    return f"{row['level']:.3f} (± {2 * row['se']:.3f})"


def _level(result: LevelOnDesign) -> str:
    default = result.frame[result.frame["chosen"]].set_index("world")
    cells = {name: _rate(row) for name, row in default.iterrows()}
    none = cells.get("labels", cells.get("folds", ""))
    above = "**yes**" if decide_level(result).above else "no"
    return f"{result.chosen} | {none} | {cells.get('pair', '')} | {above}"


if __name__ == "__main__":
    main()
