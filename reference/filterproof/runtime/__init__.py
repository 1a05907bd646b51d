"""A privacy filter to run: a floor of plain accounting, and the compensator on top of it.

Declare which databases the data could be, then release through the filter.  `docs/RUNTIME.md`
says what it promises, what it assumes and why it is never shown the data.
"""

from filterproof.runtime.account import UndeclaredOutput
from filterproof.runtime.added_noise import AddedNoise, Bounded, Pure
from filterproof.runtime.budget import BudgetError
from filterproof.runtime.compensator import BudgetExceeded, CompensatorFilter
from filterproof.runtime.domain import Domain, DomainError
from filterproof.runtime.finite import Table, randomised_response
from filterproof.runtime.integer_noise import DiscreteGaussian, Geometric
from filterproof.runtime.loops import KerasSteps, TrainerSteps
from filterproof.runtime.mechanism import Accountable, Cost, DescribedMechanism, MechanismError
from filterproof.runtime.misuse import FilterMisuse
from filterproof.runtime.noise import Gaussian, Laplace, Noise
from filterproof.runtime.plan import Plan, Quote
from filterproof.runtime.store import (
    FileStore,
    FileWitness,
    PostgresStore,
    SqliteStore,
    Store,
    StoreError,
    StoreWitness,
    Witness,
)
from filterproof.runtime.training import StepRefused, TrainingGuard, best_order

__all__ = [
    "Accountable",
    "AddedNoise",
    "Bounded",
    "BudgetError",
    "BudgetExceeded",
    "CompensatorFilter",
    "Cost",
    "DescribedMechanism",
    "DiscreteGaussian",
    "Domain",
    "DomainError",
    "FileStore",
    "FileWitness",
    "FilterMisuse",
    "Gaussian",
    "Geometric",
    "KerasSteps",
    "Laplace",
    "MechanismError",
    "Noise",
    "Plan",
    "PostgresStore",
    "Pure",
    "Quote",
    "SqliteStore",
    "StepRefused",
    "Store",
    "StoreError",
    "StoreWitness",
    "Table",
    "TrainerSteps",
    "TrainingGuard",
    "UndeclaredOutput",
    "Witness",
    "best_order",
    "randomised_response",
]
