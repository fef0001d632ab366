import pytest

from foldwise.figures import render


@pytest.fixture(scope="session")
def browser():
    """A renderer of its own; without a browser the test fails and says what to install."""
    there, reason = render.available()
    if not there:
        pytest.fail(f"{reason} Install chromium and fonts-liberation, or set CHROMIUM.")
    return render.renderer()
