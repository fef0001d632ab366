"""The user's settings for reading a file: roles of columns, directions and answers."""

from collections.abc import Mapping as Dictionary
from dataclasses import asdict, dataclass, field

from stats_core.core.errors import SettingError
from stats_core.core.formatting import join_names
from stats_core.data.published import KINDS as PUBLISHED
from stats_core.io.text_cells import visible_text
from stats_core.io.vocabulary import ROLES, by_definition, direction_of, spelling

ROWS = ("folds", "cases", "apart")  # possible meanings of rows with equal keys
DOUBTS = ("sums", "copies", "codes", "signs", "look-alikes")


@dataclass(frozen=True, kw_only=True)
class Mapping:
    """The user's settings for columns whose names are not sufficient.

    Attributes
    ----------
    roles : dict of column to role
        One of dataset, algorithm, repetition, fold, instance, true, predicted, score, tp, fp,
        tn, fn, n_train, n_test, measure, cost, design, "part of dataset", "part of algorithm",
        result (the results of one algorithm), resample (those of one fold or resample),
        group (tags of data sets), cluster (instances of one test set that belong together, such as
        a patient), ignore.
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
        The measure in a table of one measure, for example "accuracy". Any name is accepted,
        and it is shown as given; `directions` is needed if the name does not determine it.
    rows : {"", "folds", "cases", "apart"}
        "folds" if rows with equal keys are the folds, in the order of the file; "cases" if
        the rows of each algorithm are the same instances in the same order, "apart" if not.
    holds : {"", "average ranks", "wins", "decisions"}
        The kind of published summary that the table holds.
    n_datasets : int
        Number of data sets behind average ranks or wins; 0 if the table states it.
    winner : {"", "row", "column"}
        Whether cells of a table of wins or decisions count wins of the row or the column.
    doubts : dict of {"sums", "copies", "codes", "signs", "look-alikes"} to {"leave", "keep"}
        Treatment of rows that seem to summarize or duplicate others, numbers that
        seem to mark failed runs or have an impossible sign, and names that look alike.
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

    def __post_init__(self) -> None:
        """Refuse roles and directions that do not exist."""
        object.__setattr__(self, "measure_name", visible_text(str(self.measure_name)))
        for value in self.roles.values():
            if value not in ROLES:
                raise SettingError(f'A role must be one of {", ".join(ROLES)}. It is "{value}".')
        if self.score_direction not in ("", "higher", "lower"):
            raise SettingError(
                f'The direction of scores must be higher or lower. It is "{self.score_direction}".'
            )
        if self.rows not in ("", *ROWS):
            raise SettingError(
                f"Rows can be {join_names(ROWS, last='or')}, or nothing is said of them. It is "
                f'"{self.rows}".'
            )
        self._check_published()
        for kind, answer in self.doubts.items():
            if kind not in DOUBTS or answer not in ("leave", "keep"):
                raise SettingError(
                    f"What is in doubt must be one of {join_names(DOUBTS, 9, 'or')}, the answer leave or "
                    f'keep. It is "{kind}={answer}".'
                )
        for value in self.directions.values():
            if value not in ("lower", "higher"):
                raise SettingError(f'A direction must be lower or higher. It is "{value}".')

    def direction_of(self, measure: str) -> str:
        """Return the direction of a measure: as set here, else by its name, "" if unknown.

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
        declared = self._told_of(measure)
        known = by_definition(measure)
        if declared and known and declared != known:
            raise SettingError(
                f'By its definition, {known} values of "{measure}" are better. The direction given '
                f'is "{declared}". Leave it out, or give the measure another name.'
            )
        return declared or direction_of(measure)

    def _told_of(self, measure: str) -> str:
        """Return the direction set for a measure, "" if none; the exact name takes precedence."""
        if measure in self.directions:
            return self.directions[measure]
        normalized = spelling(measure)
        for name, direction in self.directions.items():
            if name and spelling(name) == normalized:
                return direction
        return "" if direction_of(measure) else self.directions.get("", "")

    def _check_published(self) -> None:
        if self.holds not in ("", *PUBLISHED):
            raise SettingError(
                f"What a table holds instead of results must be {join_names(PUBLISHED, last='or')}. It "
                f'is "{self.holds}".'
            )
        if self.winner not in ("", "row", "column"):
            raise SettingError(f'The winner must be row or column. It is "{self.winner}".')
        n = self.n_datasets
        if isinstance(n, bool) or not isinstance(n, int) or n < 0 or n == 1:
            raise SettingError(
                f"The number of data sets must be a whole number, 2 or more. It is {n!r}."
            )

    def __hash__(self) -> int:
        """Hash by content, so that a mapping can be part of a cache key."""
        mappings = (self.roles, self.directions, self.doubts)
        pairs = (tuple(sorted(d.items())) for d in mappings)
        texts = (self.positive, self.score_direction, self.measure_name, self.rows)
        return hash((*pairs, *texts, self.holds, self.n_datasets, self.winner))

    def to_dict(self) -> dict:
        """Return the mapping as plain data for JSON."""
        return asdict(self)
