"""A privacy filter to run: the compensator filter for real mechanisms.

Declare which databases the data could be, then release through the filter.  `docs/RUNTIME.md`
says what it promises, what it assumes and why it is never shown the data.
"""

from filterproof.runtime.account import UndeclaredOutput
from filterproof.runtime.additive import Additive, Bounded, Pure
from filterproof.runtime.compensator import (
    BudgetError,
    BudgetExceeded,
    CompensatorFilter,
    FilterMisuse,
    Quote,
)
from filterproof.runtime.domain import Domain, DomainError
from filterproof.runtime.mechanism import Mechanism, MechanismError
from filterproof.runtime.noise import DiscreteGaussian, Gaussian, Geometric, Laplace, Noise
from filterproof.runtime.store import StoreError
from filterproof.runtime.table import Table, randomised_response

__all__ = [
    "Additive",
    "Bounded",
    "BudgetError",
    "BudgetExceeded",
    "CompensatorFilter",
    "DiscreteGaussian",
    "Domain",
    "DomainError",
    "FilterMisuse",
    "Gaussian",
    "Geometric",
    "Laplace",
    "Mechanism",
    "MechanismError",
    "Noise",
    "Pure",
    "Quote",
    "StoreError",
    "Table",
    "UndeclaredOutput",
    "randomised_response",
]
