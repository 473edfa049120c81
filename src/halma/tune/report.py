"""The page of a tuning, and its best settings as a recipe."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

import halma
from halma.files import make_folder, replace_file
from halma.lab.report import PaperReport, ReportFigure, ReportSection
from halma.learn.reports.events import clock
from halma.learn.settings import Plain, write_value
from halma.tune import figures, strength
from halma.tune.folder import BEST, REPORT
from halma.tune.plan import TuningPlan
from halma.tune.population import members
from halma.tune.result import LEAST_TRIALS, TuningResult
from halma.tune.search import ERROR

if TYPE_CHECKING:
    from optuna.trial import FrozenTrial

#: The most important settings whose pairs have contours.
_CONTOUR_KEYS = 3


def write_report(result: TuningResult, command: str) -> None:
    """Write the page, and the best settings as a recipe, once a trial has ended."""
    if result.best is not None:
        _TuningPage(result, result.best).write(command)


@dataclass(frozen=True)
class _TuningPage:
    """What is shown of a tuning."""

    result: TuningResult
    best: FrozenTrial

    @property
    def plan(self) -> TuningPlan:
        """What was tuned."""
        return self.result.folder.plan

    @property
    def path(self) -> Path:
        """The folder of the tuning."""
        return self.result.folder.path

    def write(self, command: str) -> None:
        """Write the page and the recipe."""
        replace_file(self.path / BEST, self._best_recipe())
        drawings = self.path / "figures"
        make_folder(drawings)
        page = PaperReport(
            f"Tuning of {self.plan.recipe.name}",
            command,
            self._about(),
            self._sections(drawings),
            {},
        )
        replace_file(self.path / REPORT, page.html(drawings))

    def _best_recipe(self) -> str:
        """Return the recipe with the best settings, at its own length."""
        plan, best = self.plan, self.best
        settings = self.result.settings(best)
        lines = [f"# {plan.recipe.name}, tuned by {plan.metric}: trial {best.number}."]
        lines += [
            f"# {key} = {write_value(value)}, was {write_value(plan.recipe.flat[key])}"
            for key, value in settings.items()
            if value != plan.recipe.flat[key]
        ]
        if self.result.confirmation is not None:
            lines.append(f"# {self.result.confirmation.text(plan)}")
        return "\n".join(lines) + "\n" + plan.recipe.changed(settings).toml(self.path)

    def _about(self) -> dict[str, Any]:
        plan = self.plan
        length = f"{plan.length:,} iterations"
        if plan.seconds != float("inf"):
            length = f"{clock(plan.seconds)}, at most {length}"
        return {
            "game": plan.recipe.game.name,
            "metric": f"{plan.metric}, {plan.direction}",
            "sampler": plan.sampler,
            "a trial": length,
            "seed": plan.seed,
            "halma": halma.__version__,
        }

    def _sections(self, drawings: Path) -> list[ReportSection]:
        found = [self._best_section(), self._confirmed(), self._history(drawings)]
        found += self._population(drawings) if self.result.members else []
        return [*found, self._importance(drawings), *self._contours(drawings), self._table()]

    def _best_section(self) -> ReportSection:
        plan, best = self.plan, self.best
        train = f"halma train {shlex.quote(str(self.path / BEST))}"
        if best.number == 0:
            text = "No trial was better than the recipe as it is."
        elif plan.by_matches:
            match = best.user_attrs[strength.MATCH]
            against = match["opponent"]
            opponent = (
                "the recipe as it is" if against == 0 else f"trial {against}, the best before"
            )
            text = (
                f"Trial {best.number} against {opponent}: {strength.match_text(match)}. "
                f"The test stopped there, so the interval is a little too favourable.\n\n"
                f"To train with these settings: {train}"
            )
        else:
            text = (
                f"Trial {best.number}: {plan.metric} {self._value(best)}; the recipe as it is: "
                f"{self._value(self.result.trials[0])}.\n\nTo train with these settings: {train}"
            )
        rows = [
            (key, write_value(plan.recipe.flat[key]), write_value(value), tuned.text)
            for (key, value), tuned in zip(
                self.result.settings(best).items(), plan.keys, strict=True
            )
        ]
        columns = ("setting", "recipe", "best", "tried")
        return ReportSection("Best settings", text, rows, columns=columns)

    def _confirmed(self) -> ReportSection:
        plan, found = self.plan, self.result.confirmation
        text = (
            "The best of many trials looks better than it is, since chance picked it too. "
            "--confirm N trains it anew with other seeds."
        )
        if found is None:
            return ReportSection("Confirmation", f"None was run. {text}")
        if found.matches:
            rows = [(str(n), strength.match_text(m)) for n, m in enumerate(found.matches, start=1)]
            columns = ("seed", "best settings against the recipe")
            return ReportSection("Confirmation", found.text(plan), rows, columns=columns)
        pairs = zip(found.default, found.best, strict=True)
        values = [(str(n), f"{d:.4g}", f"{b:.4g}") for n, (d, b) in enumerate(pairs, start=1)]
        titles = ("seed", "recipe", "best settings")
        return ReportSection("Confirmation", found.text(plan), values, columns=titles)

    def _history(self, drawings: Path) -> ReportSection:
        file = "history.png"
        values = {t.number: t.value for t in self.result.complete if t.value is not None}
        pruned = {
            t.number: t.value
            for t in self.result.trials
            if t.state.name == "PRUNED" and t.value is not None
        }
        figures.draw_history(drawings / file, self.plan, values, pruned)
        caption = (
            "The last value of each trial, and the best so far of those that ran to their end."
        )
        return ReportSection("History", figures=[ReportFigure(file, caption)])

    def _population(self, drawings: Path) -> list[ReportSection]:
        file, plan = "members.png", self.plan
        curves = {
            member: {step: v for t in chain for step, v in t.intermediate_values.items()}
            for member, chain in sorted(members(self.result.trials).items())
        }
        figures.draw_members(drawings / file, plan, curves)
        rows = [
            (
                str(one["member"]),
                str(part["from_iteration"]),
                str(part["trial"]),
                "" if part["copy_of"] is None else str(part["copy_of"]),
                _settings_text(part["settings"]),
            )
            for one in self.result.members
            for part in one["history"]
        ]
        columns = ("member", "from iteration", "trial", "copy of trial", "settings")
        text = (
            "After each stretch the worst quarter copies the best quarter and perturbs its "
            "settings. The best settings above are the last ones of the best member."
        )
        picture = ReportFigure(file, "The metric of each member.")
        return [ReportSection("Population", text, rows, [picture], columns)]

    def _importance(self, drawings: Path) -> ReportSection:
        if not self.result.importance:
            text = f"It takes {LEAST_TRIALS} trials with different values that ran to their end."
            return ReportSection("Importance of settings", text)
        file = "importance.png"
        figures.draw_importance(drawings / file, self.result.importance)
        caption = "PED-ANOVA: how much a setting tells the best quarter of the trials from others."
        return ReportSection("Importance of settings", figures=[ReportFigure(file, caption)])

    def _contours(self, drawings: Path) -> list[ReportSection]:
        keys = {key.key: key for key in self.plan.keys}
        names = list(self.result.importance)[:_CONTOUR_KEYS]
        pairs = [(keys[a], keys[b]) for a, b in combinations(names, 2)]
        points = [
            (self.result.settings(trial), float(trial.value or 0)) for trial in self.result.complete
        ]
        file = "contours.png"
        if not figures.draw_contours(drawings / file, self.plan, pairs, points):
            return []
        caption = "The metric over pairs of the most important settings; points are trials."
        return [ReportSection("Contours", figures=[ReportFigure(file, caption)])]

    def _table(self) -> ReportSection:
        rows = [
            (
                str(trial.number),
                trial.state.name.lower(),
                self._value(trial),
                str(trial.user_attrs.get("iteration", "")),
                clock(trial.user_attrs["seconds"]) if "seconds" in trial.user_attrs else "",
                _settings_text(self.result.settings(trial)),
                self._remark(trial),
            )
            for trial in self.result.trials
        ]
        plan = self.plan
        metric = "Elo" if plan.by_matches else plan.metric
        columns = ("trial", "state", metric, "iterations", "time", "settings", "")
        return ReportSection("Trials", rows=rows, columns=columns)

    def _value(self, trial: FrozenTrial) -> str:
        if trial.value is None:
            return ""
        ends = trial.user_attrs.get("interval")
        return f"{trial.value:.4g}" + (f" ({ends[0]:.4g} to {ends[1]:.4g})" if ends else "")

    def _remark(self, trial: FrozenTrial) -> str:
        match = trial.user_attrs.get(strength.MATCH)
        if match is not None:
            verdict = {"elo1": "won", "elo0": "lost"}.get(match["accepted"], "undecided")
            return f"{verdict} against trial {match['opponent']}: {strength.match_text(match)}"
        if error := trial.user_attrs.get(ERROR):
            return str(error)
        return "the recipe as it is" if trial.number == 0 else ""


def _settings_text(settings: Mapping[str, Plain]) -> str:
    return ", ".join(f"{key} {write_value(value)}" for key, value in settings.items())
