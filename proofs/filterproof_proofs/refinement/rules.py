"""Rules that have a theorem: what each counts, and where it lets a round run.

A theorem in `proofs/coq` of the form *every filter that runs a round only where the rule allows it
is private* turns a statement about code into one about privacy.  A rule here is that
hypothesis as data: *ghosts*, numbers that the prover keeps beside the run (the sum of the epsilons
that ran), and for each ghost the budget that it must not exceed.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import reduce
from operator import mul
from types import MappingProxyType
from typing import Any


@dataclass(frozen=True)
class Ghost:
    """One thing that a rule counts: the total of a cost over the rounds that ran, and its limit.

    `cost` and `limit` name a number of the request and one of the budget; `power` is the power of
    both that is counted; a ghost that `multiplies` starts at 1 and is a product.
    """

    name: str
    cost: str
    limit: str
    words: str
    power: int = 1
    multiplies: bool = False

    @property
    def first(self) -> int:
        """The total before the first round."""
        return 1 if self.multiplies else 0

    def after(self, total: Any, request: Mapping[str, Any]) -> Any:
        """Return the total with one more round."""
        cost = self._power(request[self.cost])
        return total * cost if self.multiplies else total + cost

    def most(self, budget: Mapping[str, Any]) -> Any:
        """Return what the total must not exceed."""
        return self._power(budget[self.limit])

    def _power(self, number: Any) -> Any:
        """Return a power as a product, which the solver tells from no other one."""
        return reduce(mul, [number] * self.power)


@dataclass(frozen=True)
class Rule:
    """A rule with a theorem: a round runs only where every ghost stays within its limit."""

    name: str
    currency: str
    theorems: tuple[str, ...]
    ghosts: tuple[Ghost, ...]
    promise: str
    title: str = ""
    """What it is called where `name` tells currencies apart."""

    @property
    def costs(self) -> tuple[str, ...]:
        """The numbers of a request."""
        return tuple(dict.fromkeys(ghost.cost for ghost in self.ghosts if ghost.cost != "one"))

    @property
    def limits(self) -> tuple[str, ...]:
        """The numbers of the budget."""
        return tuple(dict.fromkeys(ghost.limit for ghost in self.ghosts))


_DELTAS = Ghost("D", "delta", "delta", "the sum of the deltas that ran")
_EPSILONS = Ghost("E", "epsilon", "epsilon", "the sum of the epsilons that ran")

RULES: Mapping[str, Rule] = MappingProxyType(
    {
        rule.name: rule
        for rule in (
            Rule(
                "additive",
                "approx",
                ("additive_private",),
                (_EPSILONS, _DELTAS),
                "(epsilon, delta)-DP",
            ),
            Rule(
                "pure", "pure", ("additive_private",), (_EPSILONS,), "(epsilon, 0)-DP", "additive"
            ),
            Rule(
                "odds",
                "declared",
                ("additive_private",),
                (
                    Ghost("P", "odds", "odds", "the product of the odds that ran", multiplies=True),
                    _DELTAS,
                ),
                "(epsilon, delta)-DP",
                "additive",
            ),
            Rule(
                "zcdp",
                "zcdp",
                ("zcdp_private",),
                (Ghost("Z", "rho", "rho", "the sum of the rhos that ran"),),
                "rho-zCDP, that is (epsilon, delta)-DP by Renyi's conversion at any order",
            ),
            Rule(
                "renyi",
                "rdp",
                ("rdp_mironov_private",),
                (Ghost("A", "rdp", "rdp", "the sum of the Renyi divergences that ran"),),
                "Renyi-DP at the order, that is (epsilon, delta)-DP by its conversion",
            ),
            Rule(
                "gaussian",
                "gdp",
                ("gdp_private",),
                (Ghost("G", "mu", "mu", "the sum of the squares of the mus that ran", power=2),),
                "mu-GDP, that is every (epsilon, delta) of its curve",
            ),
            Rule(
                "rounds",
                "count",
                ("naive_over_n_private",),
                (Ghost("N", "one", "count", "the number of rounds that ran"),),
                "at most `count` rounds; private if each round's tail is at most delta / count",
            ),
        )
    }
)
"""The rules by name.  `odds` is `additive` for filters, whose epsilon is carried as odds."""

ALIASES: Mapping[tuple[str, str], str] = MappingProxyType(
    {("additive", "pure"): "pure", ("additive", "declared"): "odds", ("pure", "approx"): "additive"}
)
"""The rule that a name of `--by` means for a currency: additive is one rule in three currencies."""


class NoRule(ValueError):
    """No rule of that name speaks of what the object counts."""


def rules_for(currency: str, by: str = "") -> tuple[Rule, ...]:
    """Return the rules that fit a currency, or the one that is asked for.

    >>> rules_for("zcdp")[0].name, rules_for("pure", "additive")[0].name
    ('zcdp', 'pure')
    >>> rules_for("zcdp", "gaussian")
    Traceback (most recent call last):
    filterproof_proofs.refinement.rules.NoRule: the rule 'gaussian' counts gdp; the code counts zcdp
    """
    fitting = tuple(rule for rule in RULES.values() if rule.currency == currency)
    if not by:
        return fitting
    wanted = RULES.get(ALIASES.get((by, currency), by))
    if wanted is None:
        raise NoRule(f"no rule {by!r}; there are {', '.join(RULES)}")
    if wanted not in fitting:
        raise NoRule(f"the rule {by!r} counts {wanted.currency}; the code counts {currency}")
    return (wanted,)
