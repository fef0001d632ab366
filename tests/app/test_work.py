"""Large files and many algorithms are worked on beside the server, and can be cancelled."""

import numpy as np
import pytest

from foldwise.ui import work
from tests.app.conftest import upload


@pytest.fixture
def everything_is_long(monkeypatch):
    monkeypatch.setattr(work, "cost_of_reading", lambda sources: 9.0)
    monkeypatch.setattr(work, "cost_of_comparing", lambda results: 9.0)
    yield
    work.desk().close()


def table():
    values = np.random.default_rng(3).uniform(size=(12, 3)).round(4)
    rows = "".join(f"d{i},{','.join(map(str, row))}\n" for i, row in enumerate(values))
    return "accuracy.csv", ("set,rf,svm,nb\n" + rows).encode()


def test_what_another_process_read_and_compared_is_on_the_page(app, everything_is_long):
    upload(app, table())
    assert not app.exception
    app.switch_page("pages/overview.py").run()

    assert not app.exception
    assert any("12 data sets" in one.value for one in [*app.markdown, *app.caption])
    assert work.JOB not in app.session_state


def test_a_broken_file_is_refused_as_ever(app, everything_is_long):
    upload(app, ("a.csv", b"PK\x03\x04rest"))

    assert any("zip file" in one.value for one in app.error)
