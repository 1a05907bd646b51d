"""Individual filters as games: everybody has a budget, and whoever has used it up is left out.

Such a filter does not stop anybody's questions.  It answers each on the people who still take
part, so it is a *mechanism*: its law under a data set S is that of the query on the active people
of S.  This compiles it into a game whose databases are all sets of people, neighbours differ in
one person, and every round runs; the exact adversary then says what the whole promises.

A query asks whether at least t people of a group are there, and is answered by randomised
response of odds e^c.  What differs between two filters is what a person pays for a query:

* `by_supremum`: c if the query may depend on the person at all (Feldman and Zrnic);
* `by_actual_data`: c if leaving the person out would change the answer *here*, else nothing.
  Whether somebody pays then depends on the others, and what they pay later tells about these.

>>> from filterproof.exact import Log
>>> from filterproof.fast import worst_case
>>> from filterproof.filters.run_all import RunAll
>>> odds = Fraction(2)
>>> [str(worst_case(RunAll(), individual_game(pays, odds, rounds=2), Log(odds)).value)
...  for pays in (by_supremum, by_actual_data)]
['0', '2/9']
"""

from collections.abc import Callable, Mapping
from fractions import Fraction
from itertools import combinations
from typing import NamedTuple

from filterproof.game import Game, Mechanism
from filterproof.game.law import Database, Law

Person = int
People = frozenset[Person]
Spent = Mapping[People, Mapping[Person, int]]
"""For each data set what each of its people has paid so far, in units of c."""
BUDGET = 1
"""What a person may pay in all, in units of c: one query, so that ε = c."""


class Query(NamedTuple):
    """Whether at least `least` people of a group are among the active ones."""

    group: People
    least: int

    def true(self, active: People) -> bool:
        """Return the answer on a set of people."""
        return len(active & self.group) >= self.least

    def __str__(self) -> str:
        return f"at least {self.least} of {named(self.group)}"


Pays = Callable[[Query, Person, People], bool]
"""Whether a person of a data set pays for a query."""


def by_supremum(query: Query, person: Person, people: People) -> bool:
    """Whether some data set has another answer without the person."""
    return person in query.group


def by_actual_data(query: Query, person: Person, people: People) -> bool:
    """Whether this data set has another answer without the person."""
    return query.true(people) != query.true(people - {person})


def individual_game(pays: Pays, odds: Fraction, rounds: int, population: int = 3) -> Game:
    """Return the game of an individual filter: every threshold query in every round."""
    everyone = tuple(range(1, population + 1))
    sets = [
        frozenset(one) for size in range(population + 1) for one in combinations(everyone, size)
    ]
    queries = [Query(one, least) for one in sets for least in range(1, len(one) + 1)]
    truth = odds / (1 + odds)
    known: dict[object, dict[str, Mechanism]] = {}

    def menu(spent: Spent, left: int) -> dict[str, Mechanism]:
        key = left, tuple((named(people), tuple(spent[people].values())) for people in sets)
        if left and key not in known:
            known[key] = {str(query): asked(query, spent, left) for query in queries}
        return known[key] if left else {}

    def asked(query: Query, spent: Spent, left: int) -> Mechanism:
        active = {people: taking_part(query, people, spent[people], pays) for people in sets}
        after = {s: charged(query, s, spent[s], active[s], pays) for s in sets}
        law = response({named(s): query.true(active[s]) for s in sets}, truth)
        later = menu(after, left - 1)
        return Mechanism(law, dict.fromkeys(law, later) if later else {})

    nothing = {people: dict.fromkeys(people, 0) for people in sets}
    pairs = [(named(s), named(s | {one})) for s in sets for one in everyone if one not in s]
    return Game([named(s) for s in sets], pairs, menu(nothing, rounds))


def taking_part(query: Query, people: People, spent: Mapping[Person, int], pays: Pays) -> People:
    """Return the people whose budget covers what they would pay for this query."""
    cost = {one: int(pays(query, one, people)) for one in people}
    return frozenset(one for one in people if spent[one] + cost[one] <= BUDGET)


def charged(
    query: Query, people: People, spent: Mapping[Person, int], active: People, pays: Pays
) -> dict[Person, int]:
    """Return what everybody has paid after the query; who is left out pays nothing."""
    return {
        one: spent[one] + int(one in active and pays(query, one, people)) for one in sorted(people)
    }


def response(answers: Mapping[Database, bool], truth: Fraction) -> Law:
    """Return randomised response of a bit that depends on the database."""
    return {
        "yes": {x: truth if answer else 1 - truth for x, answer in answers.items()},
        "no": {x: 1 - truth if answer else truth for x, answer in answers.items()},
    }


def named(people: People) -> str:
    """Return a set of people as a database's name."""
    return "{" + ",".join(map(str, sorted(people))) + "}"
