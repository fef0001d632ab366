"""Launcher of the app: starts the server, triggers a first run, and prints the URL.

``foldwise run [streamlit options]``, or ``python -m foldwise.web.launcher`` with the same.
"""

import argparse
import errno
import http.client
import json
import logging
import os
import secrets
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
import webbrowser
from collections.abc import Sequence
from contextlib import suppress
from importlib.util import find_spec

from foldwise import paths
from foldwise.web.texts import page_text
from foldwise.workspaces import store
from stats_core.core.errors import SettingError

START_SECONDS = 60
PORTS_TRIED = 100
HERE = ("", "0.0.0.0", "localhost", "127.0.0.1")
SERVE = "serve"  # first argument of the server process
REST = 60.0  # seconds without work after which a worker process is killed
TIDY_SECONDS = 15.0  # between clean-ups
WORKED = 0.1  # seconds of computing after which a clean-up is due: an idle server leaves little to collect
MOST_BYTES = 100_000  # bytes read of an answer, which may come from another program


def main(arguments: Sequence[str]) -> int:
    """Run the server until it stops; return its exit code, 1 if it cannot be started, 0 after Ctrl-C."""
    options_given, streamlit_options = _parser().parse_known_args(arguments)
    if find_spec("streamlit") is None:
        _say(page_text("launcher.no_streamlit"))
        return 1
    port = free_port(options_given.address, options_given.port)
    if port is None:
        _say(page_text("launcher.no_port", port=options_given.port))
        return 1
    if port != options_given.port:
        _say(page_text("launcher.other_port", port=options_given.port, other=port))
    try:
        store.limits()
    except SettingError as error:
        _say(str(error))
        return 1
    address = [f"--server.address={options_given.address}"] if options_given.address else []
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))  # end the server, too
    command = [sys.executable, "-m", "foldwise.web.launcher", SERVE]
    mark = f"https://{secrets.token_hex(16)}.invalid"  # a unique origin
    options = ["--server.headless=true", f"--server.port={port}", f"--client.allowedOrigins={mark}"]
    server = subprocess.Popen([*command, *options, *address, *streamlit_options], stdout=subprocess.DEVNULL)
    hosts = ("localhost", "127.0.0.1") if options_given.address in HERE else (options_given.address,)
    try:
        if url := _warm(server, [f"http://{host}:{port}" for host in hosts], mark):
            sys.stdout.write(page_text("launcher.started", url=url) + "\n")
            sys.stdout.flush()
            if options_given.headless == "false":
                webbrowser.open(url)
        elif server.poll() is None:
            _say(page_text("launcher.no_response", port=port))
        return server.wait()
    except KeyboardInterrupt:
        return 0
    finally:
        server.terminate()
        server.wait()


def _parser() -> argparse.ArgumentParser:
    """Return the parser of the options that the launcher reads; the others go to Streamlit."""
    parser = argparse.ArgumentParser(
        prog="foldwise run",
        description=page_text("launcher.description"),
        epilog=page_text("launcher.options"),
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


def _serve(options: list[str]) -> None:
    """Import the libraries, then run Streamlit in this process until it is stopped.

    Streamlit collects garbage after every run of a page. The 190,000 objects of libraries, which
    never become garbage, took half the time of a click; `gc.freeze` excludes them. This must happen
    before the first session, since frozen objects are not collected. Idle worker processes are
    killed, the memory of ended sessions is released and expired workspaces are deleted regularly.
    """
    from streamlit.web import cli

    from foldwise.web import choices, job_queue, layout  # noqa: F401 - layout imports the modules of all pages

    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("%(asctime)s %(message)s"))
    logging.getLogger("foldwise").addHandler(handler)

    def tidy() -> None:
        tidied, next_deletion = time.process_time(), 0.0
        while True:
            time.sleep(TIDY_SECONDS)
            job_queue.shared_queue().close(REST)
            if time.process_time() > tidied + WORKED:
                job_queue.freeze_gc()
                tidied = time.process_time()
            if time.monotonic() > next_deletion and (workspaces := choices.workspace_store()) is not None:
                next_deletion = time.monotonic() + store.HOUR
                with suppress(store.WorkspaceSaveError):  # it is in the log
                    workspaces.delete_expired()

    job_queue.freeze_gc()
    threading.Thread(target=tidy, daemon=True).start()
    cli.main(["run", str(paths.installed_path("app.py")), *options], prog_name="streamlit")


if __name__ == "__main__":
    sys.exit(_serve(sys.argv[2:]) if sys.argv[1:2] == [SERVE] else main(sys.argv[1:]))
