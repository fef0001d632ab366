"""Tests of what the running server answers to foreign hosts and sites, and of its headers."""

import http.client
from urllib.parse import urlsplit

import pytest

from foldwise.web import server as server_process

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
