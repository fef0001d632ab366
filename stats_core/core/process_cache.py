"""What is kept of a thing in this process alone."""


class ProcessLocalDict(dict):
    """What is kept of a thing, left behind when that goes to another process.

    Examples
    --------
    >>> import pickle
    >>> pickle.loads(pickle.dumps(ProcessLocalDict(figure="large")))
    {}
    """

    def __reduce__(self) -> tuple:
        return ProcessLocalDict, ()
