"""Foldwise: statistical comparison of learning algorithms from per-fold results.

>>> import stats_core as fw
>>> round(fw.critical_difference(k=5, n_datasets=30, alpha=0.05), 6)
1.113609

The names in `__init__.pyi` are public. Everything else is in the packages `core`, `data`, `io`,
`inference`, `curves`, `ordering`, `comparison`, `power`, `robustness`, `report`.

Names are imported on first use.
"""

from stats_core.core.lazy_names import lazy_names

__getattr__, __dir__ = lazy_names(__name__, __file__)
