"""Trials suggested by Optuna, run by workers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from halma.errors import RecipeError
from halma.executors import Executor, TaskEnd, TaskPool, TaskProgress
from halma.tune.folder import TuningFolder, open_trial, study_errors
from halma.tune.space import defaults_within, suggest
from halma.tune.strength import elo_above_recipe
from halma.tune.tasks import run_with_retry
from halma.tune.trial import TrialResult, TrialRunner, TrialTask

if TYPE_CHECKING:
    from optuna.samplers import BaseSampler
    from optuna.trial import Trial

#: Seconds that trials have to save what they did after Ctrl-C.
SAVE_SECONDS = 60.0
#: The attribute of a trial that says why it has no value.
ERROR = "error"
#: Trials drawn at random before the sampler learns from them.
_RANDOM_TRIALS = 10

#: Called with the trials that have ended, the fractions of those under way, and a new sentence.
Watch = Callable[[int, Sequence[float], str], None]


@dataclass
class TuningSearch:
    """Runs the trials of a folder until there are as many as wanted."""

    folder: TuningFolder
    runner: TrialRunner
    executor: Executor
    watch: Watch

    def run(self, trials: int) -> None:
        """Go on with trials that were interrupted, then run new ones.

        On Ctrl-C, trials under way save what they did and go on with the next call.
        """
        plan = self.folder.plan
        pool = self.executor.pool(self.runner, lambda question: question.answer(self.folder))
        with pool, study_errors(self.folder.path):
            try:
                if plan.by_matches and not self._ended():
                    # All others play against it.
                    self._run(pool, self._tasks(1))
                self._run(pool, self._tasks(trials))
            except KeyboardInterrupt:
                self.watch(self._ended(), (), "Stopping; trials under way are being saved.")
                pool.interrupt(SAVE_SECONDS)
                raise

    def _run(self, pool: TaskPool[TrialTask, TrialResult], coming: Iterator[TrialTask]) -> None:
        tasks: list[TrialTask] = []
        fractions: dict[int, float] = {}

        def taken() -> Iterator[TrialTask]:
            for task in coming:
                tasks.append(task)
                yield task

        for event in run_with_retry(pool, taken()):
            number = tasks[event.index].number
            text = ""
            if isinstance(event, TaskProgress):
                fractions[number] = event.fraction
            else:
                fractions.pop(number, None)
                text = self._end(number, event)
            self.watch(self._ended(), list(fractions.values()), text)

    def _ended(self) -> int:
        return sum(trial.state.is_finished() for trial in self.folder.trials)

    # Trials.

    def _tasks(self, trials: int) -> Iterator[TrialTask]:
        """Yield interrupted trials, then new ones; each is asked for when a worker is free."""
        study = self.folder.study
        for trial in self.folder.trials:
            if not trial.state.is_finished():
                yield from self._task(self._reopened(trial.number))
        while len(self.folder.trials) < trials:
            number = len(self.folder.trials)
            # A sampler of its own for each trial: what is suggested depends on the trials that
            # have ended, and not on when the tuning was interrupted.
            study.sampler = self._sampler(number)
            if number == 0:
                study.enqueue_trial(defaults_within(self.folder.plan.keys))
            yield from self._task(study.ask())

    def _reopened(self, number: int) -> Trial:
        self.folder.study.sampler = self._sampler(number)
        return open_trial(self.folder.study, number)

    def _sampler(self, number: int) -> BaseSampler:
        from optuna import samplers

        plan = self.folder.plan
        seed = (plan.seed * 1_000_003 + number) % 2**32
        if plan.sampler == "random":
            return samplers.RandomSampler(seed=seed)
        return samplers.TPESampler(
            seed=seed, n_startup_trials=_RANDOM_TRIALS, multivariate=True, group=True
        )

    def _task(self, trial: Trial) -> Iterator[TrialTask]:
        """Yield the task of a trial; none where its settings do not fit together."""
        plan, number = self.folder.plan, trial.number
        keys = [key for key in plan.keys if number or key.has_default]
        settings = suggest(trial, keys)
        try:
            recipe = plan.trial_recipe(number, settings)
        except RecipeError as error:
            self._fail(number, str(error))
            return
        yield TrialTask(number, recipe, self.folder.run(number), plan.length)

    def _end(self, number: int, event: TaskEnd[TrialResult]) -> str:
        """Tell Optuna how a trial ended; return a sentence about it for the user."""
        from optuna.trial import TrialState

        if event.error is not None:
            if number == 0:  # the recipe as it is: others would fail too
                raise event.error
            return self._fail(number, str(event.error))
        result = cast(TrialResult, event.result)
        self.folder.describe(
            number, iteration=result.iteration, seconds=result.seconds, interval=result.interval
        )
        by_matches = self.folder.plan.by_matches
        value = elo_above_recipe(self.folder.trials, number) if by_matches else result.value
        state = TrialState.PRUNED if result.pruned else TrialState.COMPLETE
        self.folder.study.tell(number, None if result.pruned else value, state=state)
        return ""

    def _fail(self, number: int, error: str) -> str:
        from optuna.trial import TrialState

        self.folder.describe(number, **{ERROR: error})
        self.folder.study.tell(number, state=TrialState.FAIL)
        return f"Trial {number} failed: {error}"
