"""A cache that is not pickled."""


class ProcessLocalDict(dict):
    """A dict that is pickled as an empty one, for caches of one process.

    Examples
    --------
    >>> import pickle
    >>> pickle.loads(pickle.dumps(ProcessLocalDict(figure="large")))
    {}
    """

    def __reduce__(self) -> tuple:
        return ProcessLocalDict, ()
