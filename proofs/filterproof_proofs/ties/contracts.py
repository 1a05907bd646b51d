"""What trusted functions are assumed to say, as unknown numbers: the meeting point with Coq.

A filter asks functions such as `risk`, `charge`, `renyi_cost` or `within`, and the theorem about it
speaks of the same quantities.  In a proof that ties code to a rule these functions are not
followed: each answers with the number that its docstring promises, the same one that the rule
uses.  They are compared with their definitions elsewhere, in exact numbers, by tests.

A function that decides a comparison is taken at its word only where it answers yes; otherwise it
may answer no or be undecided.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import Any

import z3

from filterproof.exact import ExpLinear, Undecided
from filterproof.game.law import Declared
from filterproof_proofs.symbolic.terms import Term, value
from filterproof_proofs.symbolic.values import Raised
from filterproof_proofs.ties.world import Round

Contract = Callable[..., Any]
CONTRACTS: dict[str, Contract] = {}

_R, _B = z3.RealSort(), z3.BoolSort()
MOMENT = z3.Function("S", _R, _R)
"""S(order) of this round's mechanism."""
POWER = z3.Function("power", _R, _R, _R)
TIGHT = z3.Function("tight", _R, _R)
"""order^order / (order-1)^(order-1)."""
SQUARE, DRIFT = z3.Function("square", _R, _R), z3.Function("drift", _R, _R)
"""log(odds)^2, and log(odds)*(odds - 1)/2."""
WHITEHOUSE = z3.Function("whitehouse", _R, _R, _R, _B)
"""sqrt(2*log(1/d')*Q) + Q/2 <= eps, for Q, d' and e^eps."""
ROGERS = z3.Function("rogers", _R, _R, _R, _R, _B)
"""The bound of Theorem 5.1, for the sums of squares and drifts, delta and e^eps."""
GAUSS = z3.Function("gauss", _R, _R, _R)
"""The largest mu for which mu-GDP is (eps, delta)-DP."""
CEILING = z3.Function("ceiling", _R, _R)
EULER = z3.Real("e")


def contract(*paths: str) -> Callable[[Contract], Contract]:
    """Register what the functions at these paths are assumed to say."""

    def register(answer: Contract) -> Contract:
        CONTRACTS.update(dict.fromkeys(paths, answer))
        return answer

    return register


def decides(now: Round, name: str, condition: Any) -> bool:
    """Answer a comparison: yes only where the condition holds; no, or undecided, anywhere."""
    if now.run.branch(z3.Real(f"{name} says yes") > 0):
        now.run.assume(condition)
        return True
    if now.run.branch(z3.Real(f"{name} is undecided") > 0):
        raise Raised(Undecided("the comparison stayed open"))
    return False


def power(now: Round, base: Any, exponent: Any) -> Term:
    """Return base^exponent: between 0 and 1 for such a base and an exponent >= 0."""
    made = POWER(base, exponent)
    inside = z3.And(base >= 0, base <= 1, exponent >= 0)
    now.run.assume(z3.Implies(inside, z3.And(made >= 0, made <= 1)))
    return Term(now.run, made)


# --- one round ----------------------------------------------------------------------------------


def cost_of(now: Round, kind: str, law: Any, pair: Any, mass: Any, epsilon: Any) -> Any:
    """Return the number that stands for a risk or a charge, of this round or of a later one."""
    tag, known = now.laws.get(id(law), ("?", None))
    if known is not law or epsilon is not now.epsilon:
        raise now.run.stuck(f"the {kind} of another law, or at another epsilon")
    expected = now.mass if not tag else _masses_after(now, tag)
    if any(not z3.eq(value(mass[x]), value(expected[x])) for x in now.databases):
        raise now.run.stuck(f"the {kind} at likelihoods that are not those of the history")
    if now.opening and not tag:
        return Fraction(0)
    high = 1 if kind == "risk" else None
    return now.number(f"{kind}{tag} {pair[0]}{pair[1]}", low=0, high=high)


def _masses_after(now: Round, tag: str) -> dict[str, Any]:
    row = now.law[next(y for y in now.law if y == type(y)(tag.split()[0]))]
    return {x: now.mass[x] * row[x] for x in now.databases}


@contract("filterproof.privacy.risk")
def risk(now: Round, law: Any, pair: Any, mass: Any, epsilon: Any) -> Any:
    """Return P_x(loss after one more output > eps): tail in Coq."""
    return cost_of(now, "risk", law, pair, mass, epsilon)


@contract("filterproof.privacy.charge")
def charge(now: Round, law: Any, pair: Any, mass: Any, epsilon: Any) -> Any:
    """Return what the round adds to H: `charge` in Coq."""
    return ExpLinear(cost_of(now, "charge", law, pair, mass, epsilon), 0, epsilon)


@contract("filterproof.filters.common.ceiling")
def ceiling(now: Round, number: ExpLinear) -> Any:
    """Return a whole number that is not below this one."""
    if not isinstance(number.a, Term):
        return ceil(number.a)
    made = Term(now.run, CEILING(number.a.term), 0, int)
    now.run.assume(made.term >= number.a.term)
    return made


class RenyiSum(Term):
    """A Rényi sum: an unknown number that may be asked for itself."""

    __slots__ = ()


class Order(Term):
    """A Rényi order: an unknown number whose denominator may be asked for, and means nothing."""

    __slots__ = ()


# --- Rényi --------------------------------------------------------------------------------------


@contract("filterproof.filters.rdp.renyi_cost")
def renyi_cost(now: Round, mechanism: Any, order: Any) -> Any:
    """Return S(order), None where it is infinite: a bound of the moment in Coq."""
    if mechanism is not now.mechanism:
        raise now.run.stuck("the Renyi sum of another mechanism")
    if now.opening:
        return RenyiSum(now.run, z3.RealVal(1))
    if not now.run.branch(z3.Real("finite") > 0):
        return None
    made = RenyiSum(now.run, MOMENT(value(order)))
    now.run.assume(made.term >= 1)
    return made


def itself(now: Round, number: Any) -> Any:
    """Return the sum as a rational number: at whole orders it is one."""
    return Term(now.run, number.term)


ITSELF: Callable[..., Any] = itself
CONTRACTS[f"{__name__}.itself"] = itself


@contract("filterproof.radicals.RadicalSum.root")
def root(now: Round, number: Any, degree: Any) -> Any:
    """Return a root of 1."""
    if number != 1:
        raise now.run.stuck("a root of another number than 1")
    return Fraction(1)


@contract("filterproof.filters.rdp.tight_factor")
def tight_factor(now: Round, order: Any) -> Any:
    """Return order^order / (order-1)^(order-1): tight in Coq."""
    return Term(now.run, TIGHT(value(order)))


def fits(now: Round, product: Any, factor: Any, delta: Any, order: Any) -> Any:
    """Return product <= delta*factor*e^((order-1)*eps)."""
    return product <= factor * delta * POWER(now.odds.term, order - 1)


@contract("filterproof.filters.rdp.within")
def within(now: Round, product: Any, factor: Any, delta: Any, order: Any, epsilon: Any) -> bool:
    """Decide product <= delta*factor*e^((order-1)*eps): order_fits in Coq."""
    if epsilon is not now.epsilon:
        raise now.run.stuck("a Renyi sum at another epsilon")
    asked = fits(now, *(value(one) for one in (product, factor, delta, order)))
    return decides(now, f"within {value(order)}", asked)


# --- Gaussian -----------------------------------------------------------------------------------


@contract("filterproof.filters.gdp.mechanism_mu")
def mechanism_mu(now: Round, mechanism: Any, key: Any) -> Any:
    """Return a mu for which the mechanism is mu-GDP, or None."""
    if mechanism is not now.mechanism:
        raise now.run.stuck("the mu of another mechanism")
    if now.opening:
        return Fraction(0)
    return now.number("mu", low=0) if now.run.branch(z3.Real("finite") > 0) else None


@contract("filterproof.filters.gdp.budget_mu")
def budget_mu(now: Round, epsilon: Any, delta: Any) -> Any:
    """Return a mu for which mu-GDP implies (eps, delta)-DP."""
    if epsilon is not now.epsilon:
        raise now.run.stuck("a budget of another epsilon")
    made = Term(now.run, GAUSS(now.odds.term, value(delta)))
    now.run.assume(made.term >= 0)
    return made


# --- sums of what was declared ------------------------------------------------------------------


@dataclass(frozen=True)
class Books:
    """What `spend` has kept: the sums of the deltas, of the squares of eps_i, and of the drifts."""

    deltas: Any
    squares: Any
    drifts: Any


def books_of(spent: Any) -> Books:
    """Return the sums that are kept; nothing was spent in the first state."""
    zero = z3.RealVal(0)
    return Books(zero, zero, zero) if spent == () else spent


@contract("filterproof.filters.advanced.spend")
def spend(now: Round, spent: Any, asked: Declared) -> Books:
    """Add one declared pair."""
    kept, odds = books_of(spent), value(asked.odds)
    return Books(
        kept.deltas + value(asked.delta), kept.squares + SQUARE(odds), kept.drifts + DRIFT(odds)
    )


@contract("filterproof.filters.advanced.total_delta")
def total_delta(now: Round, spent: Any) -> Term:
    """Return the sum of the deltas."""
    return Term(now.run, books_of(spent).deltas)


@contract("filterproof.filters.advanced.whitehouse_fits")
def whitehouse_fits(now: Round, spent: Any, epsilon: Any, part: Any) -> bool:
    """Decide sqrt(2*log(1/d')*Q) + Q/2 <= eps: the first half of whitehouse_fits in Coq."""
    if epsilon is not now.epsilon:
        raise now.run.stuck("a sum at another epsilon")
    asked = WHITEHOUSE(books_of(spent).squares, value(part), now.odds.term)
    return decides(now, "whitehouse", asked)


@contract("filterproof.filters.advanced.advanced_fits")
def advanced_fits(now: Round, spent: Any, epsilon: Any, delta: Any) -> bool:
    """Decide the bound of Theorem 5.1: the last line of rogers_fits in Coq."""
    if epsilon is not now.epsilon:
        raise now.run.stuck("a sum at another epsilon")
    kept = books_of(spent)
    return decides(now, "rogers", ROGERS(kept.squares, kept.drifts, value(delta), now.odds.term))


@contract("filterproof.filters.advanced.below_one_over_e")
def below_one_over_e(now: Round, delta: Any) -> bool:
    """Decide delta < 1/e."""
    return decides(now, "below 1/e", value(delta) * EULER < 1)


@contract("filterproof.odometers.additive.surely")
def surely(now: Round, mechanism: Any, key: Any) -> Declared:
    """Return (odds, delta): a loss above log(odds) has probability delta at most."""
    if mechanism is not now.mechanism:
        raise now.run.stuck("what another mechanism can lose")
    return mechanism.declared  # type: ignore[no-any-return]


@contract("filterproof.odometers.realised.exposure")
def exposure(now: Round, law: Any, pair: Any) -> Any:
    """Return the probability under x of the outputs that x' cannot produce: exposed in Coq."""
    if law is not now.law:
        raise now.run.stuck("the exposure of another law")
    if now.opening:
        return Fraction(0)
    return now.number(f"exposure {pair[0]}{pair[1]}", low=0, high=1)


@contract("filterproof.odometers.renyi.root_up")
def root_up(now: Round, number: Any, degree: Any) -> Any:
    """Return odds >= 1 whose power of this degree is at least the number."""
    made = now.number(f"root {value(degree)}", low=1)
    now.run.assume(POWER(made.term, value(degree)) >= value(number))
    return made


def trusted_words(paths: Iterable[str]) -> str:
    """Return the names of trusted functions, short.

    >>> trusted_words({"filterproof.privacy.risk", "filterproof.filters.rdp.within"})
    'risk, within'
    """
    own = (path for path in paths if not path.startswith(__name__))
    return ", ".join(sorted(path.rpartition(".")[2] for path in own))
