"""Which claims of a paper stand: a row for each of its tables and figures, made of kept files.

The status says how much has been run: `full` (the paper's own settings, all of them), `partial`
(some of them), `reduced` (the reduction of `--quick`) or `missing`. The verdict says whether the
claims agree, by the cut-offs in the code of the experiments: `agrees` (all that were decided),
`differs` (at least one does) or `open` (none was decided, or in reduced runs only).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from halma.errors import HalmaError
from halma.files import copy_file, make_folder, remove_file
from halma.lab.experiment import Coverage, Experiment, ExperimentPage, Paper
from halma.lab.report import AGREES, DIFFERS, Claim, markdown_table
from halma.lab.workspace import Workspace

STATUSES = ("full", "partial", "reduced", "missing")
VERDICTS = (AGREES, DIFFERS, "open")
_UNKEPT = "No result of it is kept."


@dataclass(frozen=True)
class ScaledPage:
    """What is kept of an experiment at one scale, and the page that it makes."""

    full: bool
    coverage: Coverage
    #: the command that runs it
    command: str
    page: ExperimentPage

    @property
    def claims(self) -> list[Claim]:
        """The claims of the page."""
        return [row for part in self.page.sections for row in part.rows if isinstance(row, Claim)]


@dataclass(frozen=True)
class Score:
    """What is known of one table or figure of a paper."""

    experiment: Experiment
    #: part of the experiment, such as a variant -> "full", "13 of 20", "reduced",
    #: "reduced, 2 of 5" or "missing"
    parts: Mapping[str, str]
    #: in full first; reduced ones are of parts with few full runs or none
    pages: Sequence[ScaledPage]
    #: the command that runs it in full
    command: str
    #: why it is missing
    reason: str = ""

    @property
    def status(self) -> str:
        """How much of it has been run: one of `STATUSES`."""
        if not self.pages:
            return "missing"
        if not self.pages[0].full:
            return "reduced"
        return "full" if {*self.parts.values()} == {"full"} else "partial"

    @property
    def counts(self) -> tuple[int, int]:
        """How many claims agree, and how many were decided, in full runs."""
        claims = [claim for page in self.pages if page.full for claim in page.claims]
        verdicts = [claim.verdict for claim in claims if claim.verdict]
        return verdicts.count(AGREES), len(verdicts)

    @property
    def verdict(self) -> str:
        """Whether the claims agree with the paper: one of `VERDICTS`."""
        agreeing, decided = self.counts
        return "open" if not decided else AGREES if agreeing == decided else DIFFERS

    @property
    def anchor(self) -> str:
        """The anchor of its block on a page."""
        return re.sub(r"[^\w\- ]", "", self.experiment.title.lower()).replace(" ", "-")

    def row(self, linked: bool = True) -> tuple[str, ...]:
        """Return its row of the scoreboard, with a link to its block unless there is none."""
        agreeing, decided = self.counts
        verdict = self.verdict + (f", {agreeing} of {decided}" if decided else "")
        title = self.experiment.title
        shown = f"[{title}](#{self.anchor})" if linked and self.pages else title
        if self.reason:
            shown += f". {self.reason}"
        seeds = written_seeds(seed for page in self.pages for seed in page.coverage.seeds)
        return shown, self._written_status(), verdict, seeds, f"`{self.command}`"

    def _written_status(self) -> str:
        if self.status in ("full", "missing") or {*self.parts.values()} == {"reduced"}:
            return self.status
        by_state: dict[str, list[str]] = {}
        for part, state in self.parts.items():
            shown_state = state.removeprefix(f"{self.status}, ")
            by_state.setdefault(shown_state, []).append(part)
        shown = [f"{', '.join(parts)} {state}".strip() for state, parts in by_state.items()]
        shown += _named_runs(self.pages[0].coverage)
        return f"{self.status}: {'; '.join(shown)}"


def _named_runs(coverage: Coverage) -> list[str]:
    """Say how far runs got."""
    return [
        f"run {name}: {done:,} of {total:,} iterations"
        for name, (done, total) in coverage.runs.items()
    ]


def written_seeds(seeds: Iterable[int]) -> str:
    """Return seeds in words."""
    found = sorted(set(seeds))
    if len(found) > 2 and found == list(range(found[0], found[-1] + 1)):
        return f"{found[0]} to {found[-1]}"
    return ", ".join(map(str, found)) or "–"


#: Share of the full runs, of which less is not shown where there are reduced ones.
_FEWEST = 1 / 8

COLUMNS = ("", "status", "verdict, claims that agree", "seeds", "command")


def score(paper: Paper, experiment: Experiment, folder: Path) -> Score:
    """Score an experiment by what is kept; images are drawn into folders of `folder`.

    Variants are scored one by one: those of which little is kept in full are shown reduced.
    """
    parts, pages = {}, []
    left = [] if experiment.fixed_variants else list(experiment.variants)
    for full in (True, False):
        workspace = kept_workspace(paper, folder, full)
        chosen: list[str] = []
        for variant in left or [""]:
            given = [variant] if variant else []
            coverage = experiment.on(given, full).coverage(workspace)
            name = next((part for part in coverage.parts if part), variant)
            if full and coverage.done < _FEWEST * coverage.total:
                # A run that figures share does not replace the reduced ones of each.
                reduced = kept_workspace(paper, folder, full=False)
                if experiment.on(given, full=False).coverage(reduced).done:
                    continue
            if coverage.done or coverage.runs:
                chosen.append(variant)
                counted = f"{coverage.done:,} of {coverage.total:,}"
                is_whole = coverage.done == coverage.total
                if full:
                    parts[name] = "full" if is_whole else counted
                else:
                    parts[name] = "reduced" if is_whole else f"reduced, {counted}"
            else:
                parts.setdefault(name, "missing")
        if chosen:
            found = _scaled_page(paper, experiment.on([v for v in chosen if v], full), workspace)
            pages += [found] if found else []
        left = [variant for variant in left if variant not in chosen]
        if not left and pages:
            break
    command = f"halma reproduce {paper.name} {experiment.name} --full"
    reason = paper.unkept.get(experiment.name, _UNKEPT)
    return Score(experiment, parts, pages, command, "" if pages else reason)


def _scaled_page(paper: Paper, chosen: Experiment, workspace: Workspace) -> ScaledPage | None:
    page = chosen.page(workspace)
    if not any(section.rows or section.figures for section in page.sections):
        return None
    command = paper.command(chosen.name, workspace, chosen.chosen)
    return ScaledPage(workspace.full, chosen.coverage(workspace), command, page)


def kept_workspace(paper: Paper, folder: Path, full: bool) -> Workspace:
    """Return a workspace with what is kept of a paper; its pages are in folders of `folder`."""
    return Workspace(folder, lambda text: None, full=full, draw_only=True, kept=paper.kept)


def scores(paper: Paper, folder: Path) -> list[Score]:
    """Score all experiments of a paper."""
    return [score(paper, experiment, folder) for experiment in paper.experiments]


def board(paper: Paper, found: Sequence[Score], linked: bool = True) -> str:
    """Return the scoreboard of a paper in Markdown, with links to blocks if there are any."""
    own = [one.row(linked) for one in found if one.experiment.in_paper]
    parts = [markdown_table(COLUMNS, own)]
    if paper.without_result:
        shown = "; ".join(f"{name}, {what}" for name, what in paper.without_result.items())
        parts.append(f"Without a result to compare: {shown}.")
    beyond = [one.row(linked) for one in found if not one.experiment.in_paper]
    if beyond:
        parts += ["Not in the paper:", markdown_table(COLUMNS, beyond)]
    if paper.cutoffs:
        parts.append(f"What counts as agreement: {paper.cutoffs}")
    return "\n\n".join(parts)


def block(score: Score, images: str) -> str:
    """Return the block of a table or figure; `images` is the folder of the images, as linked."""
    parts = [f"### {score.experiment.title}"]
    texts: list[str] = []
    for scaled in score.pages:
        parts += [f"    {scaled.command}", _made_of(scaled)]
        for section in scaled.page.sections:
            # Both scales have the same text.
            parts += [section.text] if section.text and section.text not in texts else []
            texts.append(section.text)
            if section.rows:
                parts.append(markdown_table(section.columns, section.rows))
            parts += [f"![{figure.caption}]({images}/{figure.file})" for figure in section.figures]
    return "\n\n".join(parts) if score.pages else ""


def _made_of(scaled: ScaledPage) -> str:
    """Say how much has been run, with which seeds and revision, and how long it took."""
    coverage = scaled.coverage
    counted = ", ".join(
        f"{part} {done:,} of {total:,}".strip() for part, (done, total) in coverage.parts.items()
    )
    parts = [f"{'In full' if scaled.full else 'Reduced'}: {counted} done"]
    parts += _named_runs(coverage)
    if coverage.seeds:
        parts.append(f"seeds: {written_seeds(coverage.seeds)}")
    if coverage.revisions:
        parts.append(f"revision {', '.join(sorted(coverage.revisions))}")
    if coverage.seconds:
        parts.append(f"{coverage.seconds / 60:,.1f} minutes of one worker by the clock")
    return "; ".join(parts) + "."


def deviations(paper: Paper) -> str:
    """Return the table of deviations and ambiguities of a paper."""
    columns = ("where", "the paper", "here", "what it changes")
    return markdown_table(columns, paper.deviations)


def filled(text: str, parts: Iterable[tuple[str, str]]) -> str:
    """Return a page with its generated parts replaced.

    A part stands between `<!-- begin NAME -->` and `<!-- end NAME -->`; a page need not have all.
    """
    for name, content in parts:
        begin, end = f"<!-- begin {name} -->", f"<!-- end {name} -->"
        if begin not in text:
            continue
        if text.count(begin) > 1 or text.count(end) != 1 or text.index(end) < text.index(begin):
            raise HalmaError(f"The page has no '{end}' after its '{begin}', or several.")
        before, after = text[: text.index(begin)], text[text.index(end) :]
        inner = f"{content}\n\n" if content else ""
        text = f"{before}{begin}\n\n{inner}{after}"
    return text


def paper_page(paper: Paper, found: Sequence[Score], text: str) -> str:
    """Return a paper's page with its scoreboard, deviations and blocks as they are now."""
    blocks = [block(one, paper.name) for one in found]
    parts = {
        "scoreboard": board(paper, found, linked="<!-- begin blocks -->" in text),
        "deviations": deviations(paper) if paper.deviations else "",
        "blocks": "\n\n".join(shown for shown in blocks if shown),
        **{mark: write() for mark, write in paper.parts.items()},
    }
    return filled(text, parts.items())


def summary_page(papers: Sequence[tuple[Paper, Sequence[Score]]], text: str) -> str:
    """Return the page of all papers with its table as it is now."""
    rows = []
    for paper, found in papers:
        own = [one for one in found if one.experiment.in_paper]
        counts = [sum(one.status == status for one in own) for status in STATUSES]
        counts += [sum(one.verdict == verdict for one in own) for verdict in VERDICTS]
        agreeing, decided = (
            sum(one.counts[i] for one in own if one.verdict != "open") for i in (0, 1)
        )
        name, _, title = paper.title.partition(": ")
        link = f"[{name}]({name}.md): {title}"
        rows.append((link, *map(str, counts), f"{agreeing} of {decided}"))
    columns = ("tables and figures of", *STATUSES, *VERDICTS, "claims that agree")
    return filled(text, [("summary", markdown_table(columns, rows))])


def copy_images(found: Sequence[Score], drawn: Path, to: Path, text: str) -> None:
    """Copy the images that a page links to, and remove those that it does not."""
    make_folder(to)
    for scaled in (page for one in found for page in one.pages):
        for figure in (figure for part in scaled.page.sections for figure in part.figures):
            if f"({to.name}/{figure.file})" in text:
                scale = "full" if scaled.full else "quick"
                copy_file(drawn / scale / figure.file, to / figure.file)
    for path in to.iterdir():
        if f"{to.name}/{path.name}" not in text:
            remove_file(path)
