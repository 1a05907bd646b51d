"""Twelve budget objects and six edits as text: every tool gets the same file.

Each body is that of `spend`, which says whether a request is granted.  What is right: the granted
epsilons never add up to more than `self.total`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from textwrap import indent
from types import MappingProxyType

HEAD = '''class Budget:
    """A budget that is spent request by request."""

    def __init__(self, epsilon: float) -> None:
        self.total = epsilon
        self.spent = 0.0
        self.count = 0
        self.last = 0.0

    def spend(self, epsilon: float) -> bool:
        if not 0 <= epsilon <= 100:
            return False
'''
BOOKED = """if self.spent + epsilon > self.total:
    return False
self.spent += epsilon
return True
"""
LEFT = """left = self.total - self.spent
if epsilon > left:
    return False
self.spent = self.spent + epsilon
return True
"""


@dataclass(frozen=True)
class Thing:
    """The body of a budget object, and whether it is right."""

    body: str
    right: bool = False

    @property
    def text(self) -> str:
        """The file."""
        return HEAD + indent(self.body, " " * 8)


@dataclass(frozen=True)
class Edit:
    """A change of a budget object, and whether the new version grants more."""

    old: Thing
    new: Thing
    looser: bool


PLAIN = Thing(BOOKED, right=True)
OBJECTS: Mapping[str, Thing] = MappingProxyType(
    {
        "each on its own": Thing("return epsilon <= self.total\n"),
        "one round late": Thing(
            "if self.spent > self.total:\n    return False\nself.spent += epsilon\nreturn True\n"
        ),
        "a tenth is free": Thing(f"if epsilon < 0.1 * self.total:\n    return True\n{BOOKED}"),
        "refusal resets": Thing(
            BOOKED.replace("    return", "    self.spent = 0.0\n    return", 1)
        ),
        "every seventh": Thing(
            f"self.count += 1\nif self.count % 7 == 0:\n    return True\n{BOOKED}"
        ),
        "after forty": Thing(f"self.count += 1\nif self.count > 40:\n    return True\n{BOOKED}"),
        "sum and turn": Thing(
            "self.count += 1\nif self.spent > 0.37 * self.total and self.count % 7 == 3:\n"
            f"    return True\n{BOOKED}"
        ),
        "thin strip": Thing(
            "x, y = self.spent, epsilon\n"
            "if 0.2475 * self.total**2 < x * y < 0.2476 * self.total**2:\n"
            f"    return True\n{BOOKED}"
        ),
        "less than before": Thing(
            f"before, self.last = self.last, epsilon\nif 0 < before - epsilon < 0.001:\n"
            f"    return True\n{BOOKED}"
        ),
        "plain": PLAIN,
        "what is left": Thing(LEFT, right=True),
        "counts, too": Thing(
            f"self.count += 1\nif self.count > 1000:\n    return False\n{BOOKED}", right=True
        ),
    }
)
EDITS: Mapping[str, Edit] = MappingProxyType(
    {
        "what is left": Edit(PLAIN, Thing(LEFT), looser=False),
        "early return": Edit(
            PLAIN,
            Thing(
                "if self.spent + epsilon <= self.total:\n    self.spent += epsilon\n"
                "    return True\nreturn False\n"
            ),
            looser=False,
        ),
        "stricter": Edit(
            PLAIN, Thing(BOOKED.replace("self.total", "0.9 * self.total")), looser=False
        ),
        "half after twelve": Edit(
            PLAIN,
            Thing(
                "self.count += 1\ncost = epsilon / 2 if self.count > 12 else epsilon\n"
                f"{BOOKED.replace('epsilon', 'cost')}"
            ),
            looser=True,
        ),
        "free below a hundredth": Edit(
            PLAIN, Thing(f"if epsilon < 0.01 * self.total:\n    return True\n{BOOKED}"), looser=True
        ),
        "strip": Edit(PLAIN, OBJECTS["thin strip"], looser=True),
    }
)
