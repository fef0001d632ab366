"""Tables of multiple testing procedures: adjusted p-values, critical levels, exhaustive sets."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import compress

import pandas as pd

from stats_core.comparison.kinds.datasets import RanksComparison
from stats_core.comparison.kinds.fold_comparisons import FoldsComparison
from stats_core.comparison.kinds.measure_vectors import SeveralOnMeasures
from stats_core.comparison.kinds.published_summaries import PublishedRanks
from stats_core.comparison.pairs import names_of_pairs
from stats_core.comparison.result import Comparison, HasComparison, comparison_of
from stats_core.core.formatting import format_number, format_set
from stats_core.core.messages import Message, message
from stats_core.core.result_types import cached
from stats_core.core.validation import significant
from stats_core.data.settings import TUKEY
from stats_core.inference.multiplicity import adjust, bergmann_hommel
from stats_core.inference.multiplicity.adjust import CORRECTIONS, STEP_METHODS
from stats_core.inference.multiplicity.bergmann_hommel import LARGEST_LISTED
from stats_core.inference.ranks import nemenyi
from stats_core.report.tables.table import PAIR, ResultTable, make_table, write_p, yes_no

OfAllPairs = RanksComparison | PublishedRanks | FoldsComparison | SeveralOnMeasures
SIDE_BY_SIDE = ("bonferroni", "holm", "shaffer", "bergmann_hommel")  # in order of increasing power
MOST_BESIDE = 20  # maximum number of algorithms for Bergmann-Hommel if it does not decide


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Procedures:
    """Adjusted p-values of each pair by each procedure.

    Attributes
    ----------
    alpha : float
        Level for the whole family.
    chosen : str
        The correction used, a key of `CORRECTIONS`.
    table : DataFrame, one row per pair
        `first`, `second` and unadjusted `p`, smallest on top; then the adjusted p of each
        procedure, under its key in `CORRECTIONS`. Bergmann-Hommel is missing where it is not exact,
        or does not decide and there are more than `MOST_BESIDE` algorithms.
    """

    alpha: float
    chosen: str
    table: pd.DataFrame

    @property
    def names(self) -> list[str]:
        """Keys of the procedures in `CORRECTIONS`."""
        return list(self.table.columns[3:])

    @property
    def separated(self) -> pd.DataFrame:
        """Whether each pair is significant by each procedure, pair x procedure."""
        return significant(self.table[self.names], self.alpha)

    @property
    def disagreeing(self) -> pd.DataFrame:
        """Pairs on which the procedures disagree, as rows of `separated`."""
        separated = self.separated
        return separated[separated.any(axis=1) & ~separated.all(axis=1)]

    @property
    def note(self) -> Message:
        """Note on the pairs on which procedures disagree."""
        pairs = self.table[["first", "second"]].itertuples(index=False, name=None)
        pair_names, procedures = list(pairs), self.names
        rows = self.disagreeing
        disagreements = tuple(
            (pair_names[position], tuple(compress(procedures, row)))
            for position, row in zip(rows.index, rows.to_numpy(), strict=True)
        )
        values = {"disagree": disagreements, "called": tuple(CORRECTIONS.items())}
        return message("procedures", pairs=len(self.table), alpha=self.alpha, **values)


def procedures_of(comparison: Comparison | HasComparison) -> Procedures | None:
    r"""Return the adjusted p-values of every multiple testing procedure; None unless they apply.

    Notes
    -----
    They apply to all pairs of three or more algorithms, unless Tukey's test compares these. All
    procedures but Nemenyi's adjust the same p-values. Nemenyi's test, available with average
    ranks, uses their studentized range. The "Nemenyi" column of Garcia and Herrera is
    Bonferroni.

    References
    ----------
    Garcia and Herrera, JMLR 9 (2008), Table 5.

    Examples
    --------
    >>> from stats_core.comparison.analyse import analyse
    >>> from stats_core.io.read import read_results
    >>> ranks = "algorithm,average rank,datasets\na,1.5,20\nb,1.9,20\nc,2.6,20\n"
    >>> found = procedures_of(analyse(read_results(("ranks.csv", ranks.encode()))))
    >>> found.separated.sum().to_dict()
    {'bonferroni': 1, 'holm': 1, 'shaffer': 2, 'bergmann_hommel': 2, 'nemenyi': 1}
    """
    c = comparison_of(comparison)
    if not isinstance(c, OfAllPairs) or len(c.order) < 3 or c.pair_test == TUKEY:
        return None
    selected, table = _every_procedure(c)
    return Procedures(alpha=c.settings.alpha, chosen=selected, table=table)


@cached(across_alpha=True)
def _every_procedure(c: OfAllPairs) -> tuple[str, pd.DataFrame]:
    """Return the correction used, and the table of `Procedures`."""
    requested = c.settings.correction
    rank_test = c.rank_test
    by_ranks = rank_test is not None and c.settings.source == "ranks"
    source = c.pair_test
    selected = adjust.used_correction(requested, c.adjusted, source=source)
    pvalues = c.raw.pvalues
    ranks = rank_test.average_ranks if rank_test is not None and by_ranks else None
    adjusted = {}
    for name in filter(adjust.corrections_for(source).__contains__, SIDE_BY_SIDE):
        if name != "bergmann_hommel":
            adjusted[name] = adjust.adjust_pairs(pvalues, name)
        elif len(pvalues) <= MOST_BESIDE or selected == name:
            adjusted_matrix = adjust.adjust_by_nearest(pvalues, name, average_ranks=ranks)
            if "correction" not in adjusted_matrix.attrs:
                adjusted[name] = adjusted_matrix
    if rank_test is not None:
        adjusted["nemenyi"] = nemenyi(rank_test.average_ranks, rank_test.n).pvalues
    if selected != "none":
        adjusted[selected] = c.adjusted
    table = c.pairs.decisions[["first", "second", "p"]].sort_values(
        "p", kind="stable", ignore_index=True
    )
    for name, matrix in adjusted.items():
        rows, columns = (matrix.index.get_indexer(table[side]) for side in ("first", "second"))
        table[name] = matrix.to_numpy()[rows, columns]
    return selected, table


MOST_STEPS = 60  # algorithms


def side_by_side(c: OfAllPairs) -> ResultTable | None:
    """Return a table of the p-values adjusted by each procedure; None for two algorithms and Tukey's test."""
    procedures = procedures_of(c)
    if procedures is None:
        return None
    labels = [CORRECTIONS[name] for name in procedures.names]
    frame = procedures.table.rename(
        columns={"p": "p raw"} | dict(zip(procedures.names, labels, strict=True))
    )
    published = [c.pairs.published_p(*pair) for pair in names_of_pairs(frame)]
    if any(p is not None for p in published):
        frame["p published"] = published
    return make_table(
        "procedures",
        frame.rename_axis(None),
        c,
        own=dict.fromkeys(labels, write_p(procedures.alpha)),
        bold=dict(zip(labels, procedures.separated.to_numpy().T, strict=True)),
        heads=PAIR,
        deciding="" if procedures.chosen == "none" else CORRECTIONS[procedures.chosen],
        note=procedures.note,
        nemenyi="nemenyi" in procedures.names,
    )


def step_tables(c: OfAllPairs) -> ResultTable | None:
    """Return a table of each procedure's level for each p-value; None for Tukey's test, two or too many algorithms."""
    if procedures_of(c) is None or len(c.order) > MOST_STEPS:
        return None
    by_ranks = c.rank_test is not None and c.settings.source == "ranks"
    statistics = c.raw.statistics if by_ranks else None
    pvalues = c.raw.pvalues.loc[c.order, c.order]
    steps = adjust.step_table(pvalues, c.settings.alpha, statistics=statistics)
    usable = adjust.corrections_for(c.pair_test)
    methods = [method for method in STEP_METHODS if method in usable]
    unusable = [method for method in STEP_METHODS if method not in usable]
    frame, numbers = steps.table.drop(columns=["step", *unusable]), range(1, len(steps.table) + 1)
    return make_table(
        "steps",
        frame.rename(columns=CORRECTIONS).rename_axis(None),
        c,
        own={CORRECTIONS[method]: partial(format_number, digits=4) for method in methods},
        bold={
            CORRECTIONS[name]: [number <= steps.rejected[name] for number in numbers]
            for name in methods
        },
        heads=PAIR,
        rejected=[f"{steps.rejected[method]} by {CORRECTIONS[method]}" for method in methods],
        logical="bergmann_hommel" in usable,
    )


def acceptance(c: OfAllPairs) -> ResultTable | None:
    """Return a table of the exhaustive sets, retained first; None unless Bergmann-Hommel decides on few algorithms."""
    procedures = procedures_of(c)
    if (
        procedures is None
        or procedures.chosen != "bergmann_hommel"
        or len(c.order) > LARGEST_LISTED
    ):
        return None
    exhaustive = bergmann_hommel.exhaustive_sets(c.order, c.raw.pvalues, c.settings.alpha)
    table = exhaustive.table.sort_values("accepted", ascending=False, kind="stable")
    frame = table[["size", "smallest_p", "bound"]].assign(retained=yes_no(table["accepted"]))
    index = pd.Index(map(_blocks, table["blocks"]), name="groups without a difference")
    decided = [
        pair
        for pair in exhaustive.rejected
        if not significant(c.adjusted.loc[pair], c.settings.alpha)
    ]
    return make_table(
        "acceptance",
        frame.rename(columns={"size": "pairs"}).set_axis(index),
        c,
        bold={"smallest_p": table["accepted"]},
        retained=int(table["accepted"].sum()),
        sets=len(table),
        # retained because a pair with a smaller p is retained
        also_retained=[f"{a} and {b}" for a, b in decided],
    )


def _blocks(blocks: Sequence[Sequence[str]]) -> str:
    return " ".join(format_set(block) for block in blocks if len(block) > 1)
