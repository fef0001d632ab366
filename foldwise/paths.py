"""Paths of the app, its pages, the sample results and the documentation."""

from pathlib import Path

_HERE = Path(__file__).parent
_HOME = _HERE if (_HERE / "app.py").exists() else _HERE.parent
ICON = str(_HERE / "web" / "icon.png")


def installed_path(*names: str) -> Path:
    """Return the path of a file of Foldwise, in a checkout or an installation.

    An installed Foldwise has `app.py`, `pages`, `sample_results` and `docs` in the package, a
    checkout has them next to it.

    Examples
    --------
    >>> installed_path("sample_results", "uci38_5x2.csv").name
    'uci38_5x2.csv'
    """
    return _HOME.joinpath(*names)
