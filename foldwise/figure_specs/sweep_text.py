"""What a sweep over thresholds says: in the margin, in the cells, in numbers of wins."""

import pandas as pd

from stats_core.core.formatting import format_number, p_phrase
from stats_core.curves.threshold_sweep import Sweep


def wins_by_algorithm(found: Sweep) -> pd.DataFrame:
    """Return over how many others each algorithm wins at each threshold."""
    table = pd.DataFrame(0, index=list(found.names), columns=found.winners.columns)
    for name in found.names:
        table.loc[name] = (found.winners == name).sum().to_numpy()
    return table


def describe_threshold_wins(found: Sweep) -> pd.DataFrame:
    """Say for every pair who wins at more thresholds, with the p of the sign test."""
    tally = found.tally().set_index(["first", "second"])
    rows = []
    for a, b in found.pairs:
        ahead = (a, b) if tally.at[(a, b), "wins"] >= tally.at[(b, a), "wins"] else (b, a)
        row = tally.loc[ahead]
        p = p_phrase(row["p"], found.alpha)
        rows.append(
            {
                "text": f"{ahead[0]} {row['wins']} : {row['losses']}, {p}",
                "hover": f"{ahead[0]} wins at {row['wins']} thresholds, loses at {row['losses']}, "
                f"ties at {row['ties']}\nright-tailed sign test {p}",
            }
        )
    return pd.DataFrame(rows, index=found.winners.index)


def cell_words(found: Sweep) -> pd.DataFrame:
    """Say for every cell who wins with which risks, or why nobody does."""
    table = found.reasons.copy()
    for (a, b), label in zip(found.pairs, found.winners.index, strict=True):
        for theta in found.winners.columns:
            winner = found.winners.at[label, theta]
            if not winner:
                continue
            risks = found.risks.loc[theta]
            p = p_phrase(found.pvalues.at[label, theta], found.alpha)
            table.at[label, theta] = (
                f"{winner} wins, {p}\nrisk per case {a} {format_number(risks[a], 4)}, "
                f"{b} {format_number(risks[b], 4)}"
            )
    return table
