"""Take pictures of the page: `python scripts/screenshots.py FOLDER [PAGE ...]`.

Every page is taken light, dark and on a phone, from a server with a few games of its own. Needs
Chromium. With `--readme` the two pictures of the README are written instead.
"""

from __future__ import annotations

import io
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, sync_playwright

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "web" / "browser"))
from web_visitor import WebServer  # noqa: E402

#: a position of three players in mid-game
START = (
    "./../.../..../...2.2.3.33.3/2...22...3../..2.3...2../22......../2..1..333/.....1.3../"
    "....1.11.../.......1..../.....1......./.1../..1/.1/. 1"
)
#: page -> address; GAME is a game that was begun for the picture
PAGES = {
    "play": "/play?variant=star-121-6p",
    "game": "/play/GAME",
    "analyse": "/analyse?variant=rhombus-7x7-6&moves=a3-b3+g5-f5+a1-c3+g7-e5",
    "draughts": "/analyse?variant=draughts-8x8&moves=11-15+22-18+15x22+25x18+8-11",
    "chance": "/analyse?variant=ewn-5x5-6&moves=123456+123456",
    "darkchess": "/analyse?variant=cdc-4x8&search=off&start=gC.?.p?./NP??p?G./??c?k??K/"
    "?C?R?r..+r+GMMRPPgmnncpp+1",
    "learn": "/learn?variant=ewn-3x3-3&moves=123+123+1+a1-b1+1+c3-c2+1+b1-c1",
    "watch": "/watch",
    "league": "/league",
    "tournament": "/league?name=league.db",
    "papers": "/papers",
    "paper": "/papers/results/he2016",
}
VIEWS = {
    "light": {"viewport": {"width": 1280, "height": 800}},
    "dark": {"viewport": {"width": 1280, "height": 800}, "color_scheme": "dark"},
    "phone": {"viewport": {"width": 390, "height": 800}, "is_mobile": True, "has_touch": True},
}
#: of the README: picture -> page and view
README = {"page-analyse": ("draughts", "light"), "page-play": ("game", "dark")}
#: milliseconds until a search has something to show
PATIENCE = 6000
#: the most pixels of a side of a picture in WebP
MOST_PIXELS = 16383


def take(browser: Browser, address: str, view: str) -> bytes:
    """Return a picture of a page as PNG."""
    context = browser.new_context(**VIEWS[view])
    page = context.new_page()
    page.goto(address)
    page.wait_for_timeout(PATIENCE)
    if "/play/" in address:
        page.locator('.cell[aria-label$=", can move"]').nth(4).click()
    picture = page.screenshot(full_page=view == "phone")
    context.close()
    return picture


def main() -> None:
    """Take the pictures that the command line names."""
    readme = "--readme" in sys.argv
    folder = ROOT / "docs" / "images" if readme else Path(sys.argv[1])
    chosen = sys.argv[2:] or PAGES
    wanted = README if readme else {f"{p}-{v}": (p, v) for p in chosen for v in VIEWS}
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as place, sync_playwright() as playwright:
        match = ["tournament", "greedy", "random", "lookahead", "--game", "rhombus-4x4-3"]
        subprocess.run(
            [sys.executable, "-m", "halma.cli", *match, "--db", "league.db"],
            cwd=place,
            check=True,
            capture_output=True,
        )
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        with WebServer(Path(place)) as server:
            for name, (page, view) in wanted.items():
                game = server.start_game("star-121-3p", ["human", "greedy", "greedy"], START)
                address = server.address + PAGES[page].replace("GAME", game)
                image = Image.open(io.BytesIO(take(browser, address, view)))
                image = image.crop((0, 0, image.width, min(image.height, MOST_PIXELS)))
                image.convert("RGB").save(folder / f"{name}.webp", quality=82, method=6)
        browser.close()


if __name__ == "__main__":
    main()
