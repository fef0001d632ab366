"""Parts of methods paragraphs that several kinds of analysis share."""

from collections.abc import Iterable
from dataclasses import dataclass

# correction -> whose procedure it is, and where it is published
_PROCEDURES = {
    "bergmann_hommel": ("Bergmann and Hommel's procedure", ("bergmann1988", "garcia2008")),
    "shaffer": ("Shaffer's procedure", ("shaffer1986", "garcia2008")),
    "holm": ("Holm's procedure", ("holm1979",)),
    "hommel": ("Hommel's procedure", ("hommel1988",)),
    "hochberg": ("Hochberg's procedure", ("hochberg1988",)),
    "bonferroni": ("Bonferroni's procedure", ("dunn1961",)),
    "finner": ("Finner's procedure", ("finner1993", "garcia2010")),
    "rom": ("Rom's procedure", ("rom1990", "garcia2010")),
    "li": ("Li's procedure", ("li2008", "garcia2010")),
    "bonferroni_dunn": ("the Bonferroni-Dunn procedure", ("dunn1961", "demsar2006")),
}
_NEEDS = ("hochberg", "hommel", "finner", "rom", "li")  # tests that are not opposed
_RESAMPLING = {
    "5x2": "5 x 2-fold cross-validation",
    "leave-one-out": "leave-one-out cross-validation",
    "holdout": "random partitions",
    "bootstrap": "bootstrap samples",
    "common test set": "training sets that share one test set",
}


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of text and the publications cited after it.

    Attributes
    ----------
    text : str
        Begins with a blank where one belongs.
    keys : tuple of str
        Of `REFERENCES`.
    """

    text: str
    keys: tuple[str, ...] = ()

    @property
    def marked(self) -> str:
        """The text with its citation as a mark.

        Examples
        --------
        >>> Piece(" Holm's procedure", ("holm1979",)).marked
        " Holm's procedure [@holm1979]"
        """
        if not self.keys:
            return self.text
        return f"{self.text} [{'; '.join(f'@{key}' for key in self.keys)}]"


def sentence(text: str) -> Piece:
    """Return text that ends a sentence, after a blank unless it goes on with one."""
    return Piece(f"{text}." if text[:1] in ",:;) " else f" {text}.")


def papers_of(correction: str) -> tuple[str, ...]:
    """Return where a correction is published; nothing for "none" and "nemenyi"."""
    return _PROCEDURES.get(correction, ("", ()))[1]


def named(correction: str) -> tuple[str, tuple[str, ...]]:
    """Return whose procedure a correction is, and where it is published.

    Examples
    --------
    >>> named("holm")
    ("Holm's procedure", ('holm1979',))
    """
    return _PROCEDURES[correction]


def adjusted(correction: str, alpha: float, *, sided: str = ", two-sided") -> Iterable[Piece]:
    """Say how the p-values of a family are adjusted; goes on with a sentence.

    Parameters
    ----------
    correction : str
        One of `CORRECTIONS` or of `CONTROL_CORRECTIONS`, but "nemenyi".
    alpha : float
        Level of the family.
    sided : str
        What to say before.
    """
    if correction == "none":
        yield sentence(
            f"{sided}, and p-values were not adjusted for being many, so that alpha {alpha:g} held "
            "for each comparison alone"
        )
        return
    name, keys = named(correction)
    yield Piece(f"{sided}, and p-values adjusted by {name}", keys)
    needs = "; it holds for tests that are not opposed" if correction in _NEEDS else ""
    yield sentence(f", so that alpha {alpha:g} bounded the chance of any false difference{needs}")


def family(name: str, alpha: float) -> Iterable[Piece]:
    """Say which hypotheses share the level; nothing where nothing is tested."""
    if name == "none":
        return
    if name == "one pair":
        yield sentence("The decision rests on one hypothesis, so its p-value was not adjusted")
    elif name.endswith(", not adjusted"):
        yield sentence(f"The family of hypotheses was {name}")
    else:
        yield sentence(f"The family of hypotheses that shared alpha {alpha:g} was {name}")


def resampling(design: str, label: str) -> str:
    """Return a design as it is named in a sentence.

    Examples
    --------
    >>> resampling("r x k-fold", "10 x 10-fold"), resampling("holdout", "holdout")
    ('10 x 10-fold cross-validation', 'random partitions')
    """
    if design in ("k-fold", "r x k-fold"):
        return f"{label} cross-validation"
    return _RESAMPLING.get(design, "its folds")


def overlap(factor: float, unit: str = "fold") -> Piece:
    """Say that training sets overlap and what was done about it."""
    return Piece(
        f" Training sets of different {unit}s share cases; for that the variance of a "
        f"mean was multiplied by {factor:.4g}",
        ("nadeau2003", "bouckaert2004"),
    )
