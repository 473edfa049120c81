"""Population-based training: runs side by side that copy each other and perturb their settings.

After each stretch of iterations, every run of the worst quarter is replaced by a copy of a run of
the best quarter, whose settings are perturbed. Each copy is a trial and a run directory of its own,
so that a member of the population is a chain of trials. What happens depends on the seed and on
the results alone: a tuning that was interrupted repeats its decisions from what is on disk.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from halma.executors import Executor, TaskPool, TaskProgress
from halma.learn.fork import fork_run
from halma.learn.run import META
from halma.learn.settings import Plain
from halma.tune.folder import TuningFolder, study_errors
from halma.tune.search import ERROR, SAVE_SECONDS, Watch
from halma.tune.space import tried_values
from halma.tune.tasks import run_with_retry
from halma.tune.trial import TrialResult, TrialRunner, TrialTask

if TYPE_CHECKING:
    from optuna.trial import FrozenTrial

#: Attributes of a trial: its member, the stretch before which it begins, the trial it is a copy of.
MEMBER, BEGINS, PARENT = "member", "begins", "parent"
#: Share of the population that is replaced after a stretch.
_SHARE = 4


@dataclass
class PopulationTraining:
    """Trains the population of a folder."""

    folder: TuningFolder
    runner: TrialRunner
    executor: Executor
    watch: Watch

    def run(self) -> None:
        """Train all stretches; on Ctrl-C, runs save what they did and go on with the next call."""
        plan = self.folder.plan
        stretches = -(-plan.length // plan.stretch)
        pool = self.executor.pool(self.runner, lambda question: question.answer(self.folder))
        with pool, study_errors(self.folder.path):
            try:
                for member in range(plan.population):
                    self._begin(member)
                for stretch in range(1, stretches + 1):
                    ended = self._train(pool, stretch)
                    if stretch < stretches:
                        self._exchange(stretch, ended)
                self._finish(stretches, ended)
            except KeyboardInterrupt:
                self.watch(0, (), "Stopping; runs under way are being saved.")
                pool.interrupt(SAVE_SECONDS)
                raise

    # Stretches.

    def _train(
        self, pool: TaskPool[TrialTask, TrialResult], stretch: int
    ) -> dict[int, TrialResult]:
        """Train every member to the end of a stretch; return the results of those that got there.

        A member that fails is as bad as can be; where all fail, so does the tuning.
        """
        plan, until = self.folder.plan, min(stretch * self.folder.plan.stretch, self._length)
        tasks = []
        for member in range(plan.population):
            trial = self._trial(member, stretch)
            recipe = plan.trial_recipe(member, tried_values(plan.keys, trial.params))
            tasks.append(TrialTask(trial.number, recipe, self.folder.run(trial.number), until))
        ended: dict[int, TrialResult] = {}
        fractions = dict.fromkeys(range(plan.population), 0.0)
        error = None
        for event in run_with_retry(pool, tasks):
            text = ""
            if isinstance(event, TaskProgress):
                fractions[event.index] = event.fraction
            elif event.error is not None:
                error = event.error
                text = f"Member {event.index} failed: {error}"
                self.folder.describe(tasks[event.index].number, **{ERROR: str(error)})
            elif event.result is not None:
                ended[event.index], fractions[event.index] = event.result, 1.0
            done = sum(fractions.values()) / plan.population
            self.watch(until - plan.stretch, (done * plan.stretch,), text)
        if error is not None and not ended:
            raise error
        return ended

    def _exchange(self, stretch: int, ended: Mapping[int, TrialResult]) -> None:
        """Replace the worst members by perturbed copies of the best ones."""
        plan = self.folder.plan
        values = {member: result.value for member, result in ended.items()}
        for member, donor in exchanges(plan.population, values, plan.maximizes, self._rng(stretch)):
            source = self._trial(donor, stretch)
            if self._born(member, stretch) is None:
                rng = self._rng(stretch, member)
                params = {
                    key.key: key.perturbed(source.params.get(key.key, key.default), rng)
                    for key in plan.keys
                }
                self._add(member, stretch, params, source.number)
            new = self._born(member, stretch)
            assert new is not None
            run = self.folder.run(new.number)
            if not (run / META).exists():
                recipe = plan.trial_recipe(member, tried_values(plan.keys, new.params))
                fork_run(self.folder.run(source.number), run, recipe)
            self._close(self._trial(member, stretch), ended.get(member), replaced=True)

    def _finish(self, stretches: int, ended: Mapping[int, TrialResult]) -> None:
        for member in range(self.folder.plan.population):
            self._close(self._trial(member, stretches), ended.get(member), replaced=False)
        self.watch(self._length, (), "")

    @property
    def _length(self) -> int:
        return self.folder.plan.length

    def _rng(self, *purpose: int) -> random.Random:
        return random.Random(f"{self.folder.plan.seed}/{'/'.join(map(str, purpose))}")

    # Trials.

    def _begin(self, member: int) -> None:
        """Add the first trial of a member: the recipe as it is, or settings drawn at random."""
        if self._born(member, 0) is None:
            rng = self._rng(0, member)
            keys = self.folder.plan.keys
            params = {key.key: key.drawn(rng) if member else key.default for key in keys}
            self._add(member, 0, params, None)

    def _add(
        self, member: int, begins: int, params: Mapping[str, Plain], parent: int | None
    ) -> None:
        from optuna.trial import TrialState, create_trial

        # The recipe's own value may be out of range.
        keys = [
            key for key in self.folder.plan.keys if parent is not None or member or key.has_default
        ]
        self.folder.study.add_trial(
            create_trial(
                state=TrialState.RUNNING,
                params={key.key: params[key.key] for key in keys},
                distributions={key.key: key.distribution for key in keys},
                user_attrs={MEMBER: member, BEGINS: begins, PARENT: parent},
            )
        )

    def _born(self, member: int, begins: int) -> FrozenTrial | None:
        return next(
            (
                one
                for one in members(self.folder.trials)[member]
                if one.user_attrs[BEGINS] == begins
            ),
            None,
        )

    def _trial(self, member: int, stretch: int) -> FrozenTrial:
        """Return the trial that a member is during a stretch; they count from 1."""
        chain = members(self.folder.trials)[member]
        return [trial for trial in chain if trial.user_attrs[BEGINS] < stretch][-1]

    def _close(self, trial: FrozenTrial, result: TrialResult | None, replaced: bool) -> None:
        """Tell Optuna how a trial ended, unless it knows."""
        from optuna.trial import TrialState

        if trial.state.is_finished():
            return
        study = self.folder.study
        if result is None:
            study.tell(trial.number, state=TrialState.FAIL)
            return
        self.folder.describe(
            trial.number,
            iteration=result.iteration,
            seconds=result.seconds,
            interval=result.interval,
        )
        state = TrialState.PRUNED if replaced else TrialState.COMPLETE
        study.tell(trial.number, None if replaced else result.value, state=state)


class _Chains(dict[int, list[Any]]):
    """Trials by member; a member without any has an empty list."""

    def __missing__(self, member: int) -> list[Any]:
        return []


def members(trials: Sequence[FrozenTrial]) -> Mapping[int, list[FrozenTrial]]:
    """Return the trials of each member of a population, in order."""
    found = _Chains()
    for trial in trials:
        if MEMBER in trial.user_attrs:
            found.setdefault(trial.user_attrs[MEMBER], []).append(trial)
    return found


def exchanges(
    population: int, values: Mapping[int, float | None], maximizes: bool, rng: random.Random
) -> list[tuple[int, int]]:
    """Return which members are replaced and by copies of which: worst quarter, best quarter.

    Members without a value are replaced too. Of equal members the first is the better one.
    """
    sign = -1.0 if maximizes else 1.0
    ranked = sorted(
        (member for member in values if values[member] is not None),
        key=lambda member: (sign * float(values[member] or 0.0), member),
    )
    failed = [member for member in range(population) if member not in ranked]
    quarter = max(1, population // _SHARE)
    best, others = ranked[:quarter], ranked[quarter:]
    # Members without a value count among the worst.
    worst = others[max(0, len(others) - max(0, quarter - len(failed))) :]
    return [(member, rng.choice(best)) for member in [*worst, *failed]]
