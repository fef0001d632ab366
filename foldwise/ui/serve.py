"""Start the app, run it once so that its first visitor does not wait, then say where it is.

``python -m foldwise.ui.serve [streamlit options]``
"""

import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
import webbrowser
from pathlib import Path

APP = Path(__file__).parents[2] / "app.py"
START_SECONDS = 60


def main(arguments: list[str]) -> int:
    """Run the server until it ends; return its exit code."""
    address, port = _option(arguments, "address", "localhost"), _option(arguments, "port", "8501")
    headless = _option(arguments, "headless", "false")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))  # so that the server ends with us
    command = [sys.executable, "-m", "streamlit", "run", str(APP), "--server.headless=true"]
    server = subprocess.Popen([*command, *arguments], stdout=subprocess.DEVNULL)
    url = f"http://{'localhost' if address == '0.0.0.0' else address}:{port}"
    try:
        if _warm(server, url):
            sys.stdout.write(f"Foldwise is at {url} (stop it with Ctrl+C)\n")
            sys.stdout.flush()
            if headless == "false":
                webbrowser.open(url)
        return server.wait()
    except KeyboardInterrupt:
        return 0
    finally:
        server.terminate()
        server.wait()


def _option(arguments: list[str], name: str, default: str) -> str:
    """Return a `--server.name=value` option, as streamlit would read it."""
    for i, argument in enumerate(arguments):
        if argument.startswith(f"--server.{name}="):
            return argument.split("=", 1)[1]
        if argument == f"--server.{name}" and i + 1 < len(arguments):
            return arguments[i + 1]
    return default


def _warm(server: subprocess.Popen, url: str) -> bool:
    """Ask for one run of the app, again and again until the server answers or ends."""
    deadline = time.monotonic() + START_SECONDS
    while server.poll() is None and time.monotonic() < deadline:
        try:
            urllib.request.urlopen(f"{url}/_stcore/script-health-check", timeout=START_SECONDS)
            return True
        except urllib.error.HTTPError as error:
            sys.stderr.write(f"foldwise: the app does not run: {error.read().decode()}\n")
            return True
        except OSError:
            time.sleep(0.05)
    return False


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
