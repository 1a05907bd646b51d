"""Which theorem in Coq says that a filter or an odometer keeps its promise: theorem -> axioms.

Every filter and odometer that is called sound has an entry here: the theorems that together prove
it, or why it rests on the search alone.  A theorem about one filter inside another (the hybrids,
the floor) is conditional on the inner one, so the inner one's theorem stands beside it.

`python -m filterproof_proofs.coq_theorems` compiles all and prints `docs/internals/THEOREMS.md`.
"""

import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from filterproof.filters.registry import REGISTRY
from filterproof.odometers.registry import ODOMETERS
from filterproof_proofs.backing import PROVED
from filterproof_proofs.coq import CoqError, Theorem, allowed_axioms, prove_theorems


class NoTheorem(CoqError):
    """A filter is called sound and nothing is said about a theorem for it."""


def standing(name: str) -> str:
    """Return what stands behind a filter that is called sound.

    >>> standing("hybrid"), standing("gdp")
    ('hybrid_private, additive_private', 'gdp_private')
    >>> standing("runtime")
    'search only: runtime_private covers its rule, not its doubles'
    >>> standing("a-wish")
    Traceback (most recent call last):
    filterproof_proofs.coq_theorems.NoTheorem: 'a-wish' has no entry in PROVED: a theorem, or a gap
    """
    if name not in PROVED:
        raise NoTheorem(f"{name!r} has no entry in PROVED: a theorem, or a gap")
    backing = PROVED[name]
    return f"search only: {backing.gap}" if backing.gap else ", ".join(backing.theorems)


@dataclass(frozen=True)
class Row:
    """One filter that is called sound, what stands behind it, and the axioms of that."""

    filter: str
    standing: str
    theorems: tuple[str, ...]
    axioms: tuple[str, ...]


def table(theorems: Iterable[Theorem]) -> list[Row]:
    """Return one row per filter and odometer that is called sound, from theorems just compiled."""
    known = {one.name: one for one in theorems}
    filters = [one.name for one in REGISTRY if one.sound]
    odometers = [one.name for one in ODOMETERS if one.sound]
    return [_row(name, known) for name in (*filters, "runtime", *odometers)]


def _row(name: str, known: Mapping[str, Theorem]) -> Row:
    said = standing(name)
    named = PROVED[name].theorems
    if missing := [theorem for theorem in named if theorem not in known]:
        raise NoTheorem(f"{name!r} names theorems that no index states: {missing}")
    axioms = sorted({axiom for theorem in named for axiom in known[theorem].axioms})
    return Row(name, said, named, tuple(axioms))


def short(axiom: str) -> str:
    """Return an axiom's name without its module.

    >>> short("Classical_Prop.classic")
    'classic'
    """
    return axiom.rpartition(".")[2]


# --- docs/internals/THEOREMS.md ------------------------------------------------------------

HEAD = """\
# Filters, odometers and their theorems

Made by `python -m filterproof_proofs.coq_theorems` from a build of `proofs/coq`; a test compares.
Each theorem of the first table holds for every random adaptive adversary, any number of rounds, any
list of ordered pairs (with both directions of each for the two advanced filters) and laws with
finitely many outputs (the runtime: countably many). The look-ahead filters (`repaired*`, `product`,
`restricted*`) need two things more: menus are blind and refusals inert (both words: below). A
theorem is about the rule as stated in `proofs/coq` and covers every filter that runs a round
(looking ahead: goes on) only where the rule allows it; that the Python is such a filter is the next
table. For an odometer a theorem says that the realised loss exceeds some report with probability at
most delta. Axioms are named without their modules, and are those of all theorems of the same file;
nothing else is assumed.

| called sound | theorem | axioms |
|---|---|---|
"""
THEOREMS_HEAD = """
## Every theorem

*Blind menus*: what is on offer next does not depend on the output just released. *Inert refusals*:
a refused request changes neither what is on offer nor any law.

| theorem | file | paper | says |
|---|---|---|---|
"""


def markdown(theorems: list[Theorem], tied: str) -> str:
    """Return the page: what is called sound, axioms, how code is tied, every theorem there is."""
    rows = [
        f"| {row.filter} | {row.standing} | {', '.join(map(short, row.axioms)) or '-'} |\n"
        for row in table(theorems)
    ]
    full = ", ".join(f"`{axiom}`" for axiom in sorted(allowed_axioms()))
    lines = [f"| {one.name} | {one.file} | {one.paper} | {one.words} |\n" for one in theorems]
    allowed = f"\nThe axioms that a theorem may use, in full: {full}.\n\n"
    return "".join([HEAD, *rows, allowed, tied, THEOREMS_HEAD, *lines])


if __name__ == "__main__":
    from filterproof_proofs.ties.table import section, ties

    sys.stdout.write(markdown(prove_theorems(), section(list(ties()))))
