"""`Mapping`: the user's settings for reading a file."""

import codecs
import re
from collections.abc import Collection, Iterable
from collections.abc import Mapping as Dictionary
from dataclasses import asdict, dataclass, field, replace
from numbers import Real
from typing import Self

from stats_core.data.published import KINDS as PUBLISHED
from stats_core.io import text_cells, vocabulary
from stats_core.io.problems import setting_error
from stats_core.io.vocabulary import ROLES

# meaning of rows with equal keys -> the key that their order gives; the rows of predictions may
# also be "apart"
NUMBERED = {"folds": "fold", "seeds": "repetition", "cases": "instance", "datasets": "dataset"}
ROWS = (*NUMBERED, "apart")
_MOST_FOLDS = 100  # rows of one key that may be folds or seeds
UNNAMED = "score"  # name of a measure without a known name
_ENCODINGS = re.compile(r"(?:(.+?)=)?([^=;]+)(?:; |$)")
_NO_FILES = (
    "idna",
    "punycode",
    "undefined",
    "unicode-escape",
    "raw-unicode-escape",
)  # encodings for other uses
DOUBTS = ("sums", "copies", "codes", "signs", "look-alikes", "labels")


@dataclass(frozen=True, kw_only=True)
class Mapping:
    """User settings for reading files: roles of columns, directions, and answers to questions.

    Attributes
    ----------
    roles : dict of column to role
        One of dataset, algorithm, repetition, fold, instance, true, predicted, score, tp, fp,
        tn, fn, n_train, n_test, measure, cost, design, "part of dataset", "part of algorithm",
        result (the results of one algorithm or, if rows are algorithms, of one data set),
        resample (those of one fold or resample), group (tags of data sets), cluster (instances of
        one test set that belong together, such as a patient), answer (the number of an answer, if each
        algorithm answers an instance several times), text (what an instance is, such as a
        question), time (the order of instances), ignore.
        Other columns keep the inferred role.
    directions : dict of measure to "lower" or "higher"
        For measures whose name does not determine it, in any spelling. "" stands for the only
        such measure.
    positive : str
        The positive class of predictions; "" to infer it. With more than two classes it is
        compared with all others.
    score_direction : {"", "higher", "lower"}
        Which scores mean more positive; "" to infer it.
    measure_name : str
        The measure in a table of one measure, for example "accuracy". Any name is accepted, and it
        is shown as given; `directions` is needed if the name does not determine it. Of several
        measures, this one comes first.
    rows : {"", "folds", "seeds", "cases", "datasets", "apart"}
        What rows with equal keys are, in the order of the file: folds, runs with different seeds,
        test instances ("cases") or data sets. Of predictions: "cases" if the rows of each algorithm
        are the same instances in the same order, "apart" if not.
    holds : {"", "average ranks", "wins", "decisions"}
        The kind of published summary that the table holds; "" to infer whether it holds one.
    n_datasets : int
        Number of data sets behind average ranks or wins; 0 to take it from the table.
    winner : {"", "row", "column"}
        Whether cells of a table of wins or decisions count wins of the row or the column; "" to
        infer it from the corner cell.
    doubts : dict of {"sums", "copies", "codes", "signs", "look-alikes", "labels"} to {"leave", "keep"}
        "leave" leaves out rows that seem to summarize or duplicate others, treats numbers that seem
        to mark failed runs or have an impossible sign as missing, gives names that look alike one
        spelling, and reads whole numbers as predicted numbers, not as class labels; "keep" changes
        nothing. NeedsMapping asks about kinds without an answer.
    encoding : str
        The encoding of text files that are not UTF-8, for example "cp1250", or that of each file,
        as in "a.csv=cp1253; b.csv=cp1251"; "" to infer it.
    """

    roles: Dictionary[str, str] = field(default_factory=dict)
    directions: Dictionary[str, str] = field(default_factory=dict)
    positive: str = ""
    score_direction: str = ""
    measure_name: str = ""
    rows: str = ""
    holds: str = ""
    n_datasets: int = 0
    winner: str = ""
    doubts: Dictionary[str, str] = field(default_factory=dict)
    encoding: str = ""

    def __post_init__(self) -> None:
        """Remove invisible characters from the name of the measure; raise SettingError for invalid settings."""
        object.__setattr__(self, "measure_name", text_cells.visible_text(str(self.measure_name)))
        if isinstance(self.positive, Real):  # a class of numbers, also 0
            object.__setattr__(self, "positive", str(self.positive))
        checks: tuple[tuple[str, Collection[str], Iterable[str]], ...] = (
            ("role", ROLES, self.roles.values()),
            ("direction of scores", ("", "higher", "lower"), [self.score_direction]),
            ("rows", ("", *ROWS), [self.rows]),
            ("kind of summary", ("", *PUBLISHED), [self.holds]),
            ("winner", ("", "row", "column"), [self.winner]),
        )
        for code, options, values in checks:
            for value in values:
                if value not in options:
                    raise setting_error(
                        code, options=[text for text in options if text], value=value
                    )
        try:
            for encoding in self.encodings.values():
                b"a".decode(encoding, "replace")
                if codecs.lookup(encoding).name in _NO_FILES:
                    raise LookupError
        except (LookupError, TypeError, ValueError):
            raise setting_error("encoding", value=self.encoding) from None
        n = self.n_datasets
        if isinstance(n, bool) or not isinstance(n, int) or n < 0 or n == 1:
            raise setting_error("number of data sets", n=n)
        for kind, answer in self.doubts.items():
            if kind not in DOUBTS or answer not in ("leave", "keep"):
                raise setting_error("doubt", options=DOUBTS, kind=kind, answer=answer)
        for value in self.directions.values():
            if value not in ("lower", "higher"):
                raise setting_error("direction", value=value)

    def direction_of(self, measure: str) -> str:
        """Return the direction of a measure, as set or by its name; "" if unknown.

        Raises
        ------
        SettingError
            The direction set here contradicts the definition of the measure.

        Examples
        --------
        >>> Mapping(directions={"Speed": "higher"}).direction_of("speed")
        'higher'
        >>> Mapping().direction_of("F1"), Mapping().direction_of("speed")
        ('higher', '')
        """
        declared = self._declared_direction(measure)
        defined = vocabulary.by_definition(measure)
        if declared and defined and declared != defined:
            raise setting_error(
                "direction by definition", known=defined, measure=measure, declared=declared
            )
        return declared or vocabulary.direction_of(measure)

    def _declared_direction(self, measure: str) -> str:
        """Return the direction set for a measure; that set under "" applies if its name implies none; "" if unset."""
        if measure in self.directions:
            return self.directions[measure]
        normalized = vocabulary.spelling(measure)
        for name, direction in self.directions.items():
            if name and vocabulary.spelling(name) == normalized:
                return direction
        return "" if vocabulary.direction_of(measure) else self.directions.get("", "")

    @property
    def undirected(self) -> list[str]:
        """Columns with the role "measure" whose names do not determine their directions."""
        by_name = replace(self, directions={})
        return [
            name
            for name, role in self.roles.items()
            if role == "measure" and not by_name.direction_of(name)
        ]

    def named(self, name: str, direction: str = "") -> Self:
        """Return the mapping with the only measure renamed and, if given, its direction set.

        The direction set for the old name is removed.

        Examples
        --------
        >>> guess = Mapping(measure_name=UNNAMED, directions={UNNAMED: "higher"})
        >>> guess.named("loss").directions, guess.named("speed", "lower").directions
        ({}, {'speed': 'lower'})
        """
        outdated = (self.measure_name, UNNAMED)
        directions = {
            measure: way for measure, way in self.directions.items() if measure not in outdated
        }
        return replace(
            self,
            measure_name=name,
            directions={**directions, **({name: direction} if direction else {})},
        )

    @property
    def encodings(self) -> Dictionary[str, str]:
        """The encodings by file name, that of files without one under ""."""
        return dict(_ENCODINGS.findall(self.encoding))

    def in_encoding(self, encoding: str, letters: Dictionary[int, str], file: str = "") -> Self:
        """Return the mapping for another encoding of a file, "" for all, with names translated by a table of letters."""
        roles, directions = (
            {name.translate(letters): value for name, value in names.items()}
            for names in (self.roles, self.directions)
        )
        measure, positive = self.measure_name.translate(letters), self.positive.translate(letters)
        named = replace(
            self, roles=roles, directions=directions, measure_name=measure, positive=positive
        )
        encodings = {**(self.encodings if file else {}), file: encoding}
        return replace(
            named,
            encoding="; ".join(f"{file}={name}".lstrip("=") for file, name in encodings.items()),
        )

    def __hash__(self) -> int:
        """Hash by content, so that a mapping can be part of a cache key."""
        values = vars(self).values()
        return hash(
            tuple(tuple(sorted(v.items())) if isinstance(v, Dictionary) else v for v in values)
        )

    def to_dict(self) -> dict:
        """Return the mapping as plain data for JSON."""
        return asdict(self)


def possible_rows(mapping: Mapping, n: int, *, keys: Collection[str] = ()) -> list[str]:
    """Return the possible meanings of n rows per algorithm, likeliest first, without those whose key is in `keys`.

    If data sets are in `keys`, the rows are not test instances. More than 100 rows are neither
    folds nor seeds. If the mapping states the meaning, only that one is returned, or [] if it is
    "apart".
    """
    if mapping.rows:
        return [mapping.rows] if mapping.rows in NUMBERED else []
    keys = [*keys, *(["instance"] if "dataset" in keys else [])]
    are_few = n <= _MOST_FOLDS
    return [
        rows
        for rows, key in NUMBERED.items()
        if key not in keys and (are_few or key in ("dataset", "instance"))
    ]
