"""Games for a filter that looks ahead: it judges a round by all that may follow it.

So its games offer one request a round, or one per symbol that was drawn, and a strength is found by
playing: a plot is a game with a strength, turned down until the filter lets something through.
"""

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import islice

from filterproof.game import Mechanism
from filterproof.game.rows import REVEAL, SILENT, Rows, lottery
from filterproof_properties.games.families import (
    ASK,
    BASIC,
    Menu,
    Strength,
    chain_rounds,
    chance,
    first_rounds,
)
from filterproof_properties.games.strengths import STEPS, TOP, strength_at
from filterproof_properties.search.menu_builder import MenuBuilder, Tries

Plot = Callable[[Strength], Menu]
GUESSES, CHAINS = (3, 8, 2, 20), (6, 2, 20)
"""How many symbols can be guessed; how often a rare one may open the last round."""


class LookAheadBuilder(MenuBuilder):
    """Builds the games for a filter that looks ahead."""

    def one_round(self) -> Tries:
        """One round of each family; then draws after which a request may name what was drawn."""
        for name in self.names():
            yield from self.sharpen(name, self.plot_of(name))
        for k in GUESSES:
            yield from self.sharpen(f"guess one of {k}", partial(self.guess, k=k))
        for n in CHAINS:
            yield from self.sharpen(f"{n} rare chances", partial(self.chain, n=n))

    def equal_rounds(self, lengths: Iterable[int]) -> Tries:
        """Equal rounds along the first output, or along the last."""
        for n in lengths:
            for name in self.names():
                for side in (0, -1):
                    plot = self.equal_plot(name, n, side)
                    yield from self.sharpen(f"{n} x {name}", plot)

    def two_rounds(self, some: slice) -> Tries:
        """A first round, then one family after all of its outputs."""
        rounds = first_rounds(self.epsilon, self.delta)
        for first, rows in islice(rounds, some.start, some.stop):
            for name in self.names():
                yield from self.sharpen(f"{first}, then {name}", self.plot_of(name, rows))

    def names(self) -> Iterator[str]:
        """Yield the families that are tried."""
        return (name for name in BASIC if name in self.families)

    def sharpen(self, name: str, plot: Plot) -> Tries:
        """Turn a plot down until the filter lets something through, then up to the cliff."""
        low, high, best = -1, TOP, None
        for place in (TOP, *range(TOP - 4 * STEPS, 0, -4 * STEPS)):
            found = yield self.case(name, plot(strength_at(place)))
            if found is not None and found.reaches_something:
                low, best = place, found
                break
            high = place
        while best is not None and low < high - 1:
            middle = (low + high) // 2
            found = yield self.case(name, plot(strength_at(middle)))
            if found is not None and found.beats(best):
                low, best = middle, found
                self.keep_best(best)
            else:
                high = middle

    def plot_of(self, name: str, first: Rows | None = None) -> Plot:
        """Return the plot of a family, alone or after a first round."""

        def plot(strength: Strength) -> Menu:
            menu = {name: self.context.build(self.families[name], strength)}
            if first is None:
                return menu
            law = self.context.mechanism(first).law
            return {ASK: Mechanism(law, dict.fromkeys(law, menu))}

        return plot

    def equal_plot(self, name: str, n: int, side: int) -> Plot:
        """Return the plot of n equal rounds along one output."""

        def plot(strength: Strength) -> Menu:
            one = self.context.build(self.families[name], strength)
            return chain_rounds([(one, [*one.law][side], ASK)] * (n - 1), {ASK: one})

        return plot

    def guess(self, strength: Strength, k: int) -> Menu:
        """Draw one of k symbols, or none; a request that names what was drawn reveals x."""
        p = chance(strength) / k
        draw = self.context.mechanism(lottery([*[p] * k, 1 - k * p]))
        hit, miss = self.context.mechanism(REVEAL), self.context.mechanism(SILENT)
        names = [*draw.law][:k]
        after = {y: {name: hit if name == y else miss for name in names} for y in draw.law}
        return {ASK: Mechanism(draw.law, after)}

    def chain(self, strength: Strength, n: int) -> Menu:
        """A rare symbol lets x be revealed; else there is another draw, n times in all."""
        p = chance(strength)
        draw, menu = self.context.mechanism(lottery([p, 1 - p])), Menu()
        for _ in range(n):
            symbol, other = draw.law
            after = {symbol: {ASK: self.context.mechanism(REVEAL)}, other: menu}
            menu = {ASK: Mechanism(draw.law, after)}
        return menu
