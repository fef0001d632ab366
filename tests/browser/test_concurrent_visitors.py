"""Tests of simultaneous visitors of one server: with different results, and with one job."""

import os
import re
import signal
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import settle, workers_of
from tests.web.conftest import TABS_OF_EXPLORE
from tests.websocket_clients import served, visitor

SAMPLES = ("uci38_5x2.csv", "twoclass_counts.csv", "garcia_herrera_2008_accuracy.csv", "mine")
# what two visitors open, both of them the same page at about the same time
TOURS = (("results", "Folds"), ("compare", "tradeoffs"))
MINE = b"dataset,algorithm,fold,error\n" + b"".join(
    f"d{d},a{a},{f},{0.1 + a / 50 + (d * 7 + f * 3 + a * a) % 11 / 100:.3f}\n".encode()
    for d in range(3)
    for a in range(3)
    for f in range(5)
)


def visit(address: str, place: int) -> list[str]:
    """Visit the pages of one tour with one set of results; return the errors found."""
    sample = SAMPLES[place % len(SAMPLES)]
    with visitor(address) as one:
        wrong = one.upload("mine.csv", MINE) if sample == "mine" else []
        asked = {} if sample == "mine" else {"sample": sample}
        for page in TOURS[place % len(TOURS)]:
            look = {"look": page} if page in TABS_OF_EXPLORE else {}
            wrong += [
                f"{page} of {sample}: {said}"
                for said in one.open("explore" if look else page, **asked, **look)
            ]
        return wrong


def test_four_visitors_do_not_touch_each_other(server):
    visitors = 2 * len(TOURS)

    with ThreadPoolExecutor(visitors) as pool:
        found = list(pool.map(visit, [server] * visitors, range(visitors)))

    assert len(found) == 4
    assert [said for wrong in found for said in wrong] == []


LARGE = f"dataset,{','.join(f'a{a}' for a in range(12))}\n" + "".join(
    f"d{d},{','.join(f'0.{100 + (d * 71 + a * a * 13) % 889}' for a in range(12))}\n"
    for d in range(9_000)
)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="finds processes in /proc")
def test_a_job_outlives_a_click_and_a_reload_and_is_shared_cancelled_killed_and_tried_again(
    own_page, browser, tmp_path
):
    """The worker that reads an upload is suspended, so each step happens in the middle of the job."""
    reading, read = re.compile("Reading ... [0-9]"), "9,000 data sets, 12 algorithms"
    first, second = own_page, browser.new_page(reduced_motion="reduce")
    kept = {"FOLDWISE_WORKSPACES": str(tmp_path / "kept.sqlite3")}

    with served("-m", "foldwise.web.launcher", **kept) as (address, process):
        first.goto(f"{address}/data?sample=two_models.csv")
        settle(first)
        file = {"name": "large_accuracy.csv", "mimeType": "text/csv", "buffer": LARGE.encode()}
        first.get_by_test_id("stFileUploaderDropzoneInput").set_input_files([file])
        while not (workers := workers_of(process.pid)):
            time.sleep(0.01)
        (worker,) = workers
        os.kill(worker, signal.SIGSTOP)
        expect(first.get_by_text(reading)).to_be_visible()

        first.get_by_role("link", name="Results", exact=True).click()
        expect(first).to_have_url(re.compile(r"/\?w="))
        expect(first.get_by_text(reading)).to_be_visible()
        first.reload()
        expect(first.get_by_text(reading)).to_be_visible()
        second.goto(first.url.replace("/?", "/data?"))
        expect(second.get_by_text(reading)).to_be_visible()
        assert workers_of(process.pid) == [worker], "all of them wait for one job"

        first.get_by_role("button", name="Cancel").click()
        expect(first.get_by_text("The computation was cancelled.")).to_be_visible()
        assert workers_of(process.pid) == [worker], "the second session still waits for it"
        os.kill(worker, signal.SIGKILL)
        expect(
            second.get_by_text("stopped from outside Foldwise, not for lack of memory")
        ).to_be_visible()
        second.get_by_role("button", name="Try again").click()
        expect(second.get_by_text(read)).to_be_visible()
        second.close()
