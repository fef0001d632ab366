"""Test of four simultaneous visitors of one server with different results."""

from concurrent.futures import ThreadPoolExecutor

from tests.web.conftest import TABS_OF_EXPLORE
from tests.websocket_clients import visitor

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
            wrong += [f"{page} of {sample}: {said}" for said in one.open("explore" if look else page, **asked, **look)]
        return wrong


def test_four_visitors_do_not_touch_each_other(server):
    visitors = 2 * len(TOURS)

    with ThreadPoolExecutor(visitors) as pool:
        found = list(pool.map(visit, [server] * visitors, range(visitors)))

    assert len(found) == 4
    assert [said for wrong in found for said in wrong] == []
