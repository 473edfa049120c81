"""A server, a browser and a visitor for every test; the browser is Debian's Chromium."""

import os
import shutil
from pathlib import Path

import pytest
from web_visitor import Visitor, WebServer

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
MISSING = "The browser tests need Chromium: install it with 'apt-get install chromium'."


def pytest_collection_modifyitems(items):
    """Try a test of the page once more: a browser on a busy machine may lose a race with itself.

    Reruns are counted in pytest's last line; a defect fails twice.
    """
    for item in items:
        if item.path.parent == Path(__file__).parent:
            item.add_marker(pytest.mark.flaky(reruns=1))


@pytest.fixture(scope="session")
def chromium():
    """The path of the browser; without one, tests fail where the set-up promises it."""
    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    if found is None:
        (pytest.fail if os.environ.get("HALMA_BROWSER") == "required" else pytest.skip)(MISSING)
    return found


@pytest.fixture(scope="session")
def browser(chromium):
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        # Tests run as root in containers, where Chromium's sandbox cannot.
        started = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield started
        started.close()


@pytest.fixture(scope="session")
def server(tmp_path_factory, chromium):
    """One server for all tests of a worker."""
    with WebServer(tmp_path_factory.mktemp("server")) as started:
        yield started


@pytest.fixture
def visit(browser, server):
    """Open pages for a visitor; at the end, nothing may have gone wrong in the browser."""
    visitors = []

    def open_page(path="/", *, at=server, **settings):
        visitor = Visitor(browser, at, **settings)
        visitors.append(visitor)
        if path is not None:
            visitor.open(path)
        return visitor

    yield open_page
    for visitor in visitors:
        visitor.close()
