"""Callbacks that put a `TrainingGuard` into the loops of Keras and of Hugging Face trainers.

Neither library is imported: mix the class with the library's own.

    class Budget(KerasSteps, keras.callbacks.Callback): ...
    class Budget(TrainerSteps, transformers.TrainerCallback): ...

A trainer asks its callbacks to stop *between* two steps, so each step is paid for when the one
before it has ended: the run stops there if the next one would exceed.  A step that nobody has
paid for raises before it runs.  What was paid ahead and is never run stays charged.

In a loop of your own, also with Opacus, charge the guard before the optimizer takes its step.
"""

from collections.abc import Callable
from typing import Any

from filterproof.runtime.training import StepRefused, TrainingGuard

Setting = Callable[[], tuple[Any, Any]]
"""Returns the noise multiplier and the sample rate of the next step."""


class PaidAhead:
    """Pays for one step ahead of the loop; `setting` is asked anew for each."""

    def __init__(self, guard: TrainingGuard, setting: Setting) -> None:
        super().__init__()
        self.guard, self.setting = guard, setting
        self._paid = False

    def before_step(self, steps: int = 1) -> None:
        """Use up what was paid ahead, or pay now; raise StepRefused if that exceeds."""
        if not self._paid:
            self.guard.charge(*self.setting(), steps=steps)
        self._paid = False

    def next_fits(self, steps: int = 1) -> bool:
        """Pay for the next step; return False, and pay nothing, if it would exceed."""
        try:
            self.before_step(steps)
        except StepRefused:
            return False
        self._paid = True
        return True


class KerasSteps(PaidAhead):
    """The part of a Keras callback that charges every batch, and stops `fit` in time."""

    model: Any

    def on_train_batch_begin(self, batch: int, logs: Any = None) -> None:
        """Raise StepRefused if nobody has paid for this batch and it would exceed."""
        self.before_step(self._at_once())

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        """Pay for the next batch, or stop before it."""
        if not self.next_fits(self._at_once()):
            self.model.stop_training = True

    def _at_once(self) -> int:
        """Return how many batches Keras runs between two calls."""
        return int(getattr(self.model, "steps_per_execution", 1))


class TrainerSteps(PaidAhead):
    """The part of a Hugging Face callback that charges every optimizer step, and stops in time."""

    def on_step_begin(self, args: Any, state: Any, control: Any, **more: Any) -> None:
        """Raise StepRefused if nobody has paid for this step and it would exceed."""
        self.before_step()

    def on_step_end(self, args: Any, state: Any, control: Any, **more: Any) -> None:
        """Pay for the next step, or stop before it."""
        if not self.next_fits():
            control.should_training_stop = True
