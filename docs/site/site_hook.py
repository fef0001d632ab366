"""Code of the site's pages: a hook of MkDocs that runs it and draws its pictures; tests/test_site.py runs it, too.

The Python blocks of a page run in order, in one namespace. A block of text after a Python block is
what it prints. A picture after a Python block shows the value of its last line, or a file that the
code wrote.
"""

import ast
import inspect
import io
import re
import sys
import tempfile
from contextlib import chdir, redirect_stdout
from importlib import import_module
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
WIDTH = 760  # of pictures in pixels
_BLOCK = re.compile(
    r"^```(python|text)\n(.*?)^```$|^!\[[^\]]*\]\(([\w-]+\.svg)\)$", re.DOTALL | re.MULTILINE
)


def run_page(text, folder, *, draw=False):
    """Run the code of a page in a folder; return (line, code, printed text, stated text or None) of each block.

    With `draw`, write the pictures of the page into the folder.
    """
    samples, names, blocks, value = Path(folder) / "sample_results", {"__name__": "page"}, [], None
    end = 0
    if not samples.exists():
        samples.symlink_to(ROOT / "sample_results", target_is_directory=True)
    with chdir(folder):
        for match in _BLOCK.finditer(text):
            kind, content, picture = match.groups()
            line = text.count("\n", 0, match.start()) + 1
            if kind == "python":
                printed, value = run(content, names)
                blocks.append([line, content, printed, None])
            elif kind == "text" and blocks and not text[end : match.start()].strip():
                blocks[-1][3] = content
            elif picture and not Path(picture).exists() and draw:
                Path(picture).write_bytes(svg(value))
            elif picture and not Path(picture).exists() and not hasattr(value, "to_plotly_json"):
                raise ValueError(f"line {line}: no figure before {picture}")
            end = match.end()
    return blocks


def run(code, names):
    """Run code; return what it prints, with its last value as in a notebook, and that value."""
    *body, last = ast.parse(code).body
    value, printed = None, io.StringIO()
    with redirect_stdout(printed):
        if not isinstance(last, ast.Expr):
            body.append(last)
        exec(compile(ast.Module(body, []), "page", "exec"), names)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), "page", "eval"), names)
            if value is not None and not hasattr(value, "to_plotly_json"):
                print(value if isinstance(value, str) else repr(value))
    return re.sub(r" +$", "", printed.getvalue(), flags=re.MULTILINE), value


_NAMESPACES = {
    "foldwise": "Comparison of results. All names of this page are in `foldwise`, and so are common names of the other pages.",
    "io": "Reading of results, and reports.",
    "stats": "Tests, intervals, adjustments, curves and orders.",
    "plot": "Figures of your own numbers. Each function returns a Plotly figure.",
    "power": "Power, error rates and planning.",
}
_PLAIN = "\n    options: {show_root_heading: false, show_root_toc_entry: false, members: false, show_bases: false}"


def api_page(namespace, written):
    """Return the page of a namespace in Markdown: each public function or class that is not in `written`, a set."""
    title = f"foldwise.{namespace}".removesuffix(".foldwise")
    module = import_module(title if namespace != "foldwise" else "foldwise.api")
    home = "stats_core" if namespace in ("stats", "power", "io") else module.__name__
    of_foldwise = _in_no_namespace() if namespace == "foldwise" else {}
    blocks = [f"# {title}", _NAMESPACES[namespace]]
    found = {name: getattr(module, name) for name in _public_names(module)}
    found = {
        name: each
        for name, each in found.items()
        if callable(each) and getattr(each, "__module__", "").startswith(home)
    }
    found |= of_foldwise
    for name, each in sorted(found.items(), key=lambda item: (item[0][0].isupper(), item[0])):
        if each in written:  # functions are first
            continue
        written.add(each)
        spec = (
            inspect.getclosurevars(each).nonlocals.get("spec") if inspect.isfunction(each) else None
        )
        if hasattr(each, "arguments"):  # a record has the other arguments
            parameters = ", ".join(inspect.signature(each).parameters)
            record = f"{each.arguments.__module__}.{each.arguments.__name__}"
            blocks.append(f"## {name}\n\n```python\n{name}({parameters})\n```")
            blocks += [f"::: {home}{_PLAIN}" for home in (f"{each.__module__}.{name}", record)]
            result = inspect.signature(each).return_annotation
            if inspect.isclass(result) and result not in written:
                written.add(result)
                blocks.append(f"::: {result.__module__}.{result.__name__}")
        elif spec is None:
            members = (
                "\n    options: {members: false}" if namespace in ("stats", "power", "io") else ""
            )
            blocks.append(f"::: {each.__module__}.{each.__name__}{members}")
        else:  # a function that draws a figure: its class describes it
            parameters = ", ".join(map(_parameter, inspect.signature(each).parameters.values()))
            blocks.append(f"## {name}\n\n```python\n{name}({parameters})\n```")
            blocks.append(f"::: {spec.__module__}.{spec.__name__}{_PLAIN}")
    return "\n\n".join(blocks)


def _in_no_namespace():
    """Return the public functions and classes of `foldwise` that no other namespace has, by name."""
    import foldwise

    spaces = [import_module(f"foldwise.{name}") for name in _NAMESPACES if name != "foldwise"]
    others = {name for space in spaces for name in _public_names(space)}
    named = {name: getattr(foldwise, name) for name in foldwise.__all__ if name not in others}
    return {
        name: each
        for name, each in named.items()
        if inspect.isfunction(each) or inspect.isclass(each)
    }


def _public_names(module):
    """Return the public names of a module."""
    return getattr(module, "__all__", None) or [name for name in vars(module) if name[0] != "_"]


def _parameter(parameter):
    """Return a parameter as in a call."""
    text = str(parameter.replace(annotation=parameter.empty))
    return f"*, {text}" if parameter.kind is parameter.KEYWORD_ONLY else text


def svg(figure):
    """Return a Plotly figure as SVG."""
    from foldwise.rendering.from_plotly import export

    return export(figure if figure.layout.width else figure.update_layout(width=WIDTH), "svg")


def math(source, *_args, **_options):
    """Return a formula of LaTeX as MathML, which browsers show without a script."""
    from latex2mathml.converter import convert

    return convert(source, display="block")


def on_config(config):
    """Make the packages of the checkout importable."""
    sys.path.insert(0, str(ROOT))
    config.mdx_configs["pymdownx.superfences"] = {
        "custom_fences": [{"name": "math", "class": "math", "format": math}]
    }
    return config


def on_files(files, config):
    """Put the pages of docs/site at the top of the site, with their pictures and the pages of the API."""
    from mkdocs.structure.files import File

    for file in list(files.documentation_pages()):
        if not file.src_uri.startswith("site/"):
            continue
        with tempfile.TemporaryDirectory() as folder:
            run_page(file.content_string, folder, draw=True)
            for path in sorted(Path(folder).glob("*.svg")):
                files.append(File.generated(config, f"site/{path.name}", content=path.read_bytes()))
    written = set()
    for name in _NAMESPACES:
        files.append(File.generated(config, f"site/api-{name}.md", content=api_page(name, written)))
    for file in files:
        file.dest_uri = file.dest_uri.removeprefix("site/")
    return files
