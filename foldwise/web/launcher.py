"""Launcher of the app: starts the server, triggers a first run, and prints the URL.

``foldwise run [file ...] [streamlit options]``, or ``python -m foldwise.web.launcher`` with the
same.
"""

import argparse
import errno
import http.client
import json
import os
import secrets
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
import webbrowser
from collections.abc import Sequence
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path

from foldwise.web.texts import page_text
from foldwise.workspaces import store
from stats_core.core.errors import FoldwiseError, SettingError

START_SECONDS = 60
WATCH_SECONDS = 0.2  # between looks at the processes
MOST_STARTS = 5  # of one server in `MINUTE` seconds, after which it is not started again
MINUTE = 60
PORTS_TRIED = 100
HERE = ("", "0.0.0.0", "localhost", "127.0.0.1")
PROXIED = "    server 127.0.0.1:{} max_fails=0;"  # a server in the configuration of nginx
MOST_BYTES = 100_000  # bytes read of an answer, which may come from another program


def main(arguments: Sequence[str]) -> int:
    """Run the servers until they stop; return an exit code, 1 if one cannot be started, 0 after Ctrl-C."""
    parser = _parser()
    settings, others = parser.parse_known_args(arguments)
    files, options = _files_and_options(others)
    if settings.processes < 1:
        parser.error(page_text("launcher.no_process"))
    if find_spec("streamlit") is None:
        _say(page_text("launcher.no_streamlit"))
        return 1
    try:
        limits = store.limits()
        query = f"/?w={_stored(files, limits)}" if files else ""
    except (FoldwiseError, OSError) as error:
        _say(str(error))
        return 1
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))  # end the servers, too
    options += [f"--server.allowedHosts={name}" for name in settings.host]
    servers = [Server(settings.address, options) for _ in range(settings.processes)]
    try:
        first = settings.port
        for server in servers:
            if not server.start_at_free_port(first):
                return 1
            if server.process.poll() is not None:
                return server.process.returncode
            first = server.port + 1
        _announce(servers, query, opens=settings.headless == "false")
        return _watch(servers)
    except KeyboardInterrupt:
        return 0
    finally:
        _stop(servers)


def _announce(servers: Sequence["Server"], query: str, *, opens: bool) -> None:
    """Write the URLs of the servers, and how a proxy reaches them; open the first URL if `opens`."""
    urls = [server.url + query for server in servers if server.url]
    if not urls:
        return
    sys.stdout.write(page_text("launcher.started", url=", ".join(urls)) + "\n")
    if len(servers) > 1:
        lines = "\n".join(PROXIED.format(server.port) for server in servers)
        sys.stdout.write(page_text("launcher.proxy", servers=lines) + "\n")
    sys.stdout.flush()
    if opens:
        webbrowser.open(urls[0])


def _stop(servers: Sequence["Server"]) -> None:
    """Stop all servers that were started, and wait for their ends."""
    running = [server.process for server in servers if hasattr(server, "process")]
    for process in running:
        process.terminate()
    for process in running:
        process.wait()


class Server:
    """A server process, its port, and the URL at which it answers, "" if it does not."""

    process: subprocess.Popen
    port: int
    url: str

    def __init__(self, address: str, options: Sequence[str]) -> None:
        self._address = address
        self._options = ([f"--server.address={address}"] if address else []) + [*options]
        self._starts: list[float] = []  # within the last minute

    def may_start_again(self) -> bool:
        """Return whether the server was started only a few times within the last minute."""
        since = time.monotonic() - MINUTE
        self._starts = [start for start in self._starts if start > since]
        return len(self._starts) < MOST_STARTS

    def start_at_free_port(self, first: int) -> bool:
        """Start at the first free port from `first`; return whether there is one.

        Another program may take the port before the server does, which then ends.
        """
        while port := free_port(self._address, first):
            if port != first:
                _say(page_text("launcher.other_port", port=first, other=port))
            self.start(port)
            if self.process.poll() is None or free_port(self._address, port) == port:
                return True
        _say(page_text("launcher.no_port", port=first))
        return False

    def start(self, port: int) -> None:
        """Start at a port, and wait until the server answers or ends."""
        mark = f"https://{secrets.token_hex(16)}.invalid"  # a unique origin
        options = [
            "--server.headless=true",
            f"--server.port={port}",
            f"--client.allowedOrigins={mark}",
            *self._options,
        ]
        self.port = port
        self._starts.append(time.monotonic())
        self.process = subprocess.Popen(
            [sys.executable, "-m", "foldwise.web.server_process", *options],
            stdout=subprocess.DEVNULL,
        )
        hosts = ("localhost", "127.0.0.1") if self._address in HERE else (self._address,)
        self.url = _warm(self.process, [f"http://{host}:{port}" for host in hosts], mark)
        if not self.url and self.process.poll() is None:
            _say(page_text("launcher.no_response", port=port))


def _watch(servers: Sequence[Server]) -> int:
    """Start servers again when they end, until one is stopped or ends too often; return its code."""
    while True:
        for server in servers:
            code = server.process.poll()
            if code is None:
                continue
            is_stopped = code == 0 and len(servers) == 1
            if is_stopped or not server.may_start_again():
                if code:
                    _say(page_text("launcher.ended", port=server.port, code=code))
                return code
            _say(page_text("launcher.again", port=server.port, code=code))
            server.start(server.port)
            if (code := server.process.poll()) is not None:  # before it answered
                _say(page_text("launcher.ended", port=server.port, code=code))
                return code
        time.sleep(WATCH_SECONDS)


def _parser() -> argparse.ArgumentParser:
    """Return the parser of the options that the launcher reads; the others go to Streamlit."""
    parser = argparse.ArgumentParser(
        prog="foldwise run",
        description=page_text("launcher.description"),
        epilog=page_text("launcher.options"),
        usage=page_text("launcher.usage"),
        allow_abbrev=False,
    )
    add = parser.add_argument
    port = os.environ.get("STREAMLIT_SERVER_PORT", "8501")
    add("--port", "--server.port", type=int, default=port, metavar="N", help=f"default: {port}")
    add(
        "--address",
        "--server.address",
        default=os.environ.get("STREAMLIT_SERVER_ADDRESS", ""),
        metavar="HOST",
        help=page_text("launcher.address"),
    )
    hosts = os.environ.get("FOLDWISE_HOST", "").split()
    add("--host", action="append", default=hosts, metavar="NAME", help=page_text("launcher.host"))
    add("--processes", type=int, default=1, metavar="N", help=page_text("launcher.processes"))
    add(
        "--headless",
        "--server.headless",
        nargs="?",
        const="true",
        default="false",
        choices=("true", "false"),
        help=page_text("launcher.headless"),
    )
    return parser


def _files_and_options(arguments: Sequence[str]) -> tuple[list[Path], list[str]]:
    """Return result files, and the options of Streamlit, some of which are followed by their value."""
    names: list[str] = []
    options: list[str] = []
    for before, argument in pairwise(["", *arguments]):
        is_value = before.startswith("--") and "=" not in before
        (options if is_value or argument.startswith("-") else names).append(argument)
    return [Path(name) for name in names], options


def _stored(files: Sequence[Path], limits: store.WorkspaceLimits) -> str:
    """Store files as a workspace, and return its token; raise WorkspaceSaveError or OSError if this fails."""
    if limits.path is None:
        raise SettingError(page_text("launcher.no_workspaces"))
    contents = tuple((file.name, file.read_bytes()) for file in files)
    name = ", ".join(file.name for file in files)[: store.LONGEST_NAME]
    return store.Store(limits).save(store.Workspace(name=name, files=contents)).link


def free_port(address: str, first: int) -> int | None:
    """Return the first of `PORTS_TRIED` ports from `first` not in use; None if there is none, or without permission."""
    end = min(first + PORTS_TRIED, 2**16)
    for port in range(first, end) if first > 0 else ():
        try:
            with socket.create_server((address or "127.0.0.1", port)):
                return port
        except OSError as error:
            if error.errno == errno.EACCES:
                return None
            if error.errno != errno.EADDRINUSE:  # the server may still accept the address
                return port
    return None


def _say(text: str) -> None:
    sys.stderr.write(f"foldwise: {text}\n")
    sys.stderr.flush()


def _warm(server: subprocess.Popen, urls: Sequence[str], mark: str) -> str:
    """Trigger one run of the app, and return the URL that answers, "" if none does.

    A response without this server's token comes from another program at that port and is ignored.
    """
    deadline = time.monotonic() + START_SECONDS
    while server.poll() is None and time.monotonic() < deadline:
        for url in urls:
            if not _is_ours(url, mark):
                continue
            try:
                urllib.request.urlopen(f"{url}/_stcore/script-health-check", timeout=START_SECONDS)
            except urllib.error.HTTPError as error:
                _say(page_text("launcher.failed", reason=error.read().decode()))
            except OSError:
                break
            return url
        time.sleep(0.05)
    return ""


def _is_ours(url: str, mark: str) -> bool:
    """Return whether the server at a URL has this launcher's token."""
    try:
        with urllib.request.urlopen(f"{url}/_stcore/host-config", timeout=2) as response:
            return mark in json.loads(response.read(MOST_BYTES))["allowedOrigins"]
    except (OSError, ValueError, KeyError, TypeError, http.client.HTTPException):
        return False


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
