"""Which theorem in Coq says that a filter or an odometer keeps its promise: theorem -> axioms.

Every filter and odometer that is called sound has an entry here: the theorems that together prove
it, or why it rests on the search alone.  A theorem about one filter inside another (the hybrids,
the floor) is conditional on the inner one, so the inner one's theorem stands beside it.

`python -m filterproof_proofs.coq_theorems` compiles everything and prints `docs/THEOREMS.md`.
"""

import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from filterproof.filters.registry import REGISTRY
from filterproof.odometers.registry import ODOMETERS
from filterproof_proofs.coq import CoqError, Theorem, allowed_axioms, prove_theorems


@dataclass(frozen=True)
class Backing:
    """The theorems that say that a filter is private, and what they leave to the search."""

    theorems: tuple[str, ...]
    gap: str = ""


def _by(*theorems: str) -> Backing:
    return Backing(theorems)


PROVED: Mapping[str, Backing] = MappingProxyType(
    {
        "additive": _by("additive_private"),
        "advanced-rogers": _by("advanced_rogers_private"),
        "rdp-mironov": _by("rdp_mironov_private"),
        "rdp-tight": _by("rdp_tight_private"),
        "rdp-weighted": _by("rdp_weighted_private"),
        "whitehouse": _by("whitehouse_private"),
        "gdp": _by("gdp_private"),
        "bayesian": _by("bayesian_private"),
        "hybrid": _by("hybrid_private", "additive_private"),
        "hybrid-whitehouse": _by("hybrid_private", "whitehouse_private"),
        "hybrid-charge": _by("hybrid_charge_private", "additive_private"),
        "floor-additive": _by("floor_private", "additive_private"),
        "floor-rdp": _by("floor_private", "rdp_tight_private", "rdp_mironov_private"),
        "floor-gdp": _by("floor_private", "gdp_private"),
        "naive-over-n": _by("naive_over_n_private"),
        "naive-product": _by("naive_product_private"),
        "repaired": _by("repaired_live_private_paper"),
        "repaired-sharp": _by("repaired_live_private"),
        "repaired-upper-bound": _by("repaired_live_private_paper"),
        "product": _by("product_private"),
        "restricted": _by("restricted_private"),
        "restricted-product": _by("restricted_product_private"),
        "compensator": _by("compensator_private"),
        "compensator-recycling": _by("recycling_private"),
        "compensator-capped": _by("capped_private"),
        "joint-capped": _by("joint_private"),
        "tilted": _by("tilted_private"),
        "compensator-upper-bound": _by("compensator_upper_bound_private"),
        "runtime": Backing(
            ("runtime_private",), "runtime_private covers its rule, not its doubles"
        ),
        "odometer-additive": _by("odometer_additive_keeps"),
        "odometer-realised": _by("odometer_realised_keeps"),
        "odometer-forgiving": _by("odometer_forgiving_keeps"),
        "odometer-renyi": _by("odometer_renyi_keeps"),
        "odometer-renyi-orders": _by("odometer_renyi_orders_keeps"),
        "odometer-guesses": _by("odometer_guesses_keeps"),
    }
)
"""What stands behind each; one without a theorem would say so in its gap."""


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


# --- docs/THEOREMS.md -----------------------------------------------------------------------

HEAD = """\
# Filters, odometers and their theorems

Made by `python -m filterproof_proofs.coq_theorems` from a build of `proofs/coq`; a test compares.
Each theorem of the first table holds for every random adaptive adversary, any number of rounds, any
list of ordered pairs (with both directions of each for the two advanced filters) and laws with
finitely many outputs (the runtime: countably many). The look-ahead filters (`repaired*`, `product`,
`restricted*`) need two things more: menus are blind and refusals inert (both words: below). A
theorem is about the rule as stated in `proofs/coq`, not about the Python, and covers every filter
that runs a round (looking ahead: goes on) only where the rule allows it; for an odometer it says
that the realised loss exceeds some report with probability at most delta. Axioms are named without
their modules, and are those of all theorems of the same file; nothing else is assumed.

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


def markdown(theorems: list[Theorem]) -> str:
    """Return the page: what is called sound, the axioms in full, and every theorem there is."""
    rows = [
        f"| {row.filter} | {row.standing} | {', '.join(map(short, row.axioms)) or '-'} |\n"
        for row in table(theorems)
    ]
    full = ", ".join(f"`{axiom}`" for axiom in sorted(allowed_axioms()))
    lines = [f"| {one.name} | {one.file} | {one.paper} | {one.words} |\n" for one in theorems]
    allowed = f"\nThe axioms that a theorem may use, in full: {full}.\n"
    return "".join([HEAD, *rows, allowed, THEOREMS_HEAD, *lines])


if __name__ == "__main__":
    sys.stdout.write(markdown(prove_theorems()))
