"""What the adapters show, as games: each finding is played again on the real library.

`python -m conformance.replay [NAME ...]` replays them.  `size` keeps an
excess in the last places of a double apart from a real one.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import ClassVar

from filterproof.certificate import certify
from filterproof.exact import Epsilon, Log, exp_enclosure
from filterproof.game import Game, Mechanism
from filterproof.game.law import Declared
from filterproof.palette import erasure, game, repeated, response, table
from filterproof.witness import WorstCase, worst_case
from filterproof_properties.adapters import info_of, load
from filterproof_properties.adapters.support.ledger import FAILS

ZERO, HALF = Fraction(0), Fraction(1, 2)


@dataclass(frozen=True)
class Finding:
    """A budget, and how to make the game on which an adapter exceeds it."""

    name: str
    adapter: str
    epsilon: Epsilon
    delta: Fraction
    make: Callable[[], Game] = field(repr=False)
    size: str
    says: str

    measure: ClassVar[str] = "H"

    @property
    def file(self) -> str:
        """Where its certificate lies under docs/certificates."""
        return f"{self.name}.json"

    def played(self) -> tuple[Game, WorstCase]:
        """Return the game and the worst case of the real library on it."""
        rule = load(self.adapter)(self.epsilon, self.delta)
        made = self.make()
        return made, worst_case(rule, made, self.epsilon)

    def certificate_of(self, made: Game, worst: WorstCase) -> str:
        """Return the certificate of a play; NotCertifiable if the library keeps the budget."""
        return certify(self.adapter, {}, made, self.epsilon, self.delta, worst)

    def certificate(self) -> str:
        """Play it and return the certificate."""
        return self.certificate_of(*self.played())


# --- games ------------------------------------------------------------------------------------


def two_kinds() -> Game:
    """Rare hints; then three even responses after the one at "0", a rare large loss elsewhere.

    As the search found it, every branch as full as the library allows.
    """
    even = repeated(response(Fraction(2895, 4096)), 3)
    loud, faint = Fraction(8200811, 819200000), Fraction(811, 819200000)
    large = table({"0": (loud, faint), "1": (faint, loud), "other": (1 - loud - faint,) * 2})
    first = {"0": (Fraction(1, 10), Fraction(1, 20)), "1": (Fraction(1, 20), Fraction(1, 10))}
    after = {"0": {"ask": even}, "1": {"ask": large}, "?": {"ask": large}}
    return game(table({**first, "?": (Fraction(17, 20),) * 2}, after))


def two_orders() -> Game:
    """A weak response; then an even one on the branch of "0", and a rare large loss on the other.

    As the search found it, every branch as full as the library allows.
    """
    loud, faint = Fraction(26305, 262144), Fraction(1857, 262144)
    large = table({"0": (loud, faint), "1": (faint, loud), "other": (1 - loud - faint,) * 2})
    after = {"0": {"ask": response(Fraction(3641, 4096))}, "1": {"ask": large}}
    return game(response(Fraction(21, 40), after))


def just_below(epsilon: float) -> Mechanism:
    """Return randomised response whose ε is just below this double, by less than 2^-100."""
    low = exp_enclosure(Fraction(epsilon), 128)[0]
    odds = Fraction(low.numerator * 2**110 // low.denominator, 2**110)
    return response(odds / (1 + odds))


def absorbed_sum() -> Game:
    """0.5 + 2^-53 and then 0.5: as doubles they add up to 1, exactly to more."""
    second = {"ask": just_below(0.5)}
    first = just_below(0.5 + 2.0**-53)
    return game(Mechanism(first.law, dict.fromkeys(first.law, second)))


def ten_tenths() -> Game:
    """Ten responses whose ε is just below the double 0.1, which is more than 1/10."""
    return game(repeated(just_below(0.1), 10))


def absorbed_delta() -> Game:
    """erasure(1/2), which is all of δ, and then eight times erasure(1e-17)."""
    menu = {"ask": erasure(Fraction(1, 10**17))}
    for _ in range(7):
        menu = {"ask": erasure(Fraction(1, 10**17), {"?": menu})}
    return game(erasure(HALF, {"?": menu}))


def failing_twice() -> Game:
    """RR(3/4) that says "1" by raising an exception, asked twice."""
    law = table({"0": (Fraction(3, 4), Fraction(1, 4)), FAILS: (Fraction(1, 4), Fraction(3, 4))})
    again = {"ask": law}
    return game(Mechanism(law.law, dict.fromkeys(law.law, again)))


def failing(rounds: int) -> Game:
    """A weak response that says "1" by raising, round after round until it answers."""
    law = table({"0": (Fraction(2, 5), Fraction(3, 5)), FAILS: (Fraction(3, 5), Fraction(2, 5))})
    menu = {"ask": law}
    for _ in range(rounds - 1):
        menu = {"ask": Mechanism(law.law, {FAILS: menu})}
    return game(menu)


def erasures(rounds: int) -> Game:
    """erasure(1/10), declared at odds 11/10, round after round until x is revealed."""
    law, stated = erasure(Fraction(1, 10)).law, Declared(Fraction(11, 10), Fraction(1, 10))
    menu = {"ask": Mechanism(law, {}, stated)}
    for _ in range(rounds - 1):
        menu = {"ask": Mechanism(law, {"?": menu}, stated)}
    return game(menu)


def interrupted(rounds: int) -> Game:
    """The same response in every round, and on the side another one that may be tried first."""
    menu: dict[str, Mechanism] = {}
    for _ in range(rounds):
        same = response(Fraction(3, 5), {"0": menu, "1": menu} if menu else {})
        menu = {"same": same, "other": response(Fraction(11, 20))}
    return game(menu)


def twice_the_budget() -> Game:
    """One response with odds 1 + 10^-13."""
    odds = 1 + Fraction(1, 10**13)
    return game(response(odds / (1 + odds)))


FINDINGS = (
    Finding(
        "dp-accounting-pld-as-filter",
        "dp-accounting-pld",
        Fraction(3),
        Fraction(1, 100),
        two_kinds,
        "real",
        "each branch fits the budget; choosing between branches does not",
    ),
    Finding(
        "dp-accounting-rdp-as-filter",
        "dp-accounting-rdp",
        Log(Fraction(8)),
        Fraction(1, 20),
        two_orders,
        "real",
        "each branch is accepted for the sake of another Renyi order, picked after the fact",
    ),
    Finding(
        "dp-accounting-rdp-replace-one",
        "dp-accounting-rdp-gaussian",
        Fraction(3, 2),
        Fraction(3, 10),
        lambda: game(response(Fraction(9, 10))),
        "real",
        "a Gaussian event costs the same whether a record is added or replaced",
    ),
    Finding(
        "diffprivlib-absorbed-epsilon",
        "diffprivlib",
        Fraction(1),
        ZERO,
        absorbed_sum,
        "float",
        "two doubles whose exact sum is above 1 are granted, because their rounded sum is 1",
    ),
    Finding(
        "diffprivlib-absorbed-delta",
        "diffprivlib",
        Fraction(1),
        HALF,
        absorbed_delta,
        "float",
        "with all of delta spent, eight more spends of delta = 1e-17 are granted",
    ),
    Finding(
        "opendp-failure-not-charged",
        "opendp",
        Fraction(11, 10),
        ZERO,
        failing_twice,
        "real",
        "a measurement that raises after touching the data is not charged",
    ),
    Finding(
        "opendp-context-failure-not-charged",
        "opendp-context",
        Fraction(11, 10),
        ZERO,
        failing_twice,
        "real",
        "a query of a context that raises after touching the data is not charged",
    ),
    Finding(
        "opendp-zcdp-failure-not-charged",
        "opendp-zcdp",
        Fraction(1),
        Fraction(1, 50),
        lambda: failing(4),
        "real",
        "a measurement that raises after touching the data is not charged in zCDP",
    ),
    Finding(
        "opendp-approximate-zcdp-failure-not-charged",
        "opendp-approximate-zcdp",
        Fraction(1),
        Fraction(1, 50),
        lambda: failing(4),
        "real",
        "a measurement that raises after touching the data is not charged in approximate zCDP",
    ),
    Finding(
        "diffprivlib-failure-not-charged",
        "diffprivlib",
        Fraction(11, 10),
        ZERO,
        failing_twice,
        "real",
        "check, run, spend: a run that raises is not charged",
    ),
    Finding(
        "smartnoise-odometer-under-reports",
        "smartnoise",
        Fraction(3),
        Fraction(3, 10),
        lambda: erasures(25),
        "real",
        "the reported delta falls again after its peak, while the true one goes to 1",
    ),
    Finding(
        "opacus-forgets-after-refusal",
        "opacus",
        Fraction(103, 100),
        Fraction(1, 100),
        lambda: interrupted(5),
        "real",
        "a refused step with another noise multiplier empties the history",
    ),
    Finding(
        "tmlt-logarithms-near-zero",
        "tmlt",
        Log(1 + Fraction(1, 2 * 10**13)),
        ZERO,
        twice_the_budget,
        "float",
        "two logarithms that differ by 5e-14 compare as equal, so twice the budget is granted",
    ),
    Finding(
        "flower-replace-one",
        "flower-replace-one",
        Fraction(1),
        Fraction(1, 5),
        lambda: game(response(Fraction(41, 50))),
        "real",
        "a release costs the same whether a client is added or replaced, as in dp-accounting",
    ),
    Finding(
        "openmed-absorbed-epsilon",
        "openmed-aggregates",
        Fraction(1),
        ZERO,
        absorbed_sum,
        "float",
        "two doubles whose exact sum is above 1 are granted, because their rounded sum is 1",
    ),
    Finding(
        "jax-privacy-tolerance",
        "jax-privacy",
        Fraction(1, 100),
        Fraction(1, 1000),
        lambda: game(response(Fraction(64, 125))),
        "real",
        "a noise multiplier whose epsilon is up to 0.1 above the budget is accepted",
    ),
    Finding(
        "diffpriv-pure-absorbed-epsilon",
        "diffpriv-pure",
        Fraction(1),
        ZERO,
        absorbed_sum,
        "float",
        "two doubles whose exact sum is above 1 are granted, because their rounded sum is 1",
    ),
    Finding(
        "lomas-failure-not-charged",
        "lomas",
        Fraction(11, 10),
        ZERO,
        failing_twice,
        "real",
        "a query is charged after it has run: one that raises is not charged",
    ),
    Finding(
        "lomas-ten-tenths",
        "lomas",
        Fraction(1),
        ZERO,
        ten_tenths,
        "float",
        "ten times 0.1 is granted, because the sum of the doubles is rounded down on the way",
    ),
)


def finding_of(name: str, among: Iterable[Finding] = FINDINGS) -> Finding:
    """Return the finding of that name."""
    known = {finding.name: finding for finding in among}
    if name not in known:
        raise KeyError(f"no finding {name!r}; there are {', '.join(known)}")
    return known[name]


def summary(finding: Finding, worst: WorstCase) -> str:
    """Return one line: on which version, what was exceeded, and by how much."""
    info = info_of(finding.adapter)
    exceeded = f"{finding.measure} = {float(worst.value):.6g}, delta = {float(finding.delta):.6g}"
    over = float(worst.value - finding.delta)
    return f"{finding.name}: {info.library} {info.version}: {exceeded}, excess {over:.3g}"
