"""Test that two people who sign in by OpenID Connect do not see each other's results."""

import re
import subprocess
import sys
from contextlib import contextmanager

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import LONG, settle
from tests.websocket_clients import free_port, serve

SECRETS = """[auth]
redirect_uri = "http://localhost:{port}/oauth2callback"
cookie_secret = "{secret}"
client_id = "foldwise"
client_secret = "any"
server_metadata_url = "http://localhost:{provider}/.well-known/openid-configuration"
"""
TABLE = "dataset,rf,svm,nb\n" + "".join(
    f"d{i},0.{90 - i},0.{60 + i % 3},0.5{i}\n" for i in range(9)
)


@contextmanager
def provider(port):
    """Run a mock OpenID Connect provider, which accepts every name, until the end of the block."""
    process = subprocess.Popen(
        [sys.executable, "-m", "oidc_provider_mock", f"--port={port}"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        yield
    finally:
        process.terminate()
        process.wait()


@contextmanager
def person(browser):
    """Open a page in a browser context with its own cookies, and close it at the end of the block."""
    context = browser.new_context()
    context.set_default_timeout(LONG)
    yield context.new_page()
    context.close()


def sign_in(page, who):
    page.get_by_role("button", name="Sign in").click()
    page.get_by_placeholder("sub").fill(who)
    page.get_by_role("button", name="Authorize").click()
    expect(page.get_by_text(f"Signed in as {who}")).to_be_visible()
    settle(page)


def upload(page, name):
    page.get_by_test_id("stFileUploaderDropzoneInput").set_input_files(
        [{"name": name, "mimeType": "text/csv", "buffer": TABLE.encode()}]
    )
    expect(page.get_by_role("heading", name=name)).to_be_visible()
    expect(page).to_have_url(re.compile("w="))
    settle(page)


def copied_link(page):
    page.get_by_role("button", name="Copy link").click()
    link = page.locator("code", has_text="v=").inner_text()
    page.keyboard.press("Escape")
    return link


@pytest.mark.slow
def test_two_people_sign_in_and_neither_finds_what_is_the_others(browser, tmp_path):
    port, other, secrets = free_port(), free_port(), tmp_path / "secrets.toml"
    secrets.write_text(SECRETS.format(port=port, provider=other, secret="s" * 40))
    server = ("-m", "foldwise.web.launcher", f"--secrets.files={secrets}")
    with (
        provider(other),
        serve(*server, port=port, FOLDWISE_WORKSPACES=str(tmp_path / "kept.sqlite3")) as address,
        person(browser) as ann,
        person(browser) as bob,
    ):
        visit(address, ann, bob)


def visit(address, ann, bob):
    """Let both sign in and upload results, and assert that neither sees results of the other."""
    ann.goto(f"{address}/data")
    expect(ann.get_by_role("button", name="Sign in")).to_be_visible()
    expect(ann.get_by_test_id("stFileUploader")).to_have_count(0)
    sign_in(ann, "ann")
    upload(ann, "ann_accuracy.csv")
    own, shown = ann.url, copied_link(ann)

    bob.goto(shown)
    sign_in(bob, "bob")
    expect(bob.get_by_text("This workspace is read-only.")).to_be_visible()
    expect(bob.get_by_role("heading", name="ann_accuracy.csv")).to_be_visible()
    upload(bob, "bob_accuracy.csv")
    bob.goto(own)
    expect(bob.get_by_text("The workspace of this link was not found")).to_be_visible()
    bob.get_by_text("Other workspaces").click()
    expect(bob.get_by_role("button", name="Open bob_accuracy.csv")).to_be_visible()
    expect(bob.get_by_text("ann_accuracy.csv")).to_have_count(0)

    ann.get_by_role("button", name="Sign out").click()
    ann.get_by_role("button", name="End session").click()
    expect(ann.get_by_role("button", name="Sign in")).to_be_visible()
    ann.goto(own)
    expect(ann.get_by_role("button", name="Sign in")).to_be_visible()
    expect(ann.get_by_text("ann_accuracy.csv")).to_have_count(0)
    sign_in(ann, "ann")
    expect(ann.get_by_role("heading", name="ann_accuracy.csv")).to_be_visible()
