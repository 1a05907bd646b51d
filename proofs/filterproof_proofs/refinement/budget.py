"""A budget object as a machine: made and asked by its own calls, its source interpreted.

The calls are those of `BudgetCalls`, with their arguments.  A call that raises, returns False or is
not what `granted` says does not run the mechanism; what it changed before stays changed.
"""

import ast
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from itertools import product
from math import ceil, floor
from types import GeneratorType
from typing import Any

from filterproof.budget_calls import (
    EXCEPTION,
    MECHANISM,
    RESULT,
    BudgetCalls,
    is_function,
)
from filterproof.call_expressions import names_in
from filterproof.free_arguments import KINDS, Free
from filterproof_proofs.refinement.doubles import Doubles
from filterproof_proofs.refinement.machine import Answer, Choice, Declined, Request, Shape
from filterproof_proofs.refinement.states import grown_lists, join, split
from filterproof_proofs.refinement.verdicts import written
from filterproof_proofs.symbolic.arrays import Array
from filterproof_proofs.symbolic.expressions import awaited
from filterproof_proofs.symbolic.interpreter import Interpreter
from filterproof_proofs.symbolic.keyed import ANOTHER, FOLLOWED
from filterproof_proofs.symbolic.machine import Value
from filterproof_proofs.symbolic.modules import Manager
from filterproof_proofs.symbolic.paths import Limits
from filterproof_proofs.symbolic.program import Program
from filterproof_proofs.symbolic.shapes import BadState
from filterproof_proofs.symbolic.values import (
    MISSING,
    Coroutine,
    Instance,
    Raised,
    kind_of_instance,
)

HELPERS = {
    "float": float,
    "int": int,
    "str": str,
    "round": round,
    "max": max,
    "min": min,
    "Fraction": Fraction,
    "Decimal": Decimal,
    "ceil": ceil,
    "floor": floor,
}
"""Functions that a call may apply to a cost."""
PARTS = ("a", "b")
"""The parts of the data that are tried."""
LARGEST_CONSTANT = 10**12
"""Constants of the code beyond this are no units."""
NUMBERS = ("int", "rate")
"""What the caller chooses and is a number of which nothing is known in a proof."""
MOST_CONSTANTS = 6
"""Constants of the code that relations are guessed with, the largest first."""


@dataclass(frozen=True)
class Live:
    """Objects in the interpreter that they belong to."""

    interpreter: Interpreter
    objects: list[Value]


@dataclass(frozen=True)
class BudgetMachine:
    """Budget objects of one class, asked by the names of their calls."""

    program: Program
    calls: BudgetCalls
    opaque: bool = False
    """Whether names that the caller chooses stand for any names."""
    _trees: dict[str, ast.expr] = field(default_factory=dict, repr=False, compare=False)

    # --- what can be asked --------------------------------------------------------------------

    @cached_property
    def choices(self) -> Sequence[Choice]:
        """Each call with each value of what the caller chooses, each object, failing or not."""
        calls = self.calls
        named = [[(one.name, value) for value in self._values(one)] for one in calls.chosen]
        parts = [[(calls.part, part) for part in self._parts]] if calls.part else []
        fails = (False, True) if calls.fails else (False,)
        places = product(range(len(calls.spend)), range(calls.instances), fails)
        return tuple(
            Choice(str(dict(given).get(calls.part, "")), given, failing, call, place)
            for call, place, failing in places
            for given in product(*named, *parts)
        )

    @cached_property
    def unknown_choices(self) -> Sequence[Choice]:
        """One choice for all that a proof takes for one: numbers are not known there."""
        numbers = [name for name, kind in self._kinds.items() if kind in NUMBERS]
        first = {one.name: one.values[0] for one in self.calls.chosen if one.name in numbers}
        return tuple(
            choice
            for choice in self.choices
            if all(first.get(name, value) == value for name, value in choice.arguments)
        )

    @cached_property
    def _kinds(self) -> Mapping[str, str]:
        """The kinds of what the caller chooses: any name, any whole number, any rate."""
        written = (text.partition("=") for text in self.calls.free)
        return {name: kind for name, _, kind in written if kind in KINDS}

    @cached_property
    def for_any_names(self) -> "BudgetMachine | None":
        """The machine in which names stand for any names; None where the caller chooses none."""
        names = [name for name, kind in self._kinds.items() if kind == "str"]
        if len(names) + bool(self.calls.part) > 1:
            raise BadState(
                "several names are chosen in one call: whether they are the same is open"
            )
        return replace(self, opaque=True) if names or self.calls.part else None

    @property
    def _parts(self) -> Sequence[str]:
        return (FOLLOWED, ANOTHER) if self.opaque else PARTS

    def _values(self, one: Free) -> Sequence[Any]:
        any_name = self.opaque and self._kinds.get(one.name) == "str"
        return (ANOTHER,) if any_name else one.values

    @cached_property
    def constants(self) -> Sequence[int]:
        """The whole numbers above 1 that the code names, powers worked out."""
        return constants_of(self.program)

    # --- running ------------------------------------------------------------------------------

    def first(self, run: Doubles | None, budget: Mapping[str, Any]) -> Live:
        """Return fresh objects for a budget."""
        interpreter = Interpreter(self.program, run or Doubles(Limits()))
        factory, _, arguments = self.calls.open.partition("(")
        if factory:
            raise BadState(f"{factory} makes the object: name the class itself to prove it")
        if self.calls.clock:
            raise BadState("what the time does to the object is not followed")
        if any(MECHANISM in names_in(call) for call in self.calls.spend):
            raise BadState("the object runs the mechanism itself, which is not followed")
        if any(map(_is_of_another, (*self.calls.spend, self.calls.check, self.calls.fails))):
            raise BadState("a call is a function of the module, or is given a result: not followed")
        names = {**HELPERS, **budget, "target": interpreter.attribute()}
        tree = self._tree(f"target({arguments}")
        try:
            made = [interpreter.expression(tree, names) for _ in range(self.calls.instances)]
        except Raised as error:
            raise Declined(str(error)) from None
        finally:
            _check(interpreter)
        return Live(interpreter, made)

    def step(self, run: Doubles | None, state: Live, request: Request) -> Answer:
        """Put one request to an object: check, spend, and the mechanism, which may fail."""
        state.interpreter.seal(state.objects)
        if run is not None:
            request = replace(request, choice=self._any(run, request.choice))
        ran = self._ran(state, request)
        _check(state.interpreter)
        return Answer(ran, True, state)

    def _any(self, run: Doubles, choice: Choice) -> Choice:
        """Return a choice with numbers of which nothing is known."""
        given = [
            (name, _any_number(run, name, kind) if kind in NUMBERS else value)
            for name, value in choice.arguments
            for kind in (self._kinds.get(name),)
        ]
        return replace(choice, arguments=tuple(given))

    def _ran(self, state: Live, request: Request) -> bool:
        calls, choice = self.calls, request.choice
        if calls.check and not self._grants(state, calls.check, request):
            return False
        if calls.between:
            call = calls.fails if choice.fails else calls.spend[choice.call]
            if call != EXCEPTION:
                self._grants(state, call, request)
            return True
        granted = self._grants(state, calls.spend[choice.call], request)
        if granted and choice.fails and calls.fails != EXCEPTION:
            self._grants(state, calls.fails, request)
        return granted

    def _grants(self, state: Live, call: str, request: Request) -> bool:
        """Make one call; return whether it grants."""
        it = state.objects[request.choice.place]
        names = {**HELPERS, **request.costs, **dict(request.choice.arguments), "it": it}
        try:
            result = state.interpreter.expression(self._tree(f"it.{call}"), names)
            if isinstance(result, Coroutine):
                result = awaited(state.interpreter, result)
        except Raised as error:
            if call == self.calls.fails:
                raise state.interpreter.unsupported(f"{call} raised {error}") from None
            return False
        if isinstance(result, Instance) and result is not it and _are_alike(result, it):
            raise BadState("a call returns an object that takes its place, which is not followed")
        if isinstance(result, Array) and not self.calls.granted:
            raise BadState("a call returns a value of numpy: --granted 'bool(result)'")
        if _is_context(result):
            if not self.calls.fails:
                raise BadState("what a context manager does where the mechanism fails: --fails")
            return self._enter_and_leave(state, result, request)
        if not self.calls.granted:
            return result is not False
        tree = self._tree(self.calls.granted)
        try:
            return state.interpreter.truth(
                state.interpreter.expression(tree, {**names, "result": result})
            )
        except Raised as error:
            raise state.interpreter.unsupported(f"{self.calls.granted} raised {error}") from None

    def _enter_and_leave(self, state: Live, context: Value, request: Request) -> bool:
        """Enter a context, run the mechanism there, and leave; a failure is an exception in it."""
        error = RuntimeError("the mechanism fails") if request.choice.fails else None
        try:
            state.interpreter.enter(context)
        except Raised:
            return False
        with suppress(Raised):
            state.interpreter.leave(context, error)
        return True

    def _tree(self, text: str) -> ast.expr:
        if text not in self._trees:
            self._trees[text] = ast.parse(text, mode="eval").body
        return self._trees[text]

    # --- states and words ---------------------------------------------------------------------

    def split(self, state: Live) -> tuple[Shape, list[Any]]:
        """Return the shape of the objects, and their numbers."""
        if len(state.objects) == 1:
            return split(state.interpreter, state.objects[0], "self", state.interpreter.public)
        return split(state.interpreter, tuple(state.objects), "objects", state.interpreter.public)

    def join(self, run: Doubles, shape: Shape, numbers: Sequence[Any]) -> Live:
        """Return objects of a shape in a fresh interpreter."""
        interpreter = Interpreter(self.program, run)
        made = join(interpreter, shape.form, iter(numbers))
        return Live(interpreter, [made] if self.calls.instances == 1 else list(made))

    def grow(self, seen: Iterable[Shape]) -> bool:
        """Know lists that have several lengths by a few numbers; return whether there are any."""
        self.program.growing.clear()
        self.program.growing.update(grown_lists(iter(seen)))
        return bool(self.program.growing)

    def opening(self, budget: Mapping[str, Any]) -> str:
        """Return how the object is made, with the numbers in it."""
        return _call_with_values(
            f"{self.program.attribute}({self.calls.open.partition('(')[2]}", budget
        )

    def asking(self, request: Request) -> str:
        """Return the call of a request, with the numbers in it."""
        given = {**request.costs, **dict(request.choice.arguments)}
        said = _call_with_values(self.calls.spend[request.choice.call], given)
        where = f"object {request.choice.place + 1}: " if self.calls.instances > 1 else ""
        return f"{where}{said}" + (" (the mechanism fails)" if request.choice.fails else "")


def _is_of_another(call: str) -> bool:
    """Whether a call is no method of the object, or depends on what another one has returned."""
    return is_function(call) or RESULT in names_in(call)


def _any_number(run: Doubles, name: str, kind: str | None) -> Any:
    """Return any whole number, or any rate."""
    made = run.given(f"argument {name}", int if kind == "int" else float)
    if kind == "rate":
        run.assume(made.term >= 0)
        run.assume(made.term <= 1)
    return made


def _are_alike(one: Instance, other: Value) -> bool:
    """Whether two objects are of the same class."""
    return isinstance(other, Instance) and kind_of_instance(one) is kind_of_instance(other)


def _is_context(result: Value) -> bool:
    """Whether a call returned something that `with` enters."""
    if isinstance(result, GeneratorType):
        raise BadState("a call returns a generator, which is not followed")
    if isinstance(result, Instance):
        return kind_of_instance(result).find("__enter__") is not MISSING
    return isinstance(result, Manager)


def _check(interpreter: Interpreter) -> None:
    """Raise what the code swallowed: something that is not interpreted."""
    if interpreter.run.reason is not None:
        raise interpreter.run.reason


def constants_of(program: Program) -> tuple[int, ...]:
    """Return the whole numbers above 1 that a class names, or its file outside of classes."""
    top = program.attribute.partition(".")[0]
    nodes = [
        node
        for one in program.main.tree.body
        if not isinstance(one, ast.ClassDef) or one.name == top
        for node in ast.walk(one)
    ]
    numbers = [_known_number(node) for node in nodes]
    whole = {int(one) for one in numbers if one and one == int(one) and one > 1}
    return tuple(sorted(whole, reverse=True)[:MOST_CONSTANTS])


def _known_number(node: ast.AST) -> float | None:
    """Return the value of a number in the source, or of a power of two of them."""
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        return node.value if abs(node.value) <= LARGEST_CONSTANT else None
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
        base, power = _known_number(node.left), _known_number(node.right)
        if base is not None and power is not None and 0 <= power <= 40 and abs(base) <= 1000:
            return float(base**power)
    return None


class _Fill(ast.NodeTransformer):
    def __init__(self, values: Mapping[str, Any]) -> None:
        self.values = values

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if node.id not in self.values:
            return node
        value = self.values[node.id]
        text = repr(value) if isinstance(value, str) else written(Fraction(value))
        return ast.Name(text, node.ctx)


def _call_with_values(call: str, values: Mapping[str, Any]) -> str:
    """Return a call with values for its names.

    >>> _call_with_values("spend(epsilon, cost=delta)", {"epsilon": 0.6, "delta": 0.0})
    'spend(0.6, cost=0)'
    """
    tree = ast.parse(call, mode="eval").body
    assert isinstance(tree, ast.Call)
    tree.args = [_Fill(values).visit(one) for one in tree.args]
    for keyword in tree.keywords:
        keyword.value = _Fill(values).visit(keyword.value)
    return ast.unparse(tree)
