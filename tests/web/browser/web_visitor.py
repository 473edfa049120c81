"""A server in a process of its own, and a visitor who clicks in its page."""

import json
import re
import subprocess
import sys
import time
import urllib.request

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

#: how long a test waits for the server and for the page, on a slow machine busy with others
START_SECONDS = 120
PATIENCE = 60_000
expect.set_options(timeout=PATIENCE)


class WebServer:
    """`halma serve` with its games in a folder; a context manager."""

    def __init__(self, folder, port=0):
        self.folder, self.port, self.process = folder, port, None

    def __enter__(self):
        command = [sys.executable, "-m", "halma.cli", "serve", "--no-browser", "--workers", "1"]
        self.process = subprocess.Popen(
            [*command, "--port", str(self.port), "--games", "games.db"],
            cwd=self.folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        for line in self.process.stdout:
            if found := re.search(r"http://127\.0\.0\.1:(\d+)/", line):
                self.port = int(found[1])
                break
        else:
            raise AssertionError("the server ended before it printed its address")
        self._wait()
        return self

    def __exit__(self, *exception):
        self.stop()

    @property
    def address(self):
        return f"http://127.0.0.1:{self.port}"

    def stop(self):
        """End the server as its user does."""
        if self.process is not None:
            self.process.terminate()
            self.process.wait(START_SECONDS)
            self.process.stdout.close()
            self.process = None

    def start_game(self, variant, agents, start=None, seed=1):
        """Begin a game and return its identity."""
        request = {"variant": variant, "agents": agents, "start": start, "moves": [], "seed": seed}
        return self.ask("games", request)["id"]

    def ask(self, path, body=None):
        """Return the answer to a request."""
        data = None if body is None else json.dumps(body).encode()
        headers = {"Content-Type": "application/json"} if data else {}
        request = urllib.request.Request(f"{self.address}/api/{path}", data, headers)
        with urllib.request.urlopen(request, timeout=START_SECONDS) as answer:
            return json.load(answer)

    def _wait(self):
        end = time.monotonic() + START_SECONDS
        while True:
            try:
                return self.ask("info")
            except OSError:
                if time.monotonic() > end:
                    raise
                time.sleep(0.05)


class Visitor:
    """A page in the browser, and what a person does in it."""

    def __init__(self, browser, server, motion="reduce", **settings):
        settings.setdefault("viewport", {"width": 1280, "height": 860})
        self.context = browser.new_context(reduced_motion=motion, **settings)
        self.page, self.server = self.context.new_page(), server
        self.page.set_default_timeout(PATIENCE)
        self.errors, self.foreign = [], []
        self.expected = ()
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("console", self._note)
        self.page.on("request", self._check)

    def open(self, path):
        self.page.goto(self.server.address + path)

    def close(self):
        self.context.close()
        unexpected = [e for e in self.errors if not any(each in e for each in self.expected)]
        assert unexpected == [], unexpected
        assert self.foreign == [], self.foreign

    def expect(self, *texts):
        """Name messages of the console that this test provokes."""
        self.expected = texts

    # The board.

    def cells(self, use):
        """Return the cells whose names end so: 'can move', 'target'."""
        return self.page.locator(f'.cell[aria-label$=", {use}"]')

    def choose(self, name):
        """Click the cell of a name."""
        self.page.locator(f'.cell[aria-label^="{name},"]').click()

    def move(self, number=0):
        """Make one of the legal moves by clicking; `number` chooses which."""
        origins = self.cells("can move")
        origins.first.wait_for()
        origins.nth(number % origins.count()).click()
        # Ways to the same cell are told apart by one more click.
        for _ in range(4):
            targets = self.cells("target")
            if not targets.count():
                return
            targets.nth(number % targets.count()).click()

    def drag(self):
        """Make a legal move by dragging a piece that can move to one of its targets."""
        # A page takes no presses before it has what it asked for, and the mouse does not wait.
        self.page.locator(".page:not([inert])").wait_for()
        self.cells("can move").first.wait_for()
        mouse = self.page.mouse
        mouse.move(*_middle(self.cells("can move").first))
        mouse.down()
        mouse.move(*_middle(self.cells("target").first), steps=4)
        mouse.up()

    def finish_game(self, most=200):
        """Click legal moves until the game is over; return the sentence about its end."""
        page = self.page
        for number in range(most):
            ready = page.locator('.result, .cell[aria-label$=", can move"]')
            ready.first.wait_for()
            if page.locator(".result").count():
                return page.locator(".result").inner_text()
            self.move(number)
        raise AssertionError("the game does not end")

    # What must not happen.

    def serious_findings(self):
        """Return what axe finds serious on the page, with the elements."""
        found = Axe().run(self.page).response["violations"]
        return [
            (each["id"], [node["html"][:120] for node in each["nodes"][:3]])
            for each in found
            if each["impact"] in ("serious", "critical")
        ]

    def _note(self, message):
        if message.type in ("error", "warning"):
            self.errors.append(message.text)

    def _check(self, request):
        if not request.url.startswith((self.server.address, "data:", "blob:")):
            self.foreign.append(request.url)


def _middle(cell):
    box = cell.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
