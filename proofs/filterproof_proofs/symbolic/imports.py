"""What an import of interpreted code gives: source that is interpreted, or a known name."""

from typing import Any

from filterproof_proofs.symbolic.machine import Value
from filterproof_proofs.symbolic.values import Module, Raised, Scope


def imported(machine: Any, module: str, level: int, name: str, scope: Scope) -> Value:
    """Return what `from module import name` binds."""
    if level:
        package = machine.package_of(scope.module).split(".")
        package = package[: len(package) - level + 1]
        if not all(package):
            raise Raised(ImportError("attempted relative import with no known parent package"))
        module = ".".join([*package, *([module] if module else [])])
    if module == "__future__":
        return None
    found = machine.module(module)
    if isinstance(found, Module):
        if name in found.names:
            return found.names[name]
        if machine.program.source(f"{module}.{name}") is not None:
            return machine.module(f"{module}.{name}")
        raise Raised(ImportError(f"cannot import name '{name}' from '{module}'"))
    return machine.library(module, name)
