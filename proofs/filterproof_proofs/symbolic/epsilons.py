"""An epsilon of which nothing is known, not even whether it is a rational number or a `Log`.

Trusted functions use e^ε only, which is the unknown number `argument` either way.  Code that
looks at the epsilon itself (its type, its attributes, arithmetic, comparisons) is followed for both
kinds: a `Log` of the number, and a rational ε of which only ε >= 0 and e^ε >= 1 + ε are known.
"""

import operator
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import z3

from filterproof.exact import Log
from filterproof_proofs.symbolic.paths import Paths
from filterproof_proofs.symbolic.terms import Term

EPSILON, KIND = "epsilon", "epsilon is a Log"
"""The numbers in a model that say what a rational ε is, and (if positive) that it is a `Log`."""


class AnyEpsilon(Log):
    """Any epsilon: a `Log` where a trusted function looks at it, either kind for other code."""

    argument: Term
    run: Paths
    name: str

    def __init__(self, run: Paths, odds: Term, name: str = EPSILON) -> None:
        object.__setattr__(self, "argument", odds)
        object.__setattr__(self, "run", run)
        object.__setattr__(self, "name", name)

    def is_log(self) -> bool:
        """Return which kind this run takes."""
        return self.run.branch(z3.Real(KIND) > 0)

    def rational(self) -> Term:
        """Return a rational ε, with what is known of its e^ε."""
        made = self.run.unknown(self.name)
        zero = z3.RealVal(0)
        known = z3.And(
            made.term >= 0,
            self.argument.term >= 1 + made.term,
            z3.Or(made.term != zero, self.argument.term == 1),
        )
        self.run.fact(self.name, known)
        return made

    def resolved(self) -> Any:
        """Return the epsilon of the kind that this run takes."""
        return Log(self.argument) if self.is_log() else self.rational()

    def python_type_now(self) -> type:
        """Return the type of the kind that this run takes."""
        return Log if self.is_log() else Fraction

    def __eq__(self, other: object) -> Any:
        if isinstance(other, AnyEpsilon):
            return self.argument == other.argument  # both are of one kind
        return self.resolved() == other

    def __ne__(self, other: object) -> Any:
        return not self == other

    def __bool__(self) -> bool:
        return bool(self.resolved())

    def __hash__(self) -> int:
        raise self.run.stuck("an epsilon that is not known is used as a key")

    def __repr__(self) -> str:
        return repr(self.argument)


def _by_its_number(operation: Callable[..., Any], reverse: bool = False) -> Any:
    def delegate(self: AnyEpsilon, *others: Any) -> Any:
        parts = (self.resolved(), *(_plain(one) for one in others))
        return operation(*(reversed(parts) if reverse else parts))

    return delegate


def _plain(value: Any) -> Any:
    return value.resolved() if isinstance(value, AnyEpsilon) else value


for _name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow"):
    setattr(AnyEpsilon, f"__{_name}__", _by_its_number(getattr(operator, _name)))
    setattr(AnyEpsilon, f"__r{_name}__", _by_its_number(getattr(operator, _name), reverse=True))
for _name in ("lt", "le", "gt", "ge", "neg", "pos", "abs"):
    setattr(AnyEpsilon, f"__{_name}__", _by_its_number(getattr(operator, _name)))
