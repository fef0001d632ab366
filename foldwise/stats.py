"""Statistics that docs/methods.md describes, imported at first use."""

from stats_core.core.lazy_names import lazy_names

__getattr__, __dir__ = lazy_names(__name__, __file__)
