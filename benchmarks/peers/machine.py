"""What one writes with Hypothesis: a rule-based state machine; run with a folder of budgets.

`python machine.py FOLDER [both]`: `budget.py` is there, and with `both` the version before it,
`old.py`.  It ends with 1 if the state machine has found a run that breaks what it says.
"""

import sys

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule, run_state_machine_as_test

ROUNDING = 1e-9
FOLDER, *BOTH = sys.argv[1:]
sys.path.insert(0, FOLDER)


class Within(RuleBasedStateMachine):
    """The sum of what was granted stays within the budget."""

    def __init__(self) -> None:
        from budget import Budget  # type: ignore[import-not-found]

        super().__init__()
        self.budget, self.granted = Budget(1.0), 0.0

    @rule(epsilon=st.floats(0, 2))
    def spend(self, epsilon: float) -> None:
        """Ask for something."""
        if self.budget.spend(epsilon):
            self.granted += epsilon
        assert self.granted <= 1 + ROUNDING


class NoLooser(RuleBasedStateMachine):
    """The old version grants all that the new one grants, asked for nothing else."""

    def __init__(self) -> None:
        from budget import Budget
        from old import Budget as Old  # type: ignore[import-not-found]

        super().__init__()
        self.new, self.old = Budget(1.0), Old(1.0)

    @rule(epsilon=st.floats(0, 2))
    def spend(self, epsilon: float) -> None:
        """Ask the new version, and the old one for what that grants."""
        if self.new.spend(epsilon):
            assert self.old.spend(epsilon)


if __name__ == "__main__":
    try:
        run_state_machine_as_test(NoLooser if BOTH else Within, settings=settings(deadline=None))
    except AssertionError:
        sys.exit(1)
