r"""Names in any script as LaTeX, as reports write them: see :mod:`stats_core.papers.latex_letters`."""

from stats_core.papers.latex_letters import comment, kept, latex, name_comments, printable

__all__ = ["comment", "kept", "latex", "name_comments", "printable"]
