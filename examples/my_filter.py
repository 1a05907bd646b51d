"""A wrong filter: it adds up the epsilons and forgets to add up the deltas."""

from fractions import Fraction

from filterproof.exact import exceeds


class MyFilter:
    """Runs a mechanism if its epsilon still fits and its delta is not above the budget's."""

    def __init__(self, epsilon, delta):
        self.epsilon, self.delta = epsilon, delta

    def start(self):
        """Return what is spent before the first request: odds 1 = e^0."""
        return Fraction(1)

    def decide(self, spent, step):
        """Answer one request before its output is drawn."""
        odds, delta = step.mechanism.declared
        if exceeds(spent * odds, Fraction(1), self.epsilon) or delta > self.delta:
            return "halt", spent
        return "continue", spent * odds
