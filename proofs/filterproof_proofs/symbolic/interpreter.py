"""Interprets a target's source on unknown numbers: nothing of it is run by Python itself.

    program = Program.load(Path("shop.py"), "Budget")
    run = Paths(Limits())

    def once():                                     # once per path
        machine = Interpreter(program, run)         # evaluates the top of the module anew
        budget = machine.call(machine.attribute(), epsilon, delta)
        machine.seal(budget)                        # from here on only `budget` may change
        return machine.method(budget, "spend", asked_epsilon, asked_delta)

    cases = run.cases(once)

A comparison of unknown numbers asks `run` which way to go; its `cases` tries all of them.  Code
that raises gives `Raised`.  What is outside of the subset of Python that is interpreted, and what
needs a known number, is recorded in `run` when it happens and ends the proof (`NeedsKnown`,
`Unsupported`), whatever the code does about it.

A float or Decimal that is computed goes through `run.rounded(exact, kind)`: `Paths` says that it
cannot be followed, and a subclass of `Paths` may return a number that is rounded.

When the modules are evaluated they are sealed: a constructor changes what it makes, nothing else.
After `seal(state)` nothing may change but what can be reached from `state` and what is made later.
So a class attribute, a global, a default argument or a closure cannot keep anything in secret.
"""

import ast
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from typing import Any

from filterproof_proofs.symbolic.arrays import made
from filterproof_proofs.symbolic.attributes import Setup, get, put, set_up, super_in
from filterproof_proofs.symbolic.calls import bind_arguments, call_host, call_instance
from filterproof_proofs.symbolic.contexts import enter, leave
from filterproof_proofs.symbolic.expressions import EXPRESSIONS, make_function
from filterproof_proofs.symbolic.growing import Growing, Mapped
from filterproof_proofs.symbolic.keyed import Keyed
from filterproof_proofs.symbolic.library import (
    CONTAINERS,
    HostMethod,
    is_plain,
    is_plain_or_own,
)
from filterproof_proofs.symbolic.machine import Execution, Value
from filterproof_proofs.symbolic.memory import public, reachable, shown
from filterproof_proofs.symbolic.modules import (
    BUILTINS,
    LIBRARIES,
    Cached,
    Library,
    call_manager,
    known_module,
    named,
)
from filterproof_proofs.symbolic.names import Name
from filterproof_proofs.symbolic.paths import Paths
from filterproof_proofs.symbolic.program import Program, Source
from filterproof_proofs.symbolic.run import NeedsKnown, Unsupported
from filterproof_proofs.symbolic.statements import STATEMENTS, Returned
from filterproof_proofs.symbolic.texts import ModuleName, Text
from filterproof_proofs.symbolic.toplevel import load
from filterproof_proofs.symbolic.values import (
    MISSING,
    Class,
    Coroutine,
    Function,
    Instance,
    Method,
    Module,
    Opaque,
    Raised,
    Scope,
    Wrapper,
)

DEEPEST = 60
"""Calls inside of one another; Python itself allows about a thousand frames."""
PATIENCE = 2_000
"""Statements between two looks at the clock."""


class Interpreter:
    """One run of a program: its modules, evaluated anew, and what may change."""

    def __init__(self, program: Program, run: Paths, *, sealed: bool = True) -> None:
        self.program, self.run = program, run
        self.builtins = BUILTINS
        self.handled: list[Value] = []
        self.modules: dict[str, Module] = {}
        self._fresh: list[dict[int, Value]] = []
        self._kept: dict[int, Value] = {}
        self._depth = self._steps = 0
        self.returned_at = ""
        """The line at which the last function that was called returned."""
        self._main = self._load_module(program.main.name)
        self.public = public(self.modules.values())
        """What modules, classes and functions hold: no state may be kept in it."""
        if sealed:
            self.seal()  # a constructor changes what it makes, and no class or module

    # --- for those who use it -------------------------------------------------------------------

    def attribute(self) -> Value:
        """Return the class or function that the target names."""
        value: Value = self._main
        for name in self.program.attribute.split("."):
            value = self.get(value, name)
        return value

    def method(self, obj: Value, name: str, *args: Value, **kwargs: Value) -> Value:
        """Call a method of an object."""
        return self.call(self.get(obj, name), *args, **kwargs)

    def expression(self, node: ast.expr, names: dict[str, Value]) -> Value:
        """Return the value of an expression such as `spend(epsilon, delta)`, with these names."""
        return self.evaluate(node, Scope(dict(names), self._main))

    def seal(self, state: Value = None) -> None:
        """Allow no changes from now on but of what is reached from `state` or made later."""
        self._kept = {id(one): one for one in reachable(state) if id(one) not in self.public}
        self._fresh = [{}]

    @contextmanager
    def sealed(self) -> Iterator[None]:
        """Allow changes of what is made inside of this block only."""
        kept, self._kept = self._kept, {}
        self._fresh.append({})
        try:
            yield
        finally:
            inner = self._fresh.pop()
            self._kept = kept
            if self._fresh:
                self._fresh[-1].update(inner)

    def find(self, module: str, name: Any) -> Value:
        """Return a class or function at the top of a module, a lambda, or what makes an array."""
        if module == "numpy":
            return lambda items: made(self, items, *name)
        home = self.modules[module]
        if isinstance(name, ast.Lambda):
            return make_function(self, name, Scope(home.names, home))
        return home.names[name]

    # --- modules --------------------------------------------------------------------------------

    def module(self, name: str) -> Value:
        """Return a module: interpreted, known, or opaque."""
        if name in LIBRARIES:
            return known_module(self, name)
        if self.program.source(name) is None:
            return Library(name) if name == "filterproof" else Opaque(f"the module {name}")
        return self._load_module(name)

    def library(self, module: str, name: str) -> Value:
        """Return what a known module offers under a name."""
        return named(self, module, name) if module in LIBRARIES else Opaque(f"{module}.{name}")

    def package_of(self, module: Module) -> str:
        """Return the package from which a module's relative imports start."""
        return self._source(module.name).package

    def _source(self, name: str) -> Source:
        source = self.program.source(name)
        assert source is not None
        return source

    def _load_module(self, name: str) -> Module:
        if name in self.modules:
            return self.modules[name]
        source = self._source(name)
        parent = name.rpartition(".")[0]
        if parent and not name.startswith("filterproof.") and self.program.source(parent):
            self._load_module(parent)
        made = self.modules[name] = Module(name, source.path, {"__name__": ModuleName(self)})
        scope = Scope(made.names, made)
        self.created(scope)
        load(self, source.tree.body, scope)
        return made

    def run_block(self, body: list[ast.stmt], scope: Scope) -> None:
        """Execute statements outside of any function."""
        self._run_to_end(self.block(body, scope))

    # --- evaluation -----------------------------------------------------------------------------

    def evaluate(self, node: Any, scope: Any) -> Value:
        """Return the value of an expression."""
        found = EXPRESSIONS.get(type(node))
        if found is None:
            raise self.unsupported(f"{type(node).__name__}")
        return found(self, node, scope)

    def block(self, body: list[ast.stmt], scope: Scope) -> Execution:
        """Execute statements one after the other."""
        for node in body:
            self.at(node, scope)
            self._tick()
            found = STATEMENTS.get(type(node))
            if found is None:
                raise self.unsupported(f"{type(node).__name__}")
            ended: Any = yield from found(self, node, scope)
            if ended is not None:
                return ended
        return None

    def at(self, node: Any, scope: Scope) -> None:
        """Remember which line is interpreted."""
        self.run.where = f"{scope.module.path.name}:{node.lineno}"

    def _tick(self) -> None:
        self._steps += 1
        if self._steps % PATIENCE == 0:
            self.run.limits.check(0)

    def unsupported(self, what: str) -> NeedsKnown:
        """Remember that this line is not interpreted, and return the error to raise."""
        self.run.reason = Unsupported(f"{self.run.where}: not interpreted: {what}")
        return self.run.reason

    def remember(self, key: Value, make: Any) -> Value:
        """Return what was made for a key before, in this run or in an earlier one."""
        try:
            if key not in self.program.made:
                self.program.made[key] = make()
        except TypeError:
            raise self.unsupported("an enumeration or a named tuple of changing values") from None
        return self.program.made[key]

    def truth(self, value: Value) -> bool:
        """Return which side of a condition this run takes."""
        if isinstance(value, (Function, Method, Class, Module, HostMethod, Coroutine)):
            return True
        if isinstance(value, Opaque):
            raise self.unsupported(value.what)
        return bool(self.host(bool, value))

    def iterate(self, value: Value) -> Iterator[Value]:
        """Return an iterator; the order of a set is nobody's business."""
        if isinstance(value, (Opaque, Text, Name, Growing, Mapped, Keyed)):
            raise self.unsupported("something unknown is gone through")
        if isinstance(value, (set, frozenset)) and len(value) > 1:
            raise self.unsupported("the order of a set is used")
        self.use(value)
        return self._items_by_host(self.host(iter, value))

    def _items_by_host(self, items: Iterator[Value]) -> Iterator[Value]:
        while True:
            value = self.host(next, items, MISSING)
            if value is MISSING:
                return
            yield value

    def host(self, function: Any, *args: Value, **kwargs: Value) -> Value:
        """Call one of Python's own functions; what it raises is what the code raises."""
        try:
            return function(*args, **kwargs)
        except Raised:
            raise
        except NeedsKnown as error:
            if self.run.reason is None:
                raise self.run.stuck(str(error)) from None
            raise
        except (RecursionError, MemoryError):
            raise self.unsupported("something too deep or too large") from None
        except (TypeError, AttributeError) as error:
            operator = getattr(function, "__module__", "") == "_operator"
            known = is_plain_or_own if operator else is_plain
            if not all(map(known, (*args, *kwargs.values()))):
                raise self.unsupported(f"an operation without a known answer: {error}") from None
            raise Raised(error) from None
        except Exception as error:
            raise Raised(error) from None

    # --- calls ----------------------------------------------------------------------------------

    def call(self, function: Value, *args: Value, **kwargs: Value) -> Value:
        """Call a function of the code, a class, a method, or one of Python's own functions."""
        if isinstance(function, Function):
            return self._invoke(function, args, kwargs)
        if isinstance(function, Method):
            return self.call(function.function, function.receiver, *args, **kwargs)
        if isinstance(function, Class):
            return self._instance(function, args, kwargs)
        if isinstance(function, Instance):
            return call_instance(self, function, args, kwargs)
        if isinstance(function, Wrapper):
            return call_manager(self, function, args, kwargs)
        if isinstance(function, Setup):
            return function.set_up(*args, **kwargs)
        if isinstance(function, Cached):
            return self._call_cached(function, args, kwargs)
        return call_host(self, function, args, kwargs)

    def _invoke(self, function: Function, args: Any, kwargs: Any) -> Value:
        names = bind_arguments(self, function, args, kwargs)
        scope = Scope(names, function.scope.module, function.scope, function.declared, function)
        self.created(scope)
        if isinstance(function.node, ast.AsyncFunctionDef):
            return self.created(Coroutine(function, scope))
        return self.body(function, scope)

    def body(self, function: Function, scope: Scope) -> Value:
        """Execute the body of a function in a scope that has its arguments."""
        if isinstance(function.node, ast.Lambda):
            return self.evaluate(function.node.body, scope)
        if function.declared.generator:
            if isinstance(function.node, ast.AsyncFunctionDef):
                raise self.unsupported("an `async def` that yields")
            return self.created(self._generator(function.node.body, scope))
        return self._run(function.node.body, scope)

    def _run(self, body: list[ast.stmt], scope: Scope) -> Value:
        if self._depth >= DEEPEST:
            raise self.unsupported("calls too deep inside of one another")
        before, self._depth = self.run.where, self._depth + 1
        try:
            ended = self._run_to_end(self.block(body, scope))
        finally:
            self._depth -= 1
        self.returned_at, self.run.where = self.run.where, before
        return ended.value if isinstance(ended, Returned) else None

    def _run_to_end(self, execution: Execution) -> Value:
        try:
            next(execution)
        except StopIteration as end:
            return end.value
        raise self.unsupported("`yield` here")

    def _generator(self, body: list[ast.stmt], scope: Scope) -> Generator[Value, Value, Value]:
        ended = yield from self.block(body, scope)
        return ended.value if isinstance(ended, Returned) else None

    def _instance(self, kind: Class, args: Any, kwargs: Any) -> Instance:
        made: Instance = self.created(Instance(kind))
        set_up(self, made, args, kwargs)
        return made

    def _call_cached(self, function: Cached, args: Any, kwargs: Any) -> Value:
        """Compute a result that Python may remember: the same, as long as nothing else changes."""
        if self._kept or any(isinstance(one, Instance) for one in (*args, *kwargs.values())):
            raise self.unsupported("a cache: its results may be out of date")
        return self.unchanging(self.call(function.function, *args, **kwargs))

    def unchanging(self, value: Value) -> Value:
        """Return a value that is computed anew where Python remembers it: it must not change."""
        if isinstance(value, tuple):
            return tuple(map(self.unchanging, value)) if type(value) is tuple else value
        if isinstance(value, (Instance, *CONTAINERS, Iterator)):
            raise self.unsupported("something that can change is remembered (a cache)")
        return value

    def super_in(self, scope: Scope, args: list[Value]) -> Value:
        """Return what `super()` stands for in a method."""
        return super_in(self, scope, args)

    # --- attributes -----------------------------------------------------------------------------

    def get(self, obj: Value, name: str) -> Value:
        """Return an attribute."""
        return get(self, obj, name)

    def put(self, obj: Value, name: str, value: Value) -> None:
        """Set an attribute, or take it away (`MISSING`)."""
        put(self, obj, name, value)

    # --- what may change ------------------------------------------------------------------------

    def created(self, made: Value) -> Value:
        """Remember that something that can be changed was made now."""
        if self._fresh:
            self._fresh[-1][id(made)] = made
        return made

    def may_change(self, obj: Value) -> bool:
        """Whether something was made after the seal, or belongs to the state."""
        return not self._fresh or id(obj) in self._fresh[-1] or id(obj) in self._kept

    def use(self, *values: Value) -> None:
        """Say so if an iterator is used up that is older than the seal."""
        for one in values:
            if isinstance(one, Iterator) and not isinstance(one, Instance):
                self.change(one)

    def change(self, obj: Value) -> None:
        """Say so if something is changed that must stay as it is."""
        if not self.may_change(obj):
            raise self.unsupported(f"a change of {shown(obj)}: state in a place that is not seen")

    # --- with -----------------------------------------------------------------------------------

    def enter(self, manager: Value) -> Value:
        """Do what `with` does first."""
        return enter(self, manager)

    def leave(self, manager: Value, error: Value) -> bool:
        """Do what `with` does last; return whether an exception is hidden."""
        return leave(self, manager, error)
