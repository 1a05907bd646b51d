"""Individual filters as games: everybody has a budget, and whoever has used it up is left out.

Such a filter does not stop anybody's questions.  It answers each on the people who still take
part, so it is a *mechanism*: its law under a data set S is that of the query on the active people
of S.  This compiles it into a game whose databases are all sets of people, neighbours differ in
one person, and every round runs; the exact adversary then says what the whole promises.

A query asks whether at least t people of a group are there, and is answered by randomised
response of odds e^c.  A person may pay for so many queries (one unless said otherwise), and a pair
of data sets that differ in this person is promised (ε, 0) with ε the sum of them.  What differs
between two filters is what a person pays for a query:

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

import re
from collections.abc import Callable, Mapping
from fractions import Fraction
from itertools import combinations
from types import MappingProxyType
from typing import NamedTuple

from filterproof.exact import Log
from filterproof.game.game import Game, Mechanism, Request
from filterproof.game.law import Database, Law
from filterproof.game.promises import Promise

Person = int
People = frozenset[Person]
Spent = Mapping[People, Mapping[Person, int]]
"""For each data set what each of its people has paid so far, in units of c."""
Budgets = Mapping[Person, int]
"""For how many queries a person may pay."""
Pays = Callable[["Query", Person, People], bool]
"""Whether a person of a data set pays for a query."""

_QUERY = re.compile(r"at least ([0-9]+) of (\{[0-9,]*\})")
_PEOPLE = re.compile(r"\{([0-9]+(,[0-9]+)*)?\}")


class Query(NamedTuple):
    """Whether at least `least` people of a group are among the active ones."""

    group: People
    least: int

    def true(self, active: People) -> bool:
        """Return the answer on a set of people."""
        return len(active & self.group) >= self.least

    def __str__(self) -> str:
        return f"at least {self.least} of {database_name(self.group)}"


ONE_QUERY_EACH: Budgets = MappingProxyType({1: 1, 2: 1, 3: 1})


def by_supremum(query: Query, person: Person, people: People) -> bool:
    """Whether some data set has another answer without the person."""
    return person in query.group


def by_actual_data(query: Query, person: Person, people: People) -> bool:
    """Whether this data set has another answer without the person."""
    return query.true(people) != query.true(people - {person})


def individual_game(
    pays: Pays, odds: Fraction, rounds: int, budgets: Budgets = ONE_QUERY_EACH
) -> Game:
    """Return the game of an individual filter: every threshold query in every round.

    Where budgets differ, pairs of data sets have promises of their own.
    """
    everyone, population = tuple(sorted(budgets)), len(budgets)
    sets = [
        frozenset(one) for size in range(population + 1) for one in combinations(everyone, size)
    ]
    queries = [Query(one, least) for one in sets for least in range(1, len(one) + 1)]
    truth = odds / (1 + odds)
    known: dict[object, dict[str, Mechanism]] = {}

    def menu(spent: Spent, left: int) -> dict[str, Mechanism]:
        key = left, tuple((database_name(people), tuple(spent[people].values())) for people in sets)
        if left and key not in known:
            known[key] = {str(query): asked(query, spent, left) for query in queries}
        return known[key] if left else {}

    def asked(query: Query, spent: Spent, left: int) -> Mechanism:
        active = {s: taking_part(query, s, spent[s], pays, budgets) for s in sets}
        after = {s: charge_all(query, s, spent[s], active[s], pays) for s in sets}
        law = response({database_name(s): query.true(active[s]) for s in sets}, truth)
        later = menu(after, left - 1)
        return Mechanism(law, dict.fromkeys(law, later) if later else {})

    nothing = {people: dict.fromkeys(people, 0) for people in sets}
    apart = {
        (database_name(s), database_name(s | {i})): i for s in sets for i in everyone if i not in s
    }
    promises = {
        pair: Promise(Log(odds ** budgets[one]), Fraction(0))
        for (x, x_), one in apart.items()
        for pair in ((x, x_), (x_, x))
    }
    own = promises if len(set(budgets.values())) > 1 else {}
    return Game([database_name(s) for s in sets], apart, menu(nothing, rounds), own)


def taking_part(
    query: Query, people: People, spent: Mapping[Person, int], pays: Pays, budgets: Budgets
) -> People:
    """Return the people whose budget covers what they would pay for this query."""
    cost = {one: int(pays(query, one, people)) for one in people}
    return frozenset(one for one in people if spent[one] + cost[one] <= budgets[one])


def charge_all(
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


def database_name(people: People) -> Database:
    """Return a set of people as a database's name."""
    return "{" + ",".join(map(str, sorted(people))) + "}"


def people_of(database: Database) -> People | None:
    """Return the set of people that a database's name says; None if it says none."""
    if not _PEOPLE.fullmatch(database):
        return None
    return frozenset(int(one) for one in database[1:-1].split(",") if one)


def query_of(request: Request) -> Query | None:
    """Return the query that a request's name says; None if it says none."""
    found = _QUERY.fullmatch(request)
    group = people_of(found[2]) if found else None
    return Query(group, int(found[1])) if found and group is not None else None
