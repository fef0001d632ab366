"""The Foldwise namespace: `compare`, the public names of stats_core, functions that draw figures, and four modules.

>>> import foldwise as fw
>>> fw.critical_difference(k=5, n_datasets=30, alpha=0.05)
1.1136092236789705

All functions of docs/methods.md are in `foldwise.stats` and `foldwise.power`, figures in
`foldwise.plot`, reading and reports in `foldwise.io`. Names are loaded at first use, so that the
import loads neither plotly nor streamlit.
"""

from stats_core.core.lazy_names import lazy_names
from stats_core.core.version import VERSION

__version__ = VERSION
__getattr__, __dir__ = lazy_names(__name__, __file__)
