"""What a `with` statement does first and last."""

from filterproof_proofs.symbolic.library import is_instance
from filterproof_proofs.symbolic.machine import Machine, Value
from filterproof_proofs.symbolic.modules import Manager, Quiet
from filterproof_proofs.symbolic.values import Raised


def enter(machine: Machine, manager: Value) -> Value:
    """Return what `with` binds."""
    if isinstance(manager, Manager):
        return next(manager.generator) if manager.generator is not None else manager.value
    if isinstance(manager, Quiet) and not manager.is_async:
        return manager
    return machine.call(machine.get(manager, "__enter__"))


def leave(machine: Machine, manager: Value, error: Value) -> bool:
    """Return whether the exception with which the block ended is hidden."""
    if isinstance(manager, Quiet):
        return False
    if isinstance(manager, Manager):
        return _leave(machine, manager, error)
    kind = None if error is None else machine.call(type, error)
    return machine.truth(machine.call(machine.get(manager, "__exit__"), kind, error, None))


def _leave(machine: Machine, manager: Manager, error: Value) -> bool:
    if manager.generator is None:
        return error is not None and is_instance(machine, error, manager.hides)
    try:
        if error is None:
            next(manager.generator)
        else:
            manager.generator.throw(Raised(error))
    except StopIteration:
        return error is not None
    except Raised as raised:
        if raised.value is error:
            return False
        raise
    raise machine.unsupported("a context manager that yields twice")
