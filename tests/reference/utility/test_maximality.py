"""Both directions of a pair: the capped compensator can be outrun (`proofs/coq/Pairs.v`, played).

At ε = 0 both directions are charged the same mass in every round.  After randomised response 3/4
with δ = 5/8, an eighth is left; each direction shares it out under its own law, and a round must
fit the smaller share.  What the larger share holds more is stranded.
"""

from dataclasses import dataclass
from fractions import Fraction

import pytest

from filterproof.filter import Decision
from filterproof.filters.compensator import Budgets, Capped
from filterproof.filters.run_all import RunAll
from filterproof.game import Game, Mechanism, Step
from filterproof.palette import response
from filterproof.witness import worst_case
from tests.plays import rounds_run

F = Fraction
ZERO, DELTA, STRANDED_MASS = F(0), F(5, 8), F(1, 16)
FORWARD, BACKWARD = ("0", "1"), ("1", "0")


def told(p: Fraction, x: str = "0") -> Mechanism:
    """Under x say "!" with probability p, otherwise "?"; under the other database always "?"."""
    other = {"0": "1", "1": "0"}[x]
    return Mechanism({"!": {x: p, other: F(0)}, "?": {x: 1 - p, other: F(1)}})


def after_response(first: Mechanism, second: Mechanism) -> Game:
    """Randomised response 3/4, then one round after each of its outputs."""
    law = response(F(3, 4)).law
    return Game(
        ["0", "1"], [FORWARD], {"ask": Mechanism(law, {"0": {"r": first}, "1": {"r": second}})}
    )


STRANDED = after_response(told(F(3, 4)), told(F(3, 4), "1"))


@dataclass(frozen=True)
class Thrifty(Capped):
    """Capped, and after randomised response one more round of at most `extra` in mass."""

    extra: Fraction = STRANDED_MASS

    def decide(self, state: Budgets, step: Step) -> tuple[Decision, Budgets]:
        """Run a last round where the capped compensator would halt, if it costs no more."""
        decision, after = super().decide(state, step)
        if decision is Decision.HALT and step.index == 2:
            share = step.mass["0"] / sum(step.mass.values())  # of the response's output, 3/4 or 1/4
            mass = self.charge(step, FORWARD) * share
            if (mass - self.extra).sign() <= 0:
                return Decision.LAST, after
        return decision, after


def test_each_direction_alone_runs_a_round_that_both_together_refuse() -> None:
    both, forward = Capped(ZERO, DELTA), Capped(ZERO, DELTA, pair=FORWARD)
    assert len(rounds_run(RunAll(), STRANDED)) == 3
    assert len(rounds_run(both, STRANDED)) == 1
    assert len(rounds_run(forward, STRANDED)) == 2


def test_a_filter_that_runs_all_that_the_capped_one_runs_and_more_is_private() -> None:
    thrifty = Thrifty(ZERO, DELTA)
    assert rounds_run(thrifty, STRANDED) > rounds_run(Capped(ZERO, DELTA), STRANDED)
    assert worst_case(thrifty, STRANDED, ZERO).value == DELTA  # 1/2, and 1/16 on either branch


@pytest.mark.parametrize(("extra", "reached"), [(F(1, 16), F(5, 8)), (F(3, 32), F(11, 16))])
def test_handing_out_more_than_is_stranded_is_not_private(
    extra: Fraction, reached: Fraction
) -> None:
    share = (F(1, 2) + extra) / F(3, 4)  # the charge is 3/4 of it, less the half that is lost
    one = after_response(told(share), told(share, "1"))
    found = worst_case(Thrifty(ZERO, DELTA, extra=extra), one, ZERO).value
    assert found == reached
    assert (found <= DELTA) == (extra == F(1, 16))
