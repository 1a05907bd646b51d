"""What goes wrong in a command: one line, and an exit code that says whose doing it is."""

import sys
import traceback

from filterproof_properties.processes.sanitise import quoted

NOT_OURS = {
    "filterproof.exact": "ExactError",
    "filterproof.filter": "ProtocolError",
    "filterproof.filters.registry": "UnknownFilter",
    "filterproof.runtime.store.cell": "StoreError",
    "filterproof.curves.gaussian": "SettingError",
    "filterproof.utility.rounds": "GameTooLarge",
    "filterproof_proofs.smt.cvc5_solver": "SolverMissing",
    "filterproof_proofs.coq": "CoqError",
    "filterproof_properties.options.config": "ConfigError",
    "filterproof_properties.audit.base": "Changed",
    "filterproof_properties.adapters": "UnknownAdapter",
    "filterproof_properties.targets.target": "TargetError",
    "filterproof_properties.choose.domains": "SpecError",
    "filterproof_properties.reports.figure": "FigureError",
}
"""The user's, the target's or the machine's doing, by the module that can raise it."""

USAGE, INTERNAL = 2, 4
"""Exit codes: what is told in one line; a defect of ours, no statement about any filter."""
REPORT_IT = "This is a defect of filterproof, not of your filter: please report the lines above."


def tell_error(error: BaseException, command: str) -> int:
    """Tell what went wrong and return the exit code; what is not known is a defect of ours."""
    if isinstance(error, not_ours()):
        say(command, error)
        return USAGE
    traceback.print_exception(error)
    say(command, f"internal error, {type(error).__name__}: {quoted(error)}")
    sys.stderr.write(f"{REPORT_IT}\n")
    return INTERNAL


def not_ours() -> tuple[type[Exception], ...]:
    """Return what is told in one line; a module that is not loaded has raised nothing."""
    raisers = ((sys.modules.get(module), name) for module, name in NOT_OURS.items())
    ours = (getattr(module, name) for module, name in raisers if module)
    return (OSError, UnicodeDecodeError, *ours)


def say(command: str, what: object) -> None:
    """Write one line about a command that could not do all of its work."""
    sys.stderr.write(f"filterproof {command}: {quoted(what, 4000)}\n")
