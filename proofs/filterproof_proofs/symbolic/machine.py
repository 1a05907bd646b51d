"""What functions, classes and library functions ask of the interpreter."""

import ast
from collections.abc import Generator, Iterator
from typing import Any, Protocol

from filterproof_proofs.symbolic.run import NeedsKnown

Value = Any
Execution = Generator[Any, Any, Any]
"""A block that is being executed: it yields what `yield` yields, and returns how it ended."""


class Machine(Protocol):
    """The interpreter, as the parts of it see it."""

    run: Any

    def evaluate(self, node: Any, scope: Any) -> Value:
        """Return the value of an expression."""
        ...

    def body(self, function: Any, scope: Any) -> Value:
        """Execute the body of a function in a scope that has its arguments."""
        ...

    def may_change(self, obj: Value) -> bool:
        """Whether something was made after the seal, or belongs to the state."""
        ...

    def block(self, body: list[ast.stmt], scope: Any) -> Execution:
        """Execute statements."""
        ...

    def call(self, function: Value, *args: Value, **kwargs: Value) -> Value:
        """Call a function, a class or a library function."""
        ...

    def get(self, obj: Value, name: str) -> Value:
        """Return an attribute."""
        ...

    def put(self, obj: Value, name: str, value: Value) -> None:
        """Set an attribute."""
        ...

    def truth(self, value: Value) -> bool:
        """Return which side of a condition this run takes."""
        ...

    def iterate(self, value: Value) -> Iterator[Value]:
        """Return an iterator."""
        ...

    def host(self, function: Any, *args: Value, **kwargs: Value) -> Value:
        """Call one of Python's own functions; what it raises is what the code raises."""
        ...

    def created(self, made: Value) -> Value:
        """Remember that something that can be changed was made now."""
        ...

    def use(self, *values: Value) -> None:
        """Say so if an iterator is used up that must stay as it is."""
        ...

    def change(self, obj: Value) -> None:
        """Say so if something is changed that must stay as it is."""
        ...

    def remember(self, key: Value, make: Any) -> Value:
        """Return what was made for a key before, in this run or in an earlier one."""
        ...

    def unsupported(self, what: str) -> NeedsKnown:
        """Return the error that says which line is not interpreted, and why."""
        ...
