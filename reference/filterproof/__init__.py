"""What a game, a filter and an adversary are: the exact reference.

>>> from fractions import Fraction
>>> from filterproof import Log, worst_case
>>> from filterproof.filters.naive import Naive
>>> from filterproof.palette import game, repeated, response
>>> twice = game(repeated(response(Fraction(2, 3)), 2))
>>> str(worst_case(Naive(Log(Fraction(2)), Fraction(0)), twice, Log(Fraction(2))).value)
'0'
"""

from filterproof.adversary import WorstCase
from filterproof.exact import ExpLinear, Log
from filterproof.fast import worst_case, worst_tail
from filterproof.filter import Decision, Filter, ProtocolError
from filterproof.game import Game, Mechanism, Menu, Step
from filterproof.game.law import Declared

__all__ = [
    "Decision",
    "Declared",
    "ExpLinear",
    "Filter",
    "Game",
    "Log",
    "Mechanism",
    "Menu",
    "ProtocolError",
    "Step",
    "WorstCase",
    "worst_case",
    "worst_tail",
]
