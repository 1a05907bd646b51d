"""SMT-LIB text, evaluated with fractions and nothing else.

A solver's model is believed only after this module has put its numbers into the very text
both solvers read and found every assertion true. It uses the standard library alone, so a
bug of a solver and a bug here would have to agree.

>>> text = "(declare-fun p () Real) (assert (let ((h (/ 1.0 2.0))) (<= p h)))"
>>> satisfies(text, {"p": Fraction(1, 3)})
True
>>> satisfies(text, {"p": Fraction(2, 3)})
False
"""

import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise
from typing import Any, TypeAlias

Value: TypeAlias = Fraction | bool
Term: TypeAlias = "str | list[Term]"
TOKEN = re.compile(r";[^\n]*|\(|\)|\|[^|]*\||[^\s()|;]+")
NUMERAL = re.compile(r"\d+(\.\d+)?\Z")
COMPARISONS: Mapping[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "=": operator.eq,
}


class NotEvaluable(ValueError):
    """The text uses something outside the fragment this module understands."""


@dataclass(frozen=True)
class Table:
    """A function of a model: finitely many entries and one value everywhere else."""

    entries: Mapping[tuple[Value, ...], Value] = field(default_factory=dict)
    default: Value = Fraction(0)

    def __call__(self, *arguments: Value) -> Value:
        """Look the arguments up."""
        return self.entries.get(arguments, self.default)


Model: TypeAlias = Mapping[str, Value | Table]


def parse(text: str) -> list[Term]:
    """Read SMT-LIB text as nested lists of symbols.

    >>> parse("(assert (< x 1.0)) ; done")
    [['assert', ['<', 'x', '1.0']]]
    """
    stack: list[list[Term]] = [[]]
    for token in TOKEN.findall(text):
        if token == "(":
            stack.append([])
        elif token == ")":
            if len(stack) == 1:
                raise NotEvaluable("a parenthesis closes that was never opened")
            done = stack.pop()
            stack[-1].append(done)
        elif not token.startswith(";"):
            stack[-1].append(token.strip("|"))
    if len(stack) != 1:
        raise NotEvaluable(f"{len(stack) - 1} parentheses are never closed")
    return stack[0]


def satisfies(text: str, model: Model) -> bool:
    """Say whether the model makes every assertion of the text true."""
    commands = [command for command in parse(text) if isinstance(command, list)]
    scope = {**_defaults(commands), **model}
    asserted = [command[1] for command in commands if command[0] == "assert"]
    return all(evaluate(term, scope) is True for term in asserted)


def _defaults(commands: list[list[Term]]) -> dict[str, Value | Table]:
    """Give every declared symbol a value: a solver leaves out those that do not matter."""
    scope: dict[str, Value | Table] = {}
    for command in commands:
        if command[0] == "declare-fun":
            _, name, arguments, sort = command
            zero: Value = False if sort == "Bool" else Fraction(0)
            scope[str(name)] = Table(default=zero) if arguments else zero
    return scope


def evaluate(term: Term, scope: Model) -> Value:
    """Evaluate one term; a symbol that is not in scope is an error, never a guess.

    >>> evaluate(["ite", ["<", "x", "1.0"], ["*", "2.0", "x"], "0.0"], {"x": Fraction(1, 4)})
    Fraction(1, 2)
    """
    if isinstance(term, str):
        return _symbol(term, scope)
    head, *arguments = term
    if not isinstance(head, str):
        raise NotEvaluable(f"a function must be named; got {head!r}")
    special = SPECIAL.get(head)
    if special is not None:
        return special(arguments, scope)
    values = [evaluate(argument, scope) for argument in arguments]
    if head in COMPARISONS:
        return all(COMPARISONS[head](a, b) for a, b in pairwise(values))
    if head in ARITHMETIC:
        return ARITHMETIC[head](values)
    function = scope.get(head)
    if not isinstance(function, Table):
        raise NotEvaluable(f"unknown function {head!r}")
    return function(*values)


def _symbol(name: str, scope: Model) -> Value:
    if name in ("true", "false"):
        return name == "true"
    if NUMERAL.match(name):
        return Fraction(name)
    value = scope.get(name)
    if value is None or isinstance(value, Table):
        raise NotEvaluable(f"unknown symbol {name!r}")
    return value


def _subtract(values: list[Value]) -> Fraction:
    first, *rest = (Fraction(value) for value in values)
    return first - sum(rest) if rest else -first


def _divide(values: list[Value]) -> Fraction:
    numerator, denominator = (Fraction(value) for value in values)
    if denominator == 0:
        raise NotEvaluable("a division by zero has no value")
    return numerator / denominator


def _multiply(values: list[Value]) -> Fraction:
    product = Fraction(1)
    for value in values:
        product *= value
    return product


ARITHMETIC: Mapping[str, Callable[[list[Value]], Value]] = {
    "+": lambda values: Fraction(sum(values)),
    "-": _subtract,
    "*": _multiply,
    "/": _divide,
    "not": lambda values: not values[0],
    "distinct": lambda values: len(set(values)) == len(values),
}


def _if(arguments: list[Term], scope: Model) -> Value:
    condition, then, otherwise = arguments
    return evaluate(then if evaluate(condition, scope) else otherwise, scope)


def _implies(arguments: list[Term], scope: Model) -> bool:
    *premises, conclusion = arguments
    return not all(evaluate(p, scope) for p in premises) or bool(evaluate(conclusion, scope))


def _let(arguments: list[Term], scope: Model) -> Value:
    bindings, body = arguments
    bound = {name: evaluate(term, scope) for name, term in _bindings(bindings)}
    return evaluate(body, {**scope, **bound})


def _bindings(term: Term) -> list[tuple[str, Term]]:
    return [(str(part[0]), part[1]) for part in term if isinstance(part, list)]


def _decide_quantifier(decide: Callable[[Any], bool], arguments: list[Term], scope: Model) -> bool:
    """Decide a quantifier over the order of the reals, by finitely many trials.

    A bound variable that is only ever compared, with a symbol or a numeral, cannot tell apart
    two numbers that lie alike among these landmarks: so each landmark, a point between any
    two neighbours and one beyond either end are all the trials there are.
    """
    bindings, body = arguments
    (name, _sort), *more = _bindings(bindings)
    inner: Term = body
    if more:  # one variable at a time
        inner = [_NAME_OF[decide], [[other, sort] for other, sort in more], body]
    _require_only_compared(name, inner, frozenset(scope))
    trials = _trials({*_numerals(inner), *(v for v in scope.values() if type(v) is Fraction)})
    return decide(bool(evaluate(inner, {**scope, name: trial})) for trial in trials)


def _trials(landmarks: set[Fraction]) -> list[Fraction]:
    """Landmarks, midpoints and one point beyond either end.

    >>> [str(trial) for trial in _trials({Fraction(0), Fraction(1)})]
    ['-1', '0', '1/2', '1', '2']
    """
    marks = sorted(landmarks) or [Fraction(0)]
    between = [trial for a, b in pairwise(marks) for trial in (a, (a + b) / 2)]
    return [marks[0] - 1, *between, marks[-1], marks[-1] + 1]


def _numerals(term: Term) -> set[Fraction]:
    if isinstance(term, str):
        return {Fraction(term)} if NUMERAL.match(term) else set()
    return {number for part in term for number in _numerals(part)}


def _require_only_compared(name: str, term: Term, landmarks: frozenset[str]) -> None:
    """Refuse a bound variable that meets anything but a landmark or another bound variable."""
    if isinstance(term, str):
        return
    if term[0] in ("forall", "exists"):
        landmarks |= {bound for bound, _ in _bindings(term[1])}
    others = [part for part in term[1:] if part != name]
    if name in term and not (
        term[0] in COMPARISONS and all(_is_known(o, landmarks) for o in others)
    ):
        raise NotEvaluable(f"the bound variable {name!r} is not only compared: {term!r}")
    for part in term:
        _require_only_compared(name, part, landmarks)


def _is_known(term: Term, landmarks: frozenset[str]) -> bool:
    return isinstance(term, str) and (term in landmarks or NUMERAL.match(term) is not None)


_NAME_OF: Mapping[Callable[[Any], bool], str] = {all: "forall", any: "exists"}

SPECIAL: Mapping[str, Callable[[list[Term], Model], Value]] = {
    "ite": _if,
    "=>": _implies,
    "let": _let,
    "and": lambda arguments, scope: all(evaluate(a, scope) for a in arguments),
    "or": lambda arguments, scope: any(evaluate(a, scope) for a in arguments),
    "forall": lambda arguments, scope: _decide_quantifier(all, arguments, scope),
    "exists": lambda arguments, scope: _decide_quantifier(any, arguments, scope),
}
