"""The filter of my_filter.py, fixed: both sums are kept in the state."""

from fractions import Fraction

from filterproof.exact import exceeds


class MyFilter:
    """Runs a mechanism if both its epsilon and its delta still fit."""

    def __init__(self, epsilon, delta):
        self.epsilon, self.delta = epsilon, delta

    def start(self):
        """Return what is spent before the first request: odds 1 = e^0, delta 0."""
        return Fraction(1), Fraction(0)

    def decide(self, spent, step):
        """Answer one request before its output is drawn."""
        odds, delta = step.mechanism.declared
        total = spent[0] * odds, spent[1] + delta
        if exceeds(total[0], Fraction(1), self.epsilon) or total[1] > self.delta:
            return "halt", spent
        return "continue", total
