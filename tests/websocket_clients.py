"""Visitors without a browser, which send a running server the same messages as the browser."""

import json
import os
import socket
import subprocess
import sys
import urllib.request
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlencode

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.sync.client import connect

ROOT = Path(__file__).parents[1]
PATIENCE = 60  # seconds until something must have come


class Visitor:
    """A session on the server at `url`, such as http://localhost:8501."""

    def __init__(self, url: str, link):
        self.url, self._link = url, link
        self.said: list[ForwardMsg] = []  # of the last run
        self.query, self.page, self.widgets = "", "", []

    def open(self, page: str = "", widgets: tuple = (), **query: str | list[str]) -> list[str]:
        """Run a page; return the exceptions that it shows, as texts."""
        self.page, self.query, self.widgets = page, urlencode(query, doseq=True), list(widgets)
        return self.run()

    def run(self) -> list[str]:
        """Run the page again; return the exceptions that it shows, as texts."""
        self._ask()
        self.said = self._heard_until_done()
        return [
            f"{one.exception.type}: {one.exception.message}" for one in self.elements("exception")
        ]

    def press(self, label: str, until: str) -> None:
        """Press a button, and wait until a text that contains `until` is drawn."""
        buttons = [
            getattr(one, kind)
            for kind in ("button", "download_button")
            for one in self.elements(kind)
        ]
        (pressed,) = [button.id for button in buttons if button.label == label]
        self.widgets.append(WidgetState(id=pressed, trigger_value=True))
        self._ask()
        self.wait_for(until)

    def wait_for(self, text: str) -> None:
        """Wait until a text that contains `text` is drawn."""
        while text not in str(self._hear()):
            pass

    def _ask(self) -> None:
        state = ClientState(query_string=self.query, page_name=self.page)
        state.widget_states.widgets.extend(self.widgets)
        self._link.send(BackMsg(rerun_script=state).SerializeToString())

    def elements(self, kind: str) -> list:
        """Return the elements of one kind that the last run drew."""
        drawn = [
            message.delta.new_element
            for message in self.said
            if message.WhichOneof("type") == "delta"
            and message.delta.WhichOneof("type") == "new_element"
        ]
        return [one for one in drawn if one.WhichOneof("type") == kind]

    def texts(self) -> str:
        """Return the Markdown that the last run drew."""
        return "\n".join(one.markdown.body for one in self.elements("markdown"))

    def address(self) -> str:
        """Return the query that the last run wrote to the address, "" if it wrote none."""
        infos = [m.page_info_changed for m in self.said if m.HasField("page_info_changed")]
        return infos[-1].query_string if infos else ""

    def upload(self, name: str, content: bytes) -> list[str]:
        """Upload a file on the page Data; return the exceptions that it shows, as texts."""
        self.open("data")
        uploader = self.elements("file_uploader")[0].file_uploader
        place = self._place_for(name)
        self._put(place.upload_url, name, content)
        state = WidgetState(id=uploader.id)
        info = state.file_uploader_state_value.uploaded_file_info.add(
            file_id=place.file_id, name=name, size=len(content)
        )
        info.file_urls.CopyFrom(place)
        self.widgets = [state]
        return self.run()

    def _place_for(self, name: str):
        asked = BackMsg()
        asked.file_urls_request.request_id = uuid.uuid4().hex
        asked.file_urls_request.file_names.append(name)
        self._link.send(asked.SerializeToString())
        while True:
            message = self._hear()
            if message.HasField("file_urls_response"):
                return message.file_urls_response.file_urls[0]

    def _put(self, path: str, name: str, content: bytes) -> None:
        """Send the content of a file to the address that the server has given for it."""
        with urllib.request.urlopen(f"{self.url}/_stcore/health") as answer:
            cookie = answer.headers["Set-Cookie"].split(";")[0]
        line = uuid.uuid4().hex
        head = f'--{line}\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n'
        body = (
            f"{head}Content-Type: text/csv\r\n\r\n".encode() + content + f"\r\n--{line}--".encode()
        )
        request = urllib.request.Request(f"{self.url}{path}", body, method="PUT")
        request.add_header("Content-Type", f"multipart/form-data; boundary={line}")
        request.add_header("Cookie", cookie)
        request.add_header("X-Xsrftoken", json.loads(f'"{cookie.split("=", 1)[1]}"'))
        urllib.request.urlopen(request).close()

    def _hear(self) -> ForwardMsg:
        return ForwardMsg.FromString(self._link.recv(timeout=PATIENCE))

    def _heard_until_done(self) -> list[ForwardMsg]:
        """Return the messages of a run; of a run that starts again, only the changes of the address."""
        said, started = [], False
        while True:
            message = self._hear()
            said.append(message)
            if (
                message.HasField("script_finished")
                and message.script_finished == message.FINISHED_EARLY_FOR_RERUN
            ):
                said, started = [one for one in said if one.HasField("page_info_changed")], False
            if message.HasField("session_status_changed"):
                running = message.session_status_changed.script_is_running
                if started and not running:
                    return said
                started = started or running


@contextmanager
def visitor(url: str) -> Iterator[Visitor]:
    """Connect to a server; disconnect at the end of the block."""
    address = url.replace("http://", "ws://", 1) + "/_stcore/stream"
    with connect(address, subprotocols=["streamlit"], max_size=None) as link:
        yield Visitor(url, link)


@contextmanager
def serve(*command, port: int = 0, **environment):
    """Run a server, by default on a free port, until the end of the block; yield its address."""
    with served(*command, port=port, **environment) as (address, _):
        yield address


def free_port() -> int:
    """Return a port on which no program listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextmanager
def served(*command, port: int = 0, **environment):
    """Run a server as `serve` does; yield its address and its process."""
    port = port or free_port()
    process = subprocess.Popen(
        [sys.executable, *command, f"--server.port={port}", "--server.headless=true"],
        cwd=ROOT,
        env=os.environ | {"FOLDWISE_WORKSPACES": "off"} | environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        for line in process.stdout:
            if line.startswith("Foldwise is at") or "URL:" in line:
                break
        yield f"http://localhost:{port}", process
    finally:
        process.terminate()
        process.communicate(timeout=20)
