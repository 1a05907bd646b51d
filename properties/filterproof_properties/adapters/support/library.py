"""Third-party libraries are imported when an adapter is used, and missed by name."""

from functools import cache
from importlib import import_module, metadata
from typing import Any


class MissingLibrary(ImportError):
    """A library that an adapter needs and that cannot be imported."""


@cache
def require(module: str, extra: str) -> Any:
    """Return the module, or say in one line which extra installs it.

    >>> require("fractions", "none").Fraction(1, 2)
    Fraction(1, 2)
    >>> require("no_such_library", "opendp")
    Traceback (most recent call last):
    filterproof_properties.adapters.support.library.MissingLibrary: \
this adapter needs no_such_library: \
pip install 'filterproof[opendp]' (No module named 'no_such_library')
    """
    try:
        return import_module(module)
    except ImportError as error:
        raise MissingLibrary(f"this adapter needs {module}: {install(extra)} ({error})") from error


def install(extra: str) -> str:
    """Return the command that installs an extra."""
    return f"pip install 'filterproof[{extra}]'"


NOT_INSTALLED = "not installed"


def version(distribution: str) -> str:
    """Return the installed version of a distribution, or "not installed"."""
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return NOT_INSTALLED
