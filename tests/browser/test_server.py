"""Tests of what the running server answers to foreign hosts and sites, and of its headers."""

import asyncio
import http.client
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from foldwise.web import server as server_process
from tests.websocket_clients import ROOT, free_port, visitor

UPGRADE = {
    "Connection": "Upgrade",
    "Upgrade": "websocket",
    "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": "MDAwMDAwMDAwMDAwMDAwMA==",
}


def answer(server, path, headers=None):
    """Return the status, the headers and the first bytes of the answer to a request."""
    link = http.client.HTTPConnection(urlsplit(server).netloc, timeout=60)
    try:
        link.request("GET", path, headers=headers or {})
        response = link.getresponse()
        return (
            response.status,
            response.headers,
            b"" if response.status == 101 else response.read(200),
        )
    finally:
        link.close()


@pytest.mark.parametrize(
    ("host", "origin", "page", "socket"),
    [
        ("attacker.example:{port}", "http://attacker.example:{port}", 403, 403),  # DNS rebinding
        ("localhost:{port}", "http://attacker.example", 200, 403),
        ("localhost:{port}", "http://[", 200, 403),
        ("localhost:{port}", "http://localhost:{port}", 200, 101),
        ("192.0.2.1:{port}", "http://192.0.2.1:{port}", 200, 101),  # visited by an address
    ],
    ids="rebinding other-site malformed same-site by-address".split(),
)
def test_requests_of_foreign_hosts_and_sites_are_refused(server, host, origin, page, socket):
    sent = {"Host": host, "Origin": origin}
    sent = {name: value.format(port=urlsplit(server).port) for name, value in sent.items()}

    status, _, text = answer(server, "/", sent)
    assert status == page
    assert (b"foldwise run --host NAME" in text) == (page == 403)
    assert answer(server, "/_stcore/stream", sent | UPGRADE)[0] == socket
    assert answer(server, "/_stcore/health", sent)[0] == 200  # of a load balancer


def test_headers_are_set_and_metrics_are_closed(server):
    for path in ("/", "/_stcore/metrics", "/_stcore/health"):
        status, headers, _ = answer(server, path)
        assert status == (404 if "metrics" in path else 200)
        assert {name: headers[name] for name in server_process.HEADERS} == server_process.HEADERS
    assert "frame-ancestors 'self'" in headers["Content-Security-Policy"]
    assert headers["X-Content-Type-Options"] == "nosniff"


def test_the_browser_loads_nothing_from_another_server(server, own_page):
    own_page.goto(server)
    blocked = own_page.evaluate(
        """() => new Promise((done) => {
            document.addEventListener("securitypolicyviolation", (event) => done(event.effectiveDirective))
            new Image().src = "http://attacker.invalid/pixel.png"
        })"""
    )
    assert blocked == "img-src"


def test_names_of_hosts_are_those_of_the_machine_and_the_chosen_ones(monkeypatch):
    monkeypatch.setattr(server_process.socket, "gethostname", lambda: "Lab7")

    assert server_process.own_hosts("") == ["localhost", "lab7"]
    assert server_process.is_allowed("LAB7.:8501", server_process.own_hosts("lab7.example.org"))
    assert server_process.is_allowed("any.name", ["*"])
    for host in ("", "localhost.attacker.example", "[", "localhost@attacker.example"):
        assert not server_process.is_allowed(host, ["localhost", "*.example.org"])


@contextmanager
def launched(tmp_path, **environment):
    """Start a server by the launcher; yield its address, its launcher, and the file of its log."""
    log, port = tmp_path / "log.txt", free_port()
    with log.open("w") as file:
        launcher = subprocess.Popen(
            [sys.executable, "-m", "foldwise.web.launcher", "--headless", f"--port={port}"],
            cwd=ROOT,
            env=os.environ | {"FOLDWISE_WORKSPACES": "off"} | environment,
            stdout=file,
            stderr=subprocess.STDOUT,
        )
    try:
        wait_until(lambda: "Foldwise is at" in log.read_text())
        yield f"http://localhost:{port}", launcher, log
    finally:
        launcher.terminate()
        launcher.wait(60)


def wait_until(seen, seconds=120):
    """Wait until `seen` returns something true, and return it."""
    end = time.monotonic() + seconds
    while not (outcome := seen()):
        assert time.monotonic() < end
        time.sleep(0.05)
    return outcome


def server_of(launcher):
    """Return the process id of the server of a launcher."""
    children = Path(f"/proc/{launcher.pid}/task/{launcher.pid}/children").read_text().split()
    return int(children[0])


def descriptors(process):
    return len(list(Path(f"/proc/{process}/fd").iterdir()))


FAULTY = """
import sys
from foldwise.web import layout
def fail(*_):
    raise ZeroDivisionError("a fault before the page")
layout.draw_page = fail
from foldwise.web.server import serve
serve(sys.argv[1:])
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="counts descriptors in /proc")
def test_a_server_outlives_closed_sockets_odd_frames_and_its_own_death(tmp_path):
    with launched(tmp_path) as (address, launcher, log):
        stream = address.replace("http://", "ws://") + "/_stcore/stream"
        with visitor(address) as first:
            assert first.open("data") == []
        process, before = server_of(launcher), descriptors(server_of(launcher))
        with ExitStack() as sockets:
            for _ in range(100):
                sockets.enter_context(connect(stream, subprotocols=["streamlit"]))
            assert descriptors(process) >= before + 100
        wait_until(lambda: descriptors(process) <= before + 10)

        for number in range(3 * server_process.LOGGED):
            with connect(stream, subprotocols=["streamlit"]) as socket:
                socket.send(b"\xff" * (number + 1))
                with pytest.raises(ConnectionClosed):
                    socket.recv(timeout=60)
        assert log.read_text().count("Traceback") <= 2 * server_process.LOGGED
        assert "left out" in log.read_text()
        assert answer(address, "/_stcore/script-health-check")[0] == 404

        os.kill(process, signal.SIGSEGV)
        wait_until(lambda: answers(address))
        assert server_of(launcher) != process
        assert "ended with code -11 and is started again" in log.read_text()
        with visitor(address) as second:
            assert second.open("data") == []


def answers(address):
    """Return whether a server answers."""
    try:
        return answer(address, "/_stcore/health")[0] == 200
    except OSError:
        return False


def test_the_log_has_the_traceback_of_an_error_that_nothing_catches(tmp_path):
    port, log = free_port(), tmp_path / "log.txt"
    with log.open("w") as file:
        process = subprocess.Popen(
            [sys.executable, "-c", FAULTY, "--server.headless=true", f"--server.port={port}"],
            cwd=ROOT,
            env=os.environ | {"FOLDWISE_WORKSPACES": "off"},
            stdout=subprocess.DEVNULL,
            stderr=file,
        )
    try:
        wait_until(lambda: answers(f"http://localhost:{port}"))
        with visitor(f"http://localhost:{port}") as first:
            (shown,) = first.open("data")
        assert "a fault before the page" not in shown
        assert "ZeroDivisionError: a fault before the page" in log.read_text()
    finally:
        process.terminate()
        process.wait(60)


def test_more_sockets_than_descriptors_allow_are_refused(monkeypatch):
    resource = pytest.importorskip("resource")
    monkeypatch.setattr(resource, "getrlimit", lambda kind: (1024, 4096))
    most = server_process.most_sockets()
    assert 100 < most * server_process.PER_SOCKET <= 1024 - server_process.OTHER_DESCRIPTORS

    opened, refused = [], []

    async def app(scope, receive, send):
        opened.append(scope)
        await asyncio.sleep(0.1)

    async def send(message):
        refused.append(message["type"])

    async def flood():
        checks = server_process.RequestChecks(app, [])
        scope = {"type": "websocket", "path": "/_stcore/stream", "headers": [(b"host", b"[::1]")]}
        await asyncio.gather(*(checks(scope, None, send) for _ in range(most + 7)))
        await checks(scope, None, send)  # the others are closed

    with ThreadPoolExecutor(1) as pool:  # Playwright's event loop runs in this thread
        pool.submit(asyncio.run, flood()).result()
    assert len(opened) == most + 1
    assert refused == ["websocket.close"] * 7
