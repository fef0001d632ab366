"""Worlds without differences: how often each procedure finds one all the same."""

from dataclasses import dataclass
from math import sqrt

import numpy as np
import pandas as pd
from scipy import stats

from stats_core.power.simulation import Simulation, Sums

# world -> how it is made, as a sentence
WORLDS = {
    "labels": "The names of all algorithms are dealt anew on every data set, so that none differ.",
    "pair": "The names of one pair, each in turn, are swapped on every data set or not, by chance; the "
    "others stay as they are, so that this pair alone is known not to differ.",
    "folds": "Normal folds are drawn that vary, and vary together, as these do, with one mean for all "
    "algorithms and a part that all folds share, so that folds are correlated as their training sets overlap.",
}
RATES = ("family", "pair")  # family-wise and per-comparison error rate
_SURE = 0.01  # chance that any procedure that holds is called one that does not


@dataclass(frozen=True, kw_only=True, eq=False)
class LevelOnDesign:
    """How often each procedure finds a difference where there is none.

    Attributes
    ----------
    frame : DataFrame
        One row per world and procedure: ``world``, ``procedure``; ``pair``, the share of true
        hypotheses rejected, and ``family``, the share of draws in which any is, each with its
        standard error ("pair se") and whether it is higher than alpha by more than chance explains
        ("pair above"). ``bounds`` says which of the two the procedure controls ("pair" if nothing is
        adjusted, else "family"); ``level``, ``se`` and ``above`` repeat that one. ``chosen``.
    chosen : str
        The procedure that an analysis with these settings takes.
    draws, seed, n : int
        Draws of each world; what gives the random numbers; data sets, or folds.
    noun : {"data set", "fold"}
    correlation : float or None
        Of two folds; None over data sets.
    dataset, measure : str
        The one data set whose folds these are, or "".
    alpha : float
    """

    frame: pd.DataFrame
    chosen: str
    draws: int
    seed: int
    n: int
    noun: str
    correlation: float | None
    dataset: str
    measure: str
    alpha: float


@dataclass(frozen=True, kw_only=True, eq=False)
class Worlds(Simulation):
    """What worlds over data sets and of folds have in common."""

    chosen: str
    alpha: float
    measure: str

    def result(self, sums: Sums, n: int) -> LevelOnDesign:
        """Return the levels with their standard errors."""
        frames = [self.levels(sums, world, n) for world in self.worlds()]
        frame = pd.concat(frames, ignore_index=True)
        for rate in RATES:
            excess = (frame[rate] - self.alpha) / frame[f"{rate} se"].clip(lower=1e-12)
            frame[f"{rate} above"] = excess > stats.norm.isf(_SURE / len(frame))
        of_family = frame["bounds"] == "family"
        for place, (name, kind) in enumerate(
            (("level", ""), ("se", " se"), ("above", " above")), 3
        ):
            own = np.where(of_family, frame[f"family{kind}"], frame[f"pair{kind}"])
            frame.insert(place, name, own)
        frame["chosen"] = frame["procedure"] == self.chosen
        return LevelOnDesign(
            frame=frame,
            chosen=self.chosen,
            draws=n,
            seed=self.seed,
            alpha=self.alpha,
            measure=self.measure,
            **self.about(),
        )

    def worlds(self) -> tuple[str, ...]:
        """Return which of `WORLDS` are simulated."""
        raise NotImplementedError

    def names(self) -> list[tuple[str, bool]]:
        """Return each procedure, and whether it adjusts for a family."""
        raise NotImplementedError

    def about(self) -> dict:
        """Return what is known of the results."""
        raise NotImplementedError

    def levels(self, sums: Sums, world: str, n: int) -> pd.DataFrame:
        """Return the rows of one world."""
        names, adjusts = zip(*self.names(), strict=True)
        pair, family = sums[f"{world} pair"] / n, sums[f"{world} family"] / n
        spread = np.maximum(sums[f"{world} squares"] / n - pair**2, 0)
        # as if at alpha where nothing was seen: no estimate is without error
        least = sqrt(self.alpha * (1 - self.alpha) / n)
        errors = (np.sqrt(spread / n), np.sqrt(family * (1 - family) / n))
        pair_se, family_se = (np.where(error > 0, error, least) for error in errors)
        return pd.DataFrame(
            {
                "world": world,
                "procedure": names,
                "bounds": np.where(adjusts, "family", "pair"),
                "pair": pair,
                "pair se": pair_se,
                "family": family,
                "family se": family_se,
            }
        )


def add_wrong(found: Sums, world: str, wrong: np.ndarray, true: np.ndarray) -> None:
    """Add what was rejected wrongly, procedure x draw x comparison, to the sums."""
    share = wrong.sum(axis=2) / true.sum(axis=1)
    for name, values in (
        ("pair", share),
        ("squares", share**2),
        ("family", wrong.any(axis=2)),
    ):
        key = f"{world} {name}"
        found[key] = found.get(key, np.zeros(len(wrong))) + values.sum(axis=1)
