"""Where the app, its pages, the samples and the documents lie."""

from pathlib import Path

_HERE = Path(__file__).parent
ICON = str(_HERE / "web" / "icon.png")


def installed_path(*names: str) -> Path:
    """Where does a file of Foldwise lie, in a checkout as well as where it is installed?

    An installed Foldwise has `app.py`, `pages`, `sample_results` and `docs` in the package, a
    checkout has them beside it.

    Examples
    --------
    >>> installed_path("sample_results", "uci38_5x2.csv").name
    'uci38_5x2.csv'
    """
    home = _HERE if (_HERE / "app.py").exists() else _HERE.parent
    return home.joinpath(*names)
