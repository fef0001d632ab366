"""The server process: Streamlit with the app, checks of the host of each request, and security headers."""

import gc
import ipaddress
import logging
import signal
import socket
import sys
import threading
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from fnmatch import fnmatchcase
from urllib.parse import urlsplit
from weakref import WeakSet

import click
import streamlit as st
from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware import Middleware
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit import config as st_config
from streamlit.runtime import memory_session_storage
from streamlit.runtime.session_manager import SessionInfo
from streamlit.web import bootstrap, cli

from foldwise import paths
from foldwise.web import choices, job_queue, layout  # noqa: F401 - layout imports the modules of all pages
from foldwise.web.texts import page_text
from foldwise.workspaces import store

REST = 60.0  # seconds without work after which a worker process is killed
WORKING_MB = (
    3_000  # in addition to `memory_mb`; libraries and threads reserve half of it without using it
)
TIDY_SECONDS = 15.0  # between clean-ups
WORKED = 0.1  # seconds of computing after which a clean-up is due: an idle server leaves little to collect
LOGGED = 20  # records of one kind in a minute that requests can cause; others are left out
PER_SOCKET = 4  # descriptors of a WebSocket and of its session
OTHER_DESCRIPTORS = 200  # of files, workers and requests
# Loggers of errors that any request can cause
_REQUEST_LOGS = ("streamlit.web.server.starlette.starlette_websocket", "uvicorn.error")
# What pages may load; scripts and styles within the page, and `Function`, are needed by Streamlit
# and Plotly.
_SELF, _DATA, _INLINE = "'self'", ("data:", "blob:"), "'unsafe-inline'"
SOURCES = {
    "default-src": (_SELF,),
    "script-src": (_SELF, _INLINE, "'unsafe-eval'", "blob:"),
    "style-src": (_SELF, _INLINE),
    "img-src": (_SELF, *_DATA),
    "font-src": (_SELF, "data:"),
    "media-src": (_SELF, *_DATA),
    "connect-src": (_SELF, *_DATA),
    "worker-src": (_SELF, "blob:"),
    "object-src": ("'none'",),
    "base-uri": (_SELF,),
    "frame-ancestors": (_SELF,),
}
HEADERS = {
    "Content-Security-Policy": "; ".join(
        " ".join((kind, *sources)) for kind, sources in SOURCES.items()
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
}


def serve(options: Sequence[str]) -> None:
    """Run the app with options of Streamlit until a signal ends the process.

    Streamlit collects garbage after every run of a page. The 190,000 objects of libraries, which
    never become garbage, took half the time of a click; `gc.freeze` excludes them. This must happen
    before the first session, since frozen objects are not collected.
    """
    script = str(paths.installed_path("app.py"))
    try:
        values = cli.main_run.make_context("foldwise run", [script, *options]).params
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    config = {
        name.replace("_", "."): value
        for name, value in values.items()
        if "_" in name and value not in (None, ())
    }
    hosts: list[str] = []
    sys.argv = [script]  # Streamlit searches its configuration in the folder of the first argument
    app = st.App(script, middleware=[Middleware(RequestChecks, hosts=hosts)])
    bootstrap.load_config_options(config)
    hosts += [*st.get_option("server.allowedHosts"), *own_hosts(st.get_option("server.address"))]
    st_config.set_option("server.allowedHosts", [])  # Streamlit's own check knows WebSockets only
    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("%(asctime)s %(message)s"))
    logging.getLogger("foldwise").addHandler(handler)
    for name in _REQUEST_LOGS:
        logging.getLogger(name).addFilter(LogLimit())
    # which the app imports when it starts; Streamlit has no option for it
    memory_session_storage.MemorySessionStorage = Sessions  # type: ignore[misc, assignment] # replaces a class of Streamlit
    job_queue.limit_memory(choices.limits().memory_mb + WORKING_MB)
    job_queue.freeze_gc()
    gc.enable()
    job_queue.shared_queue().keep_reader()
    threading.Thread(target=_tidy, daemon=True).start()
    # uvicorn raises a signal again after it has closed all connections
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    with suppress(
        KeyboardInterrupt
    ):  # the welcome would ask another server for the address of this one
        app.run(config={**config, "server.allowedHosts": [], "logger.hideWelcomeMessage": True})


def _tidy() -> None:
    """Kill idle worker processes, release the memory of ended sessions, and delete expired workspaces, again and again."""
    tidied, next_deletion = time.process_time(), 0.0
    while True:
        time.sleep(TIDY_SECONDS)
        Sessions.end_expired()
        job_queue.shared_queue().close(REST)
        if time.process_time() > tidied + WORKED:
            job_queue.freeze_gc()
            tidied = time.process_time()
        if (
            time.monotonic() > next_deletion
            and (workspaces := choices.workspace_store()) is not None
        ):
            next_deletion = time.monotonic() + store.HOUR
            with suppress(store.WorkspaceSaveError):  # it is in the log
                workspaces.delete_expired()


class Sessions(memory_session_storage.MemorySessionStorage):
    """The sessions without a connection, which may return.

    Streamlit stores also those that never ran a page, each with three descriptors, and ends the
    expired ones at the next disconnection only.
    """

    _all: WeakSet["Sessions"] = WeakSet()

    def __init__(self, **limits: int) -> None:
        super().__init__(**limits)
        self._all.add(self)

    def save(self, session_info: SessionInfo) -> None:
        """Store a session, or end it if it never ran a page."""
        session = session_info.session
        if session_info.script_run_count or session._scriptrunner is not None:
            super().save(session_info)
        else:
            session.shutdown()

    def delete(self, session_id: str) -> None:
        """Remove a session, if it is stored."""
        with suppress(KeyError):
            super().delete(session_id)

    @classmethod
    def end_expired(cls) -> None:
        """End the sessions whose visitors did not return in time."""
        for storage in list(cls._all):
            storage.list()  # looking at them removes the expired ones


class LogLimit(logging.Filter):
    """Filter that leaves out records of one kind beyond `LOGGED` in a minute."""

    def __init__(self) -> None:
        super().__init__()
        self._minute, self._counts = 0.0, Counter[str]()

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether a record is written."""
        if record.levelno < logging.WARNING:
            return True
        if record.created > self._minute + 60:
            self._minute, self._counts = record.created, Counter()
        kind = f"{record.name} {record.msg}"[:100]
        self._counts[kind] += 1
        if self._counts[kind] == LOGGED:
            record.msg, record.args = page_text("server.log_limit", text=record.getMessage()), ()
        return self._counts[kind] <= LOGGED


def most_sockets() -> int:
    """Return how many WebSockets may be open, so that descriptors for other requests remain."""
    try:
        import resource
    except ImportError:  # Windows
        return sys.maxsize
    soft, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY:
        return sys.maxsize
    return max(1, (soft - OTHER_DESCRIPTORS) // PER_SOCKET)


def own_hosts(address: str | None) -> list[str]:
    """Return the names at which a server at an address always answers."""
    return [name.lower() for name in ("localhost", socket.gethostname(), address) if name]


class RequestChecks:
    """ASGI middleware that refuses requests for other hosts and WebSockets of other sites, and sets headers.

    Without the check of hosts, any web site could have its own name resolve to the address of this
    server, and read what a visitor sees (DNS rebinding). This needs a name, so IP addresses are
    allowed.
    """

    def __init__(self, app: ASGIApp, hosts: Sequence[str]) -> None:
        self._app, self._hosts = app, hosts
        self._was_run, self._open, self._most = False, 0, most_sockets()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request; `scope` may also be the start of the server, which passes."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(HEADERS)
            await send(message)

        headers, path = Headers(scope=scope), scope["path"]
        refusal = None
        if path.rstrip("/").endswith("/_stcore/metrics") or self._is_further_run(path):
            refusal = PlainTextResponse(page_text("launcher.no_metrics"), 404)
        elif not path.endswith("/_stcore/health") and not is_allowed(
            headers.get("host", ""), self._hosts
        ):
            refusal = PlainTextResponse(page_text("launcher.other_host"), 403)
        if scope["type"] != "websocket":
            await (refusal or self._app)(scope, receive, send_with_headers)
        elif refusal or not _is_same_site(headers) or self._open >= self._most:
            await send({"type": "websocket.close"})  # before it is accepted, so the answer is 403
        else:
            self._open += 1
            try:
                await self._app(scope, receive, send_with_headers)
            finally:
                self._open -= 1

    def _is_further_run(self, path: str) -> bool:
        """Return whether a request would run the app again; the first is that of the launcher."""
        if not path.rstrip("/").endswith("/_stcore/script-health-check"):
            return False
        was_run, self._was_run = self._was_run, True
        return was_run


def is_allowed(host: str, names: Sequence[str]) -> bool:
    """Return whether the host of a request is an IP address or one of the names, which may be patterns.

    Examples
    --------
    >>> [is_allowed(host, ["*.example.org"]) for host in ("a.example.org:80", "[::1]:80", "example.com", "a b:c")]
    [True, True, False, False]
    """
    try:
        name = (urlsplit(f"//{host}").hostname or "").rstrip(".")
    except ValueError:
        return False
    try:
        return bool(ipaddress.ip_address(name))
    except ValueError:
        return any(fnmatchcase(name, pattern.lower()) for pattern in names)


def _is_same_site(headers: Headers) -> bool:
    """Return whether a page of this server, of an allowed origin, or a program without a page sent a request.

    Streamlit would ask other servers for the address of this machine before it refuses an origin.
    """
    origin = headers.get("origin")
    if (
        origin is None
        or not st.get_option("server.enableCORS")
        or origin in st.get_option("server.corsAllowedOrigins")
    ):
        return True
    return origin.partition("//")[2] == headers.get("host")
