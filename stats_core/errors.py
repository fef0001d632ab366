"""What Foldwise raises when it cannot answer.

    FoldwiseError(ValueError)
    ├── DataError            a file or table cannot be read as results; carries every Problem
    │   └── NeedsMapping     the columns were read but not all were recognised; carries a guess
    ├── DesignError          the test does not apply to this resampling design or this many results
    ├── DegenerateError      there is no variation to test against
    └── SettingError         an option is outside what the function accepts

Every message says what must hold, what arrived and what to do.
"""


class FoldwiseError(ValueError):
    """Base of everything Foldwise raises on purpose; its text is meant for the user."""


class DataError(FoldwiseError):
    """A file or table cannot be read as results.

    Parameters
    ----------
    problems : sequence of Problem
        Everything that is wrong, in the order of the file.
    """

    def __init__(self, problems):
        self.problems = tuple(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))


class DesignError(FoldwiseError):
    """The test does not apply to this design or to this many results."""


class DegenerateError(FoldwiseError):
    """The results do not vary, so there is nothing to test against."""


class SettingError(FoldwiseError):
    """An option is outside what the function accepts."""
