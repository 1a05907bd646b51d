"""Individual filters: everybody has a budget, and whoever has used it up is left out.

Such a filter does not stop questions; it runs each on the people who still take part.  Here it is a
filter of threshold queries (`game.individual`): it keeps, for every data set, what each of its
people has paid, and lets a mechanism run iff it is the query on the people who can still pay,
answered by response of the agreed odds.  Anything else halts, and so does a game in which
neighbours differ in more than one person.  Charging by the supremum is the rule of Feldman and
Zrnic, here for pure budgets: whether a person pays depends on the queries alone, so a pair that
differs in this person can be told apart in the rounds for which the person paid and in no other.
Charging by the actual data is a *known-bad specimen*.
"""

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from fractions import Fraction
from typing import ClassVar

from filterproof.exact import Epsilon, exceeds
from filterproof.filter import Decision
from filterproof.filters.common import check_budget
from filterproof.game import Step
from filterproof.game.individual import (
    People,
    Person,
    Query,
    by_actual_data,
    by_supremum,
    charge_all,
    database_name,
    people_of,
    query_of,
    response,
    taking_part,
)

Paid = tuple[tuple[People, tuple[tuple[Person, int], ...]], ...]
"""What everybody has paid so far, for every data set."""


@dataclass(frozen=True)
class IndividualSupremum:
    """Answers on the people who can pay; a query costs whoever it may depend on (supremum)."""

    epsilon: Epsilon
    delta: Fraction
    _: KW_ONLY
    odds: Fraction = Fraction(2)

    markov: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_budget(self.epsilon, self.delta)

    def start(self) -> Paid:
        """Return that no data set is known yet; the opening round has their names."""
        return ()

    def decide(self, state: Paid, step: Step) -> tuple[Decision, Paid]:
        """Run M_i iff it is the query that is asked for, on the people who can still pay."""
        if step.index == 0:
            return self.open(step)
        query = query_of(step.request)
        spent = {people: dict(paid) for people, paid in state}
        if query is None or not spent:
            return Decision.HALT, state
        budgets = self.budgets(step)
        active = {s: taking_part(query, s, spent[s], self.pays, budgets) for s in spent}
        answers = {database_name(s): query.true(active[s]) for s in spent}
        if step.mechanism.law != response(answers, self.odds / (1 + self.odds)):
            return Decision.HALT, state
        return Decision.CONTINUE, self.after(query, spent, active)

    def open(self, step: Step) -> tuple[Decision, Paid]:
        """Begin if every database is a set of people, and pairs differ in one person."""
        sets = {x: people_of(x) for x in step.game.databases}
        people = {x: one for x, one in sets.items() if one is not None}
        if len(people) < len(sets):
            return Decision.HALT, ()
        if any(len(people[x] ^ people[x_]) != 1 for x, x_ in step.game.promises or step.game.pairs):
            return Decision.HALT, ()
        paid = ((s, tuple((i, 0) for i in sorted(s))) for s in people.values())
        return Decision.CONTINUE, tuple(paid)

    def pays(self, query: Query, person: Person, people: People) -> bool:
        """Whether some data set has another answer without the person."""
        return by_supremum(query, person, people)

    def after(
        self,
        query: Query,
        spent: Mapping[People, Mapping[Person, int]],
        active: Mapping[People, People],
    ) -> Paid:
        """Return what everybody has paid once the query is answered."""
        paid = {s: charge_all(query, s, spent[s], active[s], self.pays) for s in spent}
        return tuple((s, tuple(sorted(one.items()))) for s, one in paid.items())

    def budgets(self, step: Step) -> dict[Person, int]:
        """Return for how many queries each person may pay, by the smallest promise about them."""
        found: dict[Person, int] = {}
        for x, x_ in step.game.pairs:
            (one,) = (people_of(x) or NOBODY) ^ (people_of(x_) or NOBODY)
            epsilon = step.game.promise((x, x_), self.epsilon, self.delta).epsilon
            found[one] = min(found.get(one, LARGEST), self.queries(epsilon))
        everyone = {one for x in step.game.databases for one in people_of(x) or NOBODY}
        return {one: found.get(one, 0) for one in everyone}

    def queries(self, epsilon: Epsilon) -> int:
        """Return how many responses of the odds fit into ε."""
        count = 0
        while count < LARGEST and not exceeds(self.odds ** (count + 1), Fraction(1), epsilon):
            count += 1
        return count


NOBODY: People = frozenset()
LARGEST = 64
"""No person pays for more queries than that."""


@dataclass(frozen=True)
class IndividualActual(IndividualSupremum):
    """The same, but whoever does not change the answer *here* pays nothing: a known-bad specimen.

    Whether somebody pays then depends on the others, and what they pay later tells about these.
    """

    def pays(self, query: Query, person: Person, people: People) -> bool:
        """Whether the person changes the answer on this very data set."""
        return by_actual_data(query, person, people)
