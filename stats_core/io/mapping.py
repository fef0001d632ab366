"""What the user says about the columns of a file."""

from collections.abc import Mapping as Dictionary
from dataclasses import asdict, dataclass, field

from stats_core.core.errors import SettingError
from stats_core.core.formatting import join_names
from stats_core.data.published import KINDS as PUBLISHED
from stats_core.io.unicode_lookalikes import visible_text
from stats_core.io.vocabulary import ROLES, by_definition, direction_of, spelling

ROWS = ("folds", "cases", "apart")  # what rows that nothing tells apart can be
DOUBTS = ("sums", "copies", "codes", "signs", "look-alikes")


@dataclass(frozen=True, kw_only=True)
class Mapping:
    """What the user says about columns that names do not tell.

    Attributes
    ----------
    roles : dict of column to role
        One of dataset, algorithm, repetition, fold, instance, true, predicted, score, tp, fp,
        tn, fn, n_train, n_test, measure, cost, design, "part of dataset", "part of algorithm",
        result (the results of one algorithm), resample (those of one fold or resample),
        group (what tags data sets), cluster (what cases of one test set belong together, such as
        a patient), ignore.
        Columns not named keep the role that the table tells.
    directions : dict of measure to "lower" or "higher"
        For measures whose name does not tell, in any spelling of the name. "" stands for the only
        such measure.
    positive : str
        The positive class of predictions; "" to infer it. With more than two classes it is
        compared with all others.
    score_direction : {"", "higher", "lower"}
        Which scores mean more positive; "" to infer it.
    measure_name : str
        What the numbers of a table of one measure are, for example "accuracy". Any name will do,
        and it is shown as given; `directions` is needed where it does not tell what is better.
    rows : {"", "folds", "cases", "apart"}
        "folds" if rows that nothing tells apart are the folds, in the order of the file; "cases" if
        the rows of each algorithm are the same cases in the same order, "apart" if not.
    holds : {"", "average ranks", "wins", "decisions"}
        What a table holds that sums up results, as papers print them.
    n_datasets : int
        Over how many data sets average ranks or wins are; 0 where the table tells it.
    winner : {"", "row", "column"}
        In a table of wins or decisions, whose wins a cell counts.
    doubts : dict of {"sums", "copies", "codes", "signs", "look-alikes"} to {"leave", "keep"}
        What to do with rows that look as if they summed up others or were copies, numbers that
        look like marks of failed runs or have an impossible sign, names that look alike.
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
        """Return which values of a measure are better: as told here, else by its name.

        Raises
        ------
        SettingError
            What is told contradicts the definition of the measure.

        Examples
        --------
        >>> Mapping(directions={"Speed": "higher"}).direction_of("speed")
        'higher'
        >>> Mapping().direction_of("F1"), Mapping().direction_of("speed")
        ('higher', '')
        """
        told = self._told_of(measure)
        known = by_definition(measure)
        if told and known and told != known:
            raise SettingError(
                f'By its definition, {known} values of "{measure}" are better. The direction given '
                f'is "{told}". Leave it out, or give the measure another name.'
            )
        return told or direction_of(measure)

    def _told_of(self, measure: str) -> str:
        """Return the direction given for a measure, "" if none; the exact name goes first."""
        if measure in self.directions:
            return self.directions[measure]
        same = spelling(measure)
        for name, way in self.directions.items():
            if name and spelling(name) == same:
                return way
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
        """Hash by content, so that a mapping can be part of a cache's key."""
        said = (self.roles, self.directions, self.doubts)
        pairs = (tuple(sorted(d.items())) for d in said)
        texts = (self.positive, self.score_direction, self.measure_name, self.rows)
        return hash((*pairs, *texts, self.holds, self.n_datasets, self.winner))

    def to_dict(self) -> dict:
        """Return the mapping as plain data for JSON."""
        return asdict(self)
