"""Keep summaries of runs in the repository, and write what the pages of results are made of.

    python scripts/results.py keep hsueh2023 --from reports/hsueh2023 --revision 8b8914b
    python scripts/results.py pages hsueh2023
    python scripts/results.py pages --no-images

`keep` adds the runs and measurements of a folder of `halma reproduce` to the package, thinned.
`pages` writes the scoreboards, tables of deviations and blocks of figures into `docs/results/`,
between their marks, and draws the images: of all papers, if none is named.
"""

from __future__ import annotations

import argparse
import tempfile
from contextlib import nullcontext
from pathlib import Path

from halma.files import replace_file
from halma.lab import find_paper, paper_names
from halma.lab.keeping import keep
from halma.lab.plots import no_images
from halma.lab.scoreboard import copy_images, paper_page, scores, summary_page

RESULTS = Path(__file__).resolve().parent.parent / "docs" / "results"


def write_pages(names: list[str], images: bool) -> None:
    """Write the generated parts of the pages."""
    found = []
    for name in paper_names():
        paper, page = find_paper(name), RESULTS / f"{name}.md"
        drawing = images and (not names or name in names)
        with tempfile.TemporaryDirectory() as folder, nullcontext() if drawing else no_images():
            rows = scores(paper, Path(folder))
            found.append((paper, rows))
            if not names or name in names:
                text = paper_page(paper, rows, page.read_text(encoding="utf-8"))
                replace_file(page, text)
                if images:
                    copy_images(rows, Path(folder), RESULTS / name, text)
                print(f"{page.name}: {sum(row.status != 'missing' for row in rows)} experiments")
    page = RESULTS / "README.md"
    replace_file(page, summary_page(found, page.read_text(encoding="utf-8")))


def main() -> None:
    """Keep runs, or write the pages."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    verbs = parser.add_subparsers(dest="verb", required=True)
    keeping = verbs.add_parser("keep", help="add runs and measurements to the package")
    keeping.add_argument("paper")
    keeping.add_argument("--from", dest="folder", type=Path, required=True)
    keeping.add_argument("--revision", required=True, help="of halma, that made them")
    keeping.add_argument("--adopt", type=Path, action="append", default=[])
    pages = verbs.add_parser("pages", help="write the pages of results")
    pages.add_argument("papers", nargs="*")
    pages.add_argument("--no-images", action="store_true", help="only their texts")
    given = parser.parse_args()
    if given.verb == "keep":
        print(keep(find_paper(given.paper), given.folder, given.revision, given.adopt))
    else:
        write_pages(given.papers, not given.no_images)


if __name__ == "__main__":
    main()
