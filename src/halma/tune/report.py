"""The result of a tuning: as plain values, as a page, and as a recipe."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

import halma
from halma.files import make_folder, replace_file
from halma.lab.report import PaperReport, ReportFigure, ReportSection
from halma.learn.reports.events import clock
from halma.learn.settings import Plain, write_value
from halma.tune import figures, strength
from halma.tune.confirm import Confirmation
from halma.tune.folder import BEST, REPORT, TuningFolder, run_folder
from halma.tune.population import BEGINS, PARENT, members
from halma.tune.search import ERROR
from halma.tune.space import tried_values

if TYPE_CHECKING:
    from optuna.trial import FrozenTrial

#: The most important settings whose pairs have contours.
_CONTOUR_KEYS = 3
#: Fewest trials with a value from which importance is estimated.
_LEAST = 6


@dataclass(frozen=True)
class TuningResult:
    """What the trials of a folder say so far."""

    folder: TuningFolder
    confirmation: Confirmation | None = None

    @cached_property
    def trials(self) -> list[FrozenTrial]:
        """All trials."""
        return self.folder.trials

    @cached_property
    def complete(self) -> list[FrozenTrial]:
        """Trials that ran to their end."""
        return [trial for trial in self.trials if trial.state.name == "COMPLETE"]

    @cached_property
    def best(self) -> FrozenTrial | None:
        """The best of those: by the metric, or the last winner of a match."""
        plan = self.folder.plan
        if not self.complete:
            return None
        if plan.by_matches:
            return self.trials[strength.incumbent(self.trials)]
        sign = 1 if plan.maximizes else -1
        return max(self.complete, key=lambda trial: (sign * float(trial.value or 0), -trial.number))

    def settings(self, trial: FrozenTrial) -> dict[str, Plain]:
        """Return the tuned settings of a trial."""
        if trial.number == 0:
            return {key.key: key.default for key in self.folder.plan.keys}
        return tried_values(self.folder.plan.keys, trial.params)

    @cached_property
    def importance(self) -> dict[str, float]:
        """Shares of the settings in what tells good trials from others, the largest first.

        It is PED-ANOVA's; empty where there are too few trials.
        """
        from optuna.importance import PedAnovaImportanceEvaluator, get_param_importances

        if len(self.complete) < _LEAST:
            return {}
        try:
            found = get_param_importances(
                self.folder.study,
                evaluator=PedAnovaImportanceEvaluator(target_quantile=0.25),
                params=self._common_params,
            )
        except (ValueError, RuntimeError):  # all trials have the same value, or the same settings
            return {}
        return {name: float(share) for name, share in found.items()}

    @property
    def _common_params(self) -> list[str]:
        names = [key.key for key in self.folder.plan.keys]
        return [name for name in names if all(name in trial.params for trial in self.complete)]

    def as_dict(self) -> dict[str, Any]:
        """Return everything as plain values."""
        plan, best = self.folder.plan, self.best
        states = [trial.state.name for trial in self.trials]
        return {
            "tuning": str(self.folder.path),
            "recipe": plan.recipe.name,
            "metric": plan.metric,
            "direction": plan.direction,
            "sampler": plan.sampler,
            "trials": len(self.trials),
            "complete": states.count("COMPLETE"),
            "pruned": states.count("PRUNED"),
            "failed": states.count("FAIL"),
            "default_value": self._default_value,
            "best": None if best is None else self._as_row(best),
            "best_recipe": str(self.folder.path / BEST),
            "report": str(self.folder.path / REPORT),
            "confirmation": None if self.confirmation is None else self.confirmation.as_dict(plan),
            "importance": self.importance,
            "history": [self._as_row(trial) for trial in self.trials],
            "members": self._members,
        }

    def _as_row(self, trial: FrozenTrial) -> dict[str, Any]:
        return {
            "trial": trial.number,
            "state": trial.state.name.lower(),
            "value": trial.value,
            "settings": self.settings(trial),
            "run": str(run_folder(self.folder.path, trial.number)),
            **{
                key: trial.user_attrs.get(key)
                for key in ("iteration", "seconds", "interval", strength.MATCH, ERROR)
            },
        }

    @property
    def _default_value(self) -> float | None:
        return self.trials[0].value if self.trials else None

    @cached_property
    def _members(self) -> list[dict[str, Any]]:
        """The history of each member of a population."""
        return [
            {
                "member": member,
                "history": [
                    {
                        "trial": trial.number,
                        "from_iteration": trial.user_attrs[BEGINS] * self.folder.plan.stretch,
                        "copy_of": trial.user_attrs[PARENT],
                        "settings": self.settings(trial),
                        "values": {str(k): v for k, v in trial.intermediate_values.items()},
                    }
                    for trial in chain
                ],
            }
            for member, chain in sorted(members(self.trials).items())
        ]

    # What is written.

    def write(self, command: str) -> None:
        """Write the page, and the best settings as a recipe, once a trial has ended."""
        if self.best is None:
            return
        replace_file(self.folder.path / BEST, self._best_recipe())
        drawings = self.folder.path / "figures"
        make_folder(drawings)
        page = PaperReport(
            f"Tuning of {self.folder.plan.recipe.name}",
            command,
            self._about(),
            self._sections(drawings),
            {},
        )
        replace_file(self.folder.path / REPORT, page.html(drawings))

    def _best_recipe(self) -> str:
        """Return the recipe with the best settings, at its own length."""
        plan, best = self.folder.plan, self.best
        assert best is not None
        settings = self.settings(best)
        lines = [f"# {plan.recipe.name}, tuned by {plan.metric}: trial {best.number}."]
        lines += [
            f"# {key} = {write_value(value)}, was {write_value(plan.recipe.flat[key])}"
            for key, value in settings.items()
            if value != plan.recipe.flat[key]
        ]
        if self.confirmation is not None:
            lines.append(f"# {self.confirmation.text(plan)}")
        return "\n".join(lines) + "\n" + plan.recipe.changed(settings).toml(self.folder.path)

    def _about(self) -> dict[str, Any]:
        plan = self.folder.plan
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
        found += self._population(drawings) if self._members else []
        return [*found, self._importance(drawings), *self._contours(drawings), self._table()]

    def _best_section(self) -> ReportSection:
        plan, best = self.folder.plan, self.best
        assert best is not None
        train = f"halma train {shlex.quote(str(self.folder.path / BEST))}"
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
                f"{self._value(self.trials[0])}.\n\nTo train with these settings: {train}"
            )
        rows = [
            (key, write_value(plan.recipe.flat[key]), write_value(value), tuned.text)
            for (key, value), tuned in zip(self.settings(best).items(), plan.keys, strict=True)
        ]
        columns = ("setting", "recipe", "best", "tried")
        return ReportSection("Best settings", text, rows, columns=columns)

    def _confirmed(self) -> ReportSection:
        plan, found = self.folder.plan, self.confirmation
        text = (
            "The best of many trials looks better than it is, since chance picked it too. "
            "--confirm N trains it anew with other seeds."
        )
        if found is None:
            return ReportSection("Confirmation", f"None was run. {text}")
        rows = [
            (str(seed), f"{default:.4g}", f"{best:.4g}")
            for seed, (default, best) in enumerate(zip(found.default, found.best, strict=True), 1)
        ]
        columns: tuple[str, ...] = ("seed", "recipe", "best settings")
        if found.matches:
            rows = [(str(n), strength.match_text(m), "") for n, m in enumerate(found.matches, 1)]
            rows, columns = [row[:2] for row in rows], ("seed", "best settings against the recipe")  # type: ignore[misc]
        return ReportSection("Confirmation", found.text(plan), rows, columns=columns)

    def _history(self, drawings: Path) -> ReportSection:
        file = "history.png"
        values = {t.number: t.value for t in self.complete if t.value is not None}
        figures.draw_history(drawings / file, self.folder.plan, values)
        caption = "Trials that ran to their end, and the best so far."
        return ReportSection("History", figures=[ReportFigure(file, caption)])

    def _population(self, drawings: Path) -> list[ReportSection]:
        file, plan = "members.png", self.folder.plan
        curves = {
            member: {step: v for t in chain for step, v in t.intermediate_values.items()}
            for member, chain in sorted(members(self.trials).items())
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
            for one in self._members
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
        if not self.importance:
            text = f"It takes {_LEAST} trials with different values that ran to their end."
            return ReportSection("Importance of settings", text)
        file = "importance.png"
        figures.draw_importance(drawings / file, self.importance)
        caption = "PED-ANOVA: how much a setting tells the best quarter of the trials from others."
        return ReportSection("Importance of settings", figures=[ReportFigure(file, caption)])

    def _contours(self, drawings: Path) -> list[ReportSection]:
        keys = {key.key: key for key in self.folder.plan.keys}
        names = list(self.importance)[:_CONTOUR_KEYS]
        pairs = [(keys[a], keys[b]) for a, b in combinations(names, 2)]
        points = [(self.settings(trial), float(trial.value or 0)) for trial in self.complete]
        file = "contours.png"
        if not figures.draw_contours(drawings / file, self.folder.plan, pairs, points):
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
                _settings_text(self.settings(trial)),
                self._remark(trial),
            )
            for trial in self.trials
        ]
        plan = self.folder.plan
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
