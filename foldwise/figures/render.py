"""Figures as PDF, SVG and PNG, drawn by one Chromium that all threads share.

Only figures built by this package may be rendered: the browser can read local files, so a
figure written by a stranger could too.
"""

from __future__ import annotations

import asyncio
import atexit
import io
import logging
import os
import shutil
import threading
from collections.abc import Coroutine
from pathlib import Path
from typing import Any, Literal, TypeVar

import plotly.graph_objects as go
from PIL import Image

from foldwise.figures.theme import PX_PER_INCH

Format = Literal["pdf", "svg", "png"]
T = TypeVar("T")

NO_BROWSER = "PDF, SVG and PNG need Chrome or Chromium on the server."
_NAMES = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
    "microsoft-edge",
)
_START_SECONDS = 60.0
_CLOSE_SECONDS = 20.0


class RenderError(RuntimeError):
    """A figure could not be drawn; the message says why in words for the user."""


def find_browser() -> Path | None:
    """Return the browser to draw with.

    The environment variables ``CHROMIUM`` and ``BROWSER_PATH`` come first, in this order; one
    that names no executable file means that there is no browser.
    """
    for variable in ("CHROMIUM", "BROWSER_PATH"):
        if value := os.environ.get(variable):
            found = shutil.which(value)
            return Path(found) if found else None
    return next((Path(found) for name in _NAMES if (found := shutil.which(name))), None)


def available() -> tuple[bool, str]:
    """Return whether figures can be exported here, and if not, the sentence that says why."""
    return (True, "") if find_browser() else (False, NO_BROWSER)


class Renderer:
    """Draws figures in a browser of its own, started at the first figure.

    Safe to share between threads: figures are drawn one after the other, each caller gets its
    own. A browser that died or hangs is replaced, and the figure drawn again, once.

    Parameters
    ----------
    timeout : float
        Seconds one figure may take.
    """

    def __init__(self, timeout: float = 60.0) -> None:
        self._timeout = timeout
        self._lock = threading.Lock()
        self._session: _Session | None = None

    def render(
        self, fig: go.Figure, fmt: Format, width: float, height: float, scale: float = 1.0
    ) -> bytes:
        """Return `fig` as a file of `width` times `height` CSS pixels, 96 to the inch.

        Raises
        ------
        RenderError
            If there is no browser or it fails twice.
        """
        options = {"format": fmt, "width": width, "height": height, "scale": scale}
        spec = fig.to_dict()
        with self._lock:
            try:
                return self._attempt(spec, options)
            except RenderError:
                raise
            except Exception:
                logging.getLogger(__name__).info("replacing the browser", exc_info=True)
                self._drop()
            try:
                return self._attempt(spec, options)
            except Exception as error:
                self._drop()
                raise RenderError(
                    "The browser on the server could not draw the figure. Try again; if it "
                    "fails again, restart the server."
                ) from error

    def close(self) -> None:
        """Close the browser. The next figure starts a new one."""
        with self._lock:
            self._drop()

    def _attempt(self, spec: dict[str, Any], options: dict[str, Any]) -> bytes:
        if self._session is None:
            self._session = _Session(self._timeout)
            # Registered after what the browser registers itself, so that it runs before that.
            atexit.unregister(self.close)
            atexit.register(self.close)
        return self._session.draw(spec, options)

    def _drop(self) -> None:
        session, self._session = self._session, None
        if session is not None:
            session.close()


class _Session:
    """One browser and the thread whose event loop talks to it."""

    def __init__(self, timeout: float) -> None:
        import kaleido  # here, because it takes a while and many servers never export

        path = find_browser()
        if path is None:
            raise RenderError(NO_BROWSER)
        self._timeout = timeout
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(
            target=self._loop.run_forever, name="figure renderer", daemon=True
        )
        self._thread.start()
        self._browser: Any = None

        async def start() -> None:
            page = kaleido.PageGenerator(mathjax=False)
            # PDFs would be printed with a margin of 0.1 in, and what that pushes out be lost.
            page.header += "        <style>@page { margin: 0 }</style>\n"
            self._browser = kaleido.Kaleido(
                n=1, timeout=timeout, page_generator=page, path=str(path)
            )
            await self._browser.open()

        try:
            self._run(start(), _START_SECONDS)
        except BaseException:
            self.close()
            raise

    def draw(self, spec: dict[str, Any], options: dict[str, Any]) -> bytes:
        return self._run(self._browser.calc_fig(spec, opts=options), self._timeout + 5)

    def close(self) -> None:
        """End the browser, the tasks that speak to it, the loop and its thread."""
        try:
            if self._browser is not None:
                self._run(self._browser.close(), _CLOSE_SECONDS)
        except Exception:  # a browser that cannot be asked is ended below
            logging.getLogger(__name__).info("the browser did not close", exc_info=True)
        self._kill()
        try:
            self._run(_cancel_others(), _CLOSE_SECONDS)
        except Exception:
            logging.getLogger(__name__).info("tasks did not end", exc_info=True)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(_CLOSE_SECONDS)
        if not self._thread.is_alive():
            self._loop.close()

    def _kill(self) -> None:
        process = getattr(self._browser, "subprocess", None)
        if process is not None and process.poll() is None:
            process.kill()
            process.wait(_CLOSE_SECONDS)

    def _run(self, work: Coroutine[Any, Any, T], seconds: float) -> T:
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return future.result(seconds)
        except BaseException:
            future.cancel()
            raise


async def _cancel_others() -> None:
    """Cancel what is left on the loop and wait for it."""
    others = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)


_shared: Renderer | None = None
_shared_lock = threading.Lock()


def renderer() -> Renderer:
    """Return the renderer that the whole process shares."""
    global _shared
    with _shared_lock:
        if _shared is None:
            _shared = Renderer()
        return _shared


def export(fig: go.Figure, fmt: Format, dpi: int = 300) -> bytes:
    """Return a figure as a file, at the size its layout states.

    Parameters
    ----------
    fig : Figure
        A figure of this package; width and height must be set, as the print style does.
    fmt : {"pdf", "svg", "png"}
        PDF and SVG are vectors with embedded or named fonts.
    dpi : int
        Dots per inch of a PNG, which also carries the number as a tag.

    Returns
    -------
    bytes
        The file.

    Raises
    ------
    RenderError
        Without Chrome or Chromium, or if it fails.
    """
    width, height = fig.layout.width, fig.layout.height
    if not width or not height:
        raise ValueError(
            "`fig` must have a width and a height; build it with foldwise.figures.theme.paper"
        )
    if fmt not in ("pdf", "svg", "png"):
        raise ValueError(f"`fmt` must be pdf, svg or png; got {fmt!r}")
    scale = dpi / PX_PER_INCH if fmt == "png" else 1.0
    data = renderer().render(fig, fmt, width, height, scale)
    return _tagged(data, dpi) if fmt == "png" else data


def _tagged(png: bytes, dpi: int) -> bytes:
    """Write the resolution into a PNG, so that it comes out at its size on paper."""
    out = io.BytesIO()
    with Image.open(io.BytesIO(png)) as image:
        image.save(out, format="PNG", dpi=(dpi, dpi), optimize=True)
    return out.getvalue()
