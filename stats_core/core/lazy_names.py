"""Public names of a module that are imported at first use, as its stub file declares them."""

import ast
import sys
from collections.abc import Callable
from functools import cache
from importlib import import_module
from importlib.resources import files
from pathlib import Path
from typing import Any


def lazy_names(module: str, file: str) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return `__getattr__` and `__dir__` of a module, whose stub imports the public names.

    The stub has the name of `file` with the ending .pyi, and is what type checkers and completion
    read. A name is public if the stub has `from home import name as name`, or `from home import *`
    for all public names of another such module. `__all__` is their sorted list.

    Examples
    --------
    >>> import stats_core
    >>> find, _ = lazy_names("stats_core", stats_core.__file__)
    >>> find("friedman").__module__, "friedman" in find("__all__")
    ('stats_core.inference.ranks', True)
    """

    @cache
    def homes() -> dict[str, str]:
        homes_of: dict[str, str] = {}
        package = module if Path(file).stem == "__init__" else module.rpartition(".")[0]
        for node in ast.parse(
            files(package).joinpath(f"{Path(file).stem}.pyi").read_text(encoding="utf-8")
        ).body:
            if isinstance(node, ast.ImportFrom) and node.module:
                every = [alias.name for alias in node.names if alias.asname == alias.name]
                if node.names[0].name == "*":
                    every = import_module(node.module).__all__
                homes_of |= dict.fromkeys(every, node.module)
        return homes_of

    def find(name: str) -> Any:
        """Return the object with a public name, or the list `__all__`; raise AttributeError for other names."""
        if name == "__all__":
            return sorted(homes())
        if name.startswith("_") or name not in homes():
            raise AttributeError(f"module '{module}' has no attribute '{name}'")
        home = homes()[name]
        value = (
            import_module(f"{home}.{name}")
            if home == module
            else getattr(import_module(home), name)
        )
        setattr(sys.modules[module], name, value)
        return value

    def names() -> list[str]:
        return sorted(
            {*homes(), *(name for name in vars(sys.modules[module]) if name.startswith("__"))}
        )

    return find, names
