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
    """A list of the commands and addresses that would be started; stand-ins start nothing and stop soon."""
    commands, processes = [], []

    class Process:
        returncode = None

        def __init__(self, command, **_):
            commands.append(command[2:])
            processes.append(self)

        def poll(self):
            return self.returncode

        def wait(self):
            return 0

        def terminate(self):
            pass

    def stop_all(_):
        for process in processes:
            process.returncode = 0

    now = SimpleNamespace(sleep=stop_all, monotonic=lambda: 0.0)
    monkeypatch.setattr(launcher, "time", now)
    monkeypatch.setattr(launcher.subprocess, "Popen", Process)
    monkeypatch.setattr(launcher.signal, "signal", lambda *_: None)
    monkeypatch.setattr(launcher.webbrowser, "open", lambda url: commands.append(url))
    monkeypatch.setattr(launcher, "_warm", lambda server, urls, mark: urls[0])
    return commands


def port_of(command):
    """Return the port in the command of a server."""
    return int(command[2].removeprefix("--server.port="))


def test_a_port_in_use_is_left_to_its_owner(taken, started, capsys):
    assert launcher.main(["--server.port", str(taken), "--headless"]) == 0

    (command,) = started
    port = port_of(command)
    out, err = capsys.readouterr()
    assert taken < port < taken + launcher.PORTS_TRIED
    assert err.startswith(f"foldwise: port {taken} is in use. Foldwise uses port {port} instead")
    assert out.startswith(f"Foldwise is at http://localhost:{port} ")


def test_a_free_port_is_taken_as_asked(taken):
    assert launcher.free_port("", taken) != taken
    assert (
        launcher.free_port("no.such.address.invalid", 8501) == 8501
    )  # the server says what is wrong


def test_a_port_that_another_program_takes_meanwhile(monkeypatch, started, capsys):
    """As when two are started at once: both find the port free, and the server of the second one ends."""
    first, others = launcher.free_port("", 8900), []

    def warm(process, urls, mark):
        if not others:
            others.append(socket.create_server(("127.0.0.1", first)))
            process.returncode = 1
        return "" if process.returncode else urls[0]

    monkeypatch.setattr(launcher, "_warm", warm)
    assert launcher.main([f"--port={first}", "--headless"]) == 0
    others[0].close()

    assert port_of(started[0]) == first
    assert port_of(started[1]) > first
    assert f"port {first} is in use" in capsys.readouterr().err


def test_a_server_that_ends_for_another_reason_is_not_started_again(monkeypatch, started):
    def warm(process, urls, mark):
        process.returncode = 3
        return ""

    monkeypatch.setattr(launcher, "_warm", warm)
    assert launcher.main(["--headless", "--processes=2"]) == 3
    assert len(started) == 1


def test_processes_are_started_again_until_one_cannot_be(monkeypatch, started, capsys):
    processes = []

    def warm(process, urls, mark):
        processes.append(process)
        process.returncode = 1 if len(processes) == 4 else None
        return "" if process.returncode else urls[0]

    def kill_one(_):
        processes[len(processes) - 2].returncode = -9

    monkeypatch.setattr(launcher, "_warm", warm)
    monkeypatch.setattr(launcher.time, "sleep", kill_one)
    assert launcher.main(["--headless", "--processes=2"]) == 1

    ports = [port_of(command) for command in started]
    assert ports[2:] == ports[:2]
    assert ports[0] < ports[1]
    out, err = capsys.readouterr()
    assert "".join(f"    server 127.0.0.1:{port} max_fails=0;\n" for port in ports[:2]) in out
    assert f"the server at port {ports[0]} ended with code -9 and is started again" in err


def test_a_single_server_that_is_killed_is_started_again_with_the_same_options(
    monkeypatch, started, capsys
):
    made, codes = [], [-11, 0]  # the first is killed, the second stopped

    def warm(process, urls, mark):
        made.append(process)
        return urls[0]

    def end_last(_):
        made[-1].returncode = codes.pop(0)

    monkeypatch.setattr(launcher, "_warm", warm)
    monkeypatch.setattr(launcher.time, "sleep", end_last)
    monkeypatch.setattr(launcher, "free_port", lambda address, port: port)

    assert launcher.main(["--headless", "--port=8700", "--server.maxUploadSize=5"]) == 0
    first, second = ([*command[:3], *command[4:]] for command in started)
    assert first == second
    assert capsys.readouterr().err == (
        "foldwise: the server at port 8700 ended with code -11 and is started again.\n"
    )


@pytest.mark.parametrize("processes", [1, 2])
def test_a_server_that_dies_again_and_again_ends_the_launcher_with_its_code(
    monkeypatch, started, capsys, processes
):
    made = []

    def warm(process, urls, mark):
        made.append(process)
        return urls[0]

    def kill_all(_):
        for process in made:
            process.returncode = -11

    monkeypatch.setattr(launcher, "_warm", warm)
    monkeypatch.setattr(launcher.time, "sleep", kill_all)

    assert launcher.main(["--headless", f"--processes={processes}"]) == -11
    assert len(started) == launcher.MOST_STARTS * processes
    assert capsys.readouterr().err.endswith(" ended with code -11.\n")


def test_a_server_that_dies_now_and_then_is_always_started_again(monkeypatch, started):
    made, clock = [], [0.0]

    def warm(process, urls, mark):
        made.append(process)
        return urls[0]

    def kill_last(_):
        clock[0] += launcher.MINUTE
        made[-1].returncode = -11 if len(made) < 20 else 0

    monkeypatch.setattr(launcher, "_warm", warm)
    monkeypatch.setattr(launcher.time, "sleep", kill_last)
    monkeypatch.setattr(launcher.time, "monotonic", lambda: clock[0])

    assert launcher.main(["--headless"]) == 0
    assert len(started) == 20


def test_no_process(started, capsys):
    with pytest.raises(SystemExit):
        launcher.main(["--processes=0"])
    assert "--processes needs a number of at least 1" in capsys.readouterr().err
    assert started == []


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
    more = [
        "--server.maxUploadSize=5",
        "--server.allowedHosts=a.org",
        "--server.allowedHosts=b.org",
    ]
    launcher.main(
        [
            "--server.address=0.0.0.0",
            "--server.headless=true",
            more[0],
            "--host=a.org",
            "--host",
            "b.org",
        ]
    )
    launcher.main([])

    here = ["--server.headless=true", "--server.port=8700"]
    marks = [command.pop(3) for command in started[:2]]
    assert len(set(marks)) == 2
    assert all(mark.startswith("--client.allowedOrigins=https://") for mark in marks)
    assert started[0] == ["foldwise.web.server_process", *here, "--server.address=0.0.0.0", *more]
    assert started[1] == ["foldwise.web.server_process", *here]
    assert started[2] == "http://localhost:8700"


def test_files_are_opened_as_a_workspace(monkeypatch, started, tmp_path, capsys):
    (tmp_path / "a&b.csv").write_bytes(b"dataset,x,y\n")
    monkeypatch.setattr(launcher, "free_port", lambda address, port: port)
    saved = launcher.store.WorkspaceLimits(
        path=tmp_path / "saved.db", days=7, workspace_mb=1, store_mb=5, session_mb=1, memory_mb=9
    )
    monkeypatch.setattr(launcher.store, "limits", lambda: saved)

    launcher.main(["--server.maxUploadSize", "5", str(tmp_path / "a&b.csv")])

    assert started[0][-2:] == ["--server.maxUploadSize", "5"]
    address, token = started[1].split("/?w=")
    assert address == "http://localhost:8501"
    workspace = launcher.store.Store(saved).open(token)
    assert (workspace.name, workspace.files) == ("a&b.csv", (("a&b.csv", b"dataset,x,y\n"),))
    assert launcher.main([str(tmp_path / "missing.csv")]) == 1
    assert "missing.csv" in capsys.readouterr().err


def test_the_environment_names_hosts_to_which_the_option_adds(monkeypatch, started):
    monkeypatch.setattr(launcher, "free_port", lambda address, port: port)
    monkeypatch.setenv("FOLDWISE_HOST", "a.org *.b.org")

    launcher.main(["--host=c.org"])

    assert started[0][-3:] == [
        f"--server.allowedHosts={name}" for name in ("a.org", "*.b.org", "c.org")
    ]


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
    assert capsys.readouterr().err.endswith(
        'days must be a whole number of at least 1, but its value is "0".\n'
    )
    assert started == []


def test_the_launcher_does_not_load_what_only_its_server_needs():
    """The launcher stays in memory as long as the server runs."""
    asked = "import sys, foldwise.web.launcher; sys.exit('pandas' in sys.modules)"

    assert subprocess.run([sys.executable, "-c", asked]).returncode == 0
