"""Targets that other distributions publish, by the entry-point group `filterproof.targets`."""

from collections.abc import Mapping
from functools import cache
from importlib.metadata import entry_points

GROUP = "filterproof.targets"


@cache
def published_targets() -> Mapping[str, str]:
    """Return every published name with the `module:attribute` it stands for; nothing is imported.

    >>> published_targets().get("no such target") is None
    True
    """
    return {one.name: one.value for one in entry_points(group=GROUP)}
