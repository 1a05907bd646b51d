"""Games for a filter that looks ahead: it judges a round by all that may follow it.

So its games offer one request a round, or one per symbol that was drawn, and a level is found by
playing: a plot is a game with a level, turned down until the filter lets something through.
"""

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import islice

from filterproof.game import Mechanism
from filterproof.game.rows import REVEAL, SILENT, Rows, lottery
from filterproof_properties.games.shapes import (
    ASK,
    BASIC,
    Level,
    Menu,
    chained,
    chance,
    first_rounds,
)
from filterproof_properties.search.filling import STEPS, TOP, level_at
from filterproof_properties.search.table import Table, Tries

Plot = Callable[[Level], Menu]
GUESSES, CHAINS = (3, 8, 2, 20), (6, 2, 20)
"""How many symbols can be guessed; how often a rare one may open the last round."""


class AheadTable(Table):
    """The moves at the table of a filter that looks ahead."""

    def singles(self) -> Tries:
        """One round of each shape; then draws after which a request may name what was drawn."""
        for name in self.names():
            yield from self.sharpest(name, self.staged(name))
        for k in GUESSES:
            yield from self.sharpest(f"guess one of {k}", partial(self.guess, k=k))
        for n in CHAINS:
            yield from self.sharpest(f"{n} rare chances", partial(self.chain, n=n))

    def marches(self) -> Tries:
        """Nothing: what follows is judged at once."""
        yield from ()

    waits = marches

    def reopened(self, most: int) -> Tries:
        """Nothing, for the same reason."""
        yield from ()

    def runs(self, lengths: Iterable[int]) -> Tries:
        """Equal rounds along the first output, or along the last."""
        for n in lengths:
            for name in self.names():
                for side in (0, -1):
                    plot = self.equal(name, n, side)
                    yield from self.sharpest(f"{n} x {name}", plot)

    def seconds(self, some: slice) -> Tries:
        """A first round, then one shape after all of its outputs."""
        rounds = first_rounds(self.epsilon, self.delta)
        for first, rows in islice(rounds, some.start, some.stop):
            for name in self.names():
                yield from self.sharpest(f"{first}, then {name}", self.staged(name, rows))

    def names(self) -> Iterator[str]:
        """Yield the shapes that are tried."""
        return (name for name in BASIC if name in self.shapes)

    def sharpest(self, name: str, plot: Plot) -> Tries:
        """Turn a plot down until the filter lets something through, then up to the cliff."""
        low, high, best = -1, TOP, None
        for place in (TOP, *range(TOP - 4 * STEPS, 0, -4 * STEPS)):
            found = yield self.case(name, plot(level_at(place)))
            if found is not None and found.reaches_something:
                low, best = place, found
                break
            high = place
        while best is not None and low < high - 1:
            middle = (low + high) // 2
            found = yield self.case(name, plot(level_at(middle)))
            if found is not None and found.beats(best):
                low, best = middle, found
                self.keep(best)
            else:
                high = middle

    def staged(self, name: str, first: Rows | None = None) -> Plot:
        """Return the plot of a shape, alone or after a first round."""

        def plot(level: Level) -> Menu:
            menu = {name: self.scene.staged(self.shapes[name], level)}
            if first is None:
                return menu
            law = self.scene.mechanism(first).law
            return {ASK: Mechanism(law, dict.fromkeys(law, menu))}

        return plot

    def equal(self, name: str, n: int, side: int) -> Plot:
        """Return the plot of n equal rounds along one output."""

        def plot(level: Level) -> Menu:
            one = self.scene.staged(self.shapes[name], level)
            return chained([(one, [*one.law][side])] * (n - 1), {ASK: one})

        return plot

    def guess(self, level: Level, k: int) -> Menu:
        """Draw one of k symbols, or none; a request that names what was drawn reveals x."""
        p = chance(level) / k
        draw = self.scene.mechanism(lottery([*[p] * k, 1 - k * p]))
        hit, miss = self.scene.mechanism(REVEAL), self.scene.mechanism(SILENT)
        names = [*draw.law][:k]
        after = {y: {name: hit if name == y else miss for name in names} for y in draw.law}
        return {ASK: Mechanism(draw.law, after)}

    def chain(self, level: Level, n: int) -> Menu:
        """A rare symbol lets x be revealed; else there is another draw, n times in all."""
        p = chance(level)
        draw, menu = self.scene.mechanism(lottery([p, 1 - p])), Menu()
        for _ in range(n):
            symbol, other = draw.law
            after = {symbol: {ASK: self.scene.mechanism(REVEAL)}, other: menu}
            menu = {ASK: Mechanism(draw.law, after)}
        return menu
