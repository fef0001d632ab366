"""Tests of the start of the app: its port, its options, and error messages."""

import errno
import socket
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace

import pytest

from foldwise.web import launcher


@pytest.fixture
def taken():
    """A port on which another program listens."""
    with socket.create_server(("127.0.0.1", 0)) as other:
        yield other.getsockname()[1]


@pytest.fixture
def started(monkeypatch):
    """A list of the commands and addresses that would be started; stand-ins start nothing."""
    commands = []

    class Server:
        def __init__(self, command, **_):
            commands.append(command[2:])

        def wait(self):
            return 0

        def terminate(self):
            pass

    monkeypatch.setattr(launcher.subprocess, "Popen", Server)
    monkeypatch.setattr(launcher.signal, "signal", lambda *_: None)
    monkeypatch.setattr(launcher.webbrowser, "open", lambda url: commands.append(url))
    monkeypatch.setattr(launcher, "_warm", lambda server, urls, mark: urls[0])
    return commands


def test_a_port_in_use_is_left_to_its_owner(taken, started, capsys):
    assert launcher.main(["--server.port", str(taken), "--headless"]) == 0

    (command,) = started
    port = int(command[3].removeprefix("--server.port="))
    out, err = capsys.readouterr()
    assert taken < port < taken + launcher.PORTS_TRIED
    assert err.startswith(f"foldwise: port {taken} is in use. Foldwise uses port {port} instead")
    assert out.startswith(f"Foldwise is at http://localhost:{port} ")


def test_a_free_port_is_taken_as_asked(taken):
    assert launcher.free_port("", taken) != taken
    assert launcher.free_port("no.such.address.invalid", 8501) == 8501  # the server says what is wrong


@pytest.mark.parametrize("port", ["70000", "0", "-5"])
def test_a_port_that_there_is_not(started, capsys, port):
    assert launcher.main([f"--port={port}"]) == 1
    assert f"port {port} cannot be used" in capsys.readouterr().err
    assert started == []


def test_a_port_that_needs_rights(monkeypatch, started, capsys):
    def refuse(address):
        raise OSError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(launcher.socket, "create_server", refuse)

    assert launcher.main(["--port=80"]) == 1
    assert "port 80 cannot be used. Choose another port" in capsys.readouterr().err
    assert started == []


def test_addresses_and_options_reach_the_server(monkeypatch, started):
    monkeypatch.setenv("STREAMLIT_SERVER_PORT", "8700")
    monkeypatch.setattr(launcher, "free_port", lambda address, port: port)
    launcher.main(["--server.address=0.0.0.0", "--server.headless=true", "--server.maxUploadSize=5"])
    launcher.main([])

    here = ["--server.headless=true", "--server.port=8700"]
    marks = [command.pop(4) for command in started[:2]]
    assert len(set(marks)) == 2
    assert all(mark.startswith("--client.allowedOrigins=https://") for mark in marks)
    assert started[0][2:] == [*here, "--server.address=0.0.0.0", "--server.maxUploadSize=5"]
    assert started[0][:2] == ["foldwise.web.launcher", launcher.SERVE]
    assert started[1][2:] == here
    assert started[2] == "http://localhost:8700"


def test_without_streamlit(monkeypatch, started, capsys):
    monkeypatch.setattr(launcher, "find_spec", lambda name: None)

    assert launcher.main([]) == 1
    assert "pip install 'foldwise[app]'" in capsys.readouterr().err
    assert started == []


class Stranger(BaseHTTPRequestHandler):
    """Another program, which answers every request as a Streamlit server would."""

    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b'{"allowedOrigins": ["https://elsewhere.invalid"]}')

    def log_message(self, *_):
        pass


@pytest.fixture
def stranger():
    """The address at which another program answers."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Stranger) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def test_another_program_is_not_announced_as_ours(stranger, monkeypatch):
    monkeypatch.setattr(launcher, "START_SECONDS", 0.3)
    running = SimpleNamespace(poll=lambda: None)

    assert launcher._warm(running, [stranger], "https://ours.invalid") == ""
    assert launcher._warm(running, [stranger], "https://elsewhere.invalid") == stranger


def test_a_configuration_that_cannot_hold_starts_nothing(started, monkeypatch, capsys):
    monkeypatch.setenv("FOLDWISE_DAYS", "0")

    assert launcher.main(["--headless"]) == 1
    assert capsys.readouterr().err.endswith('days must be a whole number of at least 1, but its value is "0".\n')
    assert started == []


def test_the_launcher_does_not_load_what_only_its_server_needs():
    """The launcher stays in memory as long as the server runs."""
    asked = "import sys, foldwise.web.launcher; sys.exit('pandas' in sys.modules)"

    assert subprocess.run([sys.executable, "-c", asked]).returncode == 0
