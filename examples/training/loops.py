"""Five training loops that stop at epsilon, as budget objects: two are right.

A step costs epsilon, which may differ from step to step; the one with a guard is told mu instead,
the sensitivity divided by the noise of a Gaussian step.

filterproof audit loops.py:LooksAhead --spend step       no violation found
filterproof audit loops.py:Guarded --spend step          no violation found
filterproof audit loops.py:ReadsBefore --spend step      VIOLATED: the last step comes too late
filterproof audit loops.py:Tolerant --spend step         VIOLATED: up to 0.1 more than epsilon
filterproof audit loops.py:StopsByLoss --spend step --spend "validate()"
                                                         VIOLATED: a loss that nobody has paid for
"""

import math

from filterproof.runtime import StepRefused, TrainingGuard


class LooksAhead:
    """Asks what epsilon *will be*, and runs the step only if that fits."""

    def __init__(self, epsilon: float) -> None:
        self.target, self.spent = epsilon, 0.0

    def step(self, epsilon: float) -> bool:
        """Return whether one more step runs."""
        if self.stops(self.spent + epsilon):
            return False
        self.spent += epsilon
        return True

    def stops(self, total: float) -> bool:
        """Whether training ends before a step that brings the total to this."""
        return total > self.target


class ReadsBefore(LooksAhead):
    """Asks what epsilon *is*; the step that crosses the target still runs."""

    def stops(self, total: float) -> bool:
        """Whether the target is reached already."""
        return self.spent >= self.target


class Tolerant(LooksAhead):
    """Allows for an error of the accountant, in the wrong direction."""

    def stops(self, total: float) -> bool:
        """Whether epsilon would exceed the target by more than 0.1."""
        return total > self.target + 0.1


class StopsByLoss(LooksAhead):
    """Right in its steps; but it also looks at a validation loss, and what it does then is seen."""

    def validate(self) -> bool:
        """Return that a look at the data is always allowed; it costs nothing."""
        return True


class Guarded:
    """Leaves it to filterproof's guard, whose Renyi order is fixed in advance."""

    def __init__(self, epsilon: float, delta: float) -> None:
        self.guard = TrainingGuard(epsilon, delta, order=4)

    def step(self, mu: float) -> bool:
        """Return whether one more step runs."""
        try:
            self.guard.charge(math.nextafter(1 / mu, 0.0) if mu else 1e9)
        except StepRefused:
            return False
        return True
