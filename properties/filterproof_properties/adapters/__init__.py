"""Real third-party libraries as filters, each imported only when it is named.

Five kinds are kept apart in every report, because they promise different things: a library that
claims to be a filter or an odometer, one that enforces a budget, and an accountant that only our
wrapper uses as a filter ("run it if the books still balance") or reads as an odometer.

>>> ADAPTERS["dp-accounting-pld"].kind
'accountant used as a filter'
"""

from collections.abc import Mapping
from difflib import get_close_matches
from importlib import import_module
from types import MappingProxyType

from filterproof.filter import Target
from filterproof_properties.adapters.catalogue.filters import FILTERS
from filterproof_properties.adapters.catalogue.info import READ_AS as READ_AS
from filterproof_properties.adapters.catalogue.info import USED_AS as USED_AS
from filterproof_properties.adapters.catalogue.info import AdapterInfo as AdapterInfo
from filterproof_properties.adapters.catalogue.info import Kind as Kind
from filterproof_properties.adapters.catalogue.odometers import ODOMETERS
from filterproof_properties.adapters.support.library import MissingLibrary as MissingLibrary
from filterproof_properties.adapters.support.library import require


class UnknownAdapter(KeyError):
    """A name that no adapter has."""

    def __str__(self) -> str:
        return str(self.args[0])


ADAPTERS: Mapping[str, AdapterInfo] = MappingProxyType(
    {info.name: info for info in (*FILTERS, *ODOMETERS)}
)


def info_of(name: str) -> AdapterInfo:
    """Return the adapter of that name, or an error that lists near names."""
    if name in ADAPTERS:
        return ADAPTERS[name]
    near = get_close_matches(name, ADAPTERS, n=3, cutoff=0.4) or sorted(ADAPTERS)
    raise UnknownAdapter(f"no adapter {name!r}; near: {', '.join(near)}")


def load(name: str) -> Target:
    """Return the target `(epsilon, delta) -> Filter`; raise MissingLibrary if it cannot be had."""
    info = info_of(name)
    require(info.imports, info.extra)
    target: Target = getattr(import_module(f"{__name__}.{info.module}"), info.attribute)
    return target
