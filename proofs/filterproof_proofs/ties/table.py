"""Every filter and odometer that is called sound: how its code is tied to its theorem, or why not.

Three ways.  `ByRule`: the code runs a round only where the rule of the theorem allows it (`tie`).
`ByPotential`: the code's own `remaining` is a potential (`potential`), which is a theorem for
whatever filter has one.  `Untied`: the reason.
"""

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from filterproof.filters.registry import REGISTRY
from filterproof.odometers.registry import ODOMETERS
from filterproof_proofs.backing import PROVED
from filterproof_proofs.potential import Effort
from filterproof_proofs.potential import prove as prove_potential
from filterproof_proofs.potential.verdicts import RESTS_ON, Verdict
from filterproof_proofs.refinement.induction import Clock
from filterproof_proofs.symbolic.program import Program
from filterproof_proofs.ties.ahead import ProductRule, RepairedRule
from filterproof_proofs.ties.contracts import trusted_words
from filterproof_proofs.ties.losses import (
    BayesianRule,
    CompensatorRule,
    GridRule,
    NaiveProductRule,
    NaiveRule,
)
from filterproof_proofs.ties.phases import FloorRule, PhasesRule, inner_filter, no_charge, no_risk
from filterproof_proofs.ties.reports import (
    AdditiveReport,
    ForgivingReport,
    RealisedReport,
    RenyiReport,
)
from filterproof_proofs.ties.rules import (
    AdditiveRule,
    GaussianRule,
    RenyiRule,
    RogersRule,
    WeightedRule,
    WhitehouseRule,
)
from filterproof_proofs.ties.tie import NotTied, Proof, Rule, prove
from filterproof_proofs.ties.world import Size

SECONDS = 600.0
"""For one filter, at most, on a busy machine."""
ANY, NO_LAWS = (Size(), Size(databases=3)), Size(laws=False)
PAN, ADDITIVE = "filterproof.filters.pan", "filterproof.filters.additive.Additive"
LAWS = "every law, 2 or 3 databases"
ALL_LAWS = "every law, every set of databases"
LISTED = "laws with at most {} outputs and menus of at most {} requests, 2 databases"


@dataclass(frozen=True)
class ByRule:
    """The code runs a round only where these rules allow it, for rounds of these sizes."""

    rules: tuple[Rule, ...]
    covers: str = LAWS
    sizes: tuple[Size, ...] = ANY
    inner: str = ""
    """The class of the filter inside, in whose place any filter stands; its own row is its tie."""


@dataclass(frozen=True)
class ByPotential:
    """The code's own account of what a pair may still lose pays for every round."""

    outputs: int = 2


@dataclass(frozen=True)
class Untied:
    """The code is not tied, for a reason."""

    why: str


Way = ByRule | ByPotential | Untied


def _rule(rule: Rule, covers: str = LAWS, **others: Any) -> ByRule:
    return ByRule((rule,), covers, **others)


def _costs(rule: Rule, beside: str = "") -> ByRule:
    """Tie a filter that looks at what a mechanism declares or costs, and at no law."""
    return _rule(rule, f"{ALL_LAWS}{beside}", sizes=(NO_LAWS,))


def _ahead(rule: Rule) -> ByRule:
    return _rule(rule, LISTED.format(2, 2), sizes=(Size(1, 0), Size(1, 1), Size(2, 1), Size(2, 2)))


_ORDERS = tuple(Size(orders=many, laws=False) for many in (1, 2, 3))
_NARROWED = "it narrows a `Step` by the dictionary of its attributes, which is not interpreted"

WAYS: Mapping[str, Way] = MappingProxyType(
    {
        "additive": _costs(AdditiveRule()),
        "advanced-rogers": _costs(RogersRule()),
        "rdp-mironov": _costs(RenyiRule(tight=False), ", every order above 1"),
        "rdp-tight": _costs(RenyiRule(tight=True), ", every order above 1"),
        "rdp-weighted": ByRule(
            (WeightedRule(), WeightedRule(equal_weights=True)),
            f"{ALL_LAWS}, at most 3 orders, any weights or equal ones",
            _ORDERS,
        ),
        "whitehouse": _costs(WhitehouseRule(), ", every delta_prime"),
        "gdp": _costs(GaussianRule()),
        "gdp-residue": Untied("what is a residue is decided in Arb's balls, not interpreted"),
        "additive-per-pair": Untied("its accounts are a tuple of no fixed length"),
        "individual-supremum": Untied("it takes texts apart: requests, databases"),
        "pay-once": Untied("it walks through all that may still be asked"),
        "pay-once-delta": Untied("it walks through all that may still be asked"),
        "bayesian": _rule(BayesianRule()),
        "hybrid": _rule(PhasesRule(PAN, no_risk), inner=ADDITIVE),
        "hybrid-whitehouse": _rule(
            PhasesRule(PAN, no_risk), inner="filterproof.filters.advanced.Whitehouse"
        ),
        "hybrid-charge": _rule(PhasesRule(PAN, no_charge), inner=ADDITIVE),
        "naive-over-n": _rule(NaiveRule(), f"{LAWS}, every N"),
        "naive-product": _rule(NaiveProductRule()),
        "repaired": _ahead(RepairedRule(sharp=False)),
        "repaired-sharp": _ahead(RepairedRule(sharp=True)),
        "repaired-upper-bound": _ahead(RepairedRule(sharp=False)),
        "product": _ahead(ProductRule()),
        "restricted": Untied(_NARROWED),
        "restricted-product": Untied(_NARROWED),
        "compensator": _rule(CompensatorRule()),
        "compensator-recycling": ByPotential(),
        "compensator-capped": ByPotential(),
        "joint-capped": Untied(
            "its shares are worked out over both directions in turn, too many cases"
        ),
        "tilted": Untied("its tilts are powers with an exponent that is not known"),
        "compensator-upper-bound": _rule(GridRule(), f"{LAWS}, every grid"),
        "floor-additive": _rule(FloorRule(), f"{LAWS}, every share", inner=ADDITIVE),
        "floor-gdp": _rule(
            FloorRule(), f"{LAWS}, every share", inner="filterproof.filters.gdp.GaussianDP"
        ),
        "floor-rdp": _rule(
            FloorRule(), f"{LAWS}, every share", inner="filterproof.filters.rdp.RenyiTight"
        ),
        "runtime": Untied(
            "it computes in doubles over columns of numpy, which are not interpreted"
        ),
        "odometer-additive": _costs(AdditiveReport()),
        "odometer-realised": _rule(RealisedReport()),
        "odometer-forgiving": _rule(ForgivingReport(), "every law, 2 databases", sizes=(Size(),)),
        "odometer-renyi": _costs(RenyiReport(), ", every whole order"),
        "odometer-renyi-orders": _rule(
            RenyiReport(), f"{ALL_LAWS}, at most 3 whole orders", sizes=_ORDERS
        ),
        "odometer-guesses": Untied(
            "seven filters answer in every round, too many cases; each is rdp-mironov"
        ),
    }
)
TARGETS = {one.name: one.target for one in (*REGISTRY, *ODOMETERS)}


@dataclass(frozen=True)
class Tie:
    """What was run for one filter, and what came of it."""

    name: str
    how: str
    covers: str
    trusts: str
    tied: bool
    paths: int = 0
    seconds: float = 0.0

    @property
    def theorems(self) -> tuple[str, ...]:
        """The theorems that it is tied to."""
        return PROVED[self.name].theorems

    def data(self) -> dict[str, Any]:
        """Return the verdict as data."""
        data: dict[str, Any] = {
            "target": self.name,
            "verdict": str(Verdict.PROVED),
            "how": self.how,
        }
        data |= {"theorems": list(self.theorems), "covers": self.covers, "trusts": self.trusts}
        return data | {"paths": self.paths, "seconds": round(self.seconds, 1)}

    def lines(self) -> list[str]:
        """Return the verdict as a person reads it."""
        return [
            f"PROVED  {self.name}: {self.how.replace('`', '')}",
            f"  theorem    {', '.join(self.theorems)}",
            f"  covers     {self.covers}; any number of rounds, any adversary",
            f"  trusts     {self.trusts or 'nothing'} (docs/internals/THEOREMS.md)",
            f"  took       {self.paths} paths, {self.seconds:.1f} s",
        ]

    def row(self) -> str:
        """Return its line in docs/internals/THEOREMS.md."""
        cells = (
            self.name,
            ", ".join(self.theorems),
            self.how,
            self.covers,
            self.trusts,
        )
        return f"| {' | '.join(cell or '-' for cell in cells)} |"


def tie(name: str, program: Program | None = None, seconds: float = SECONDS) -> Tie:
    """Tie one filter's code to its theorem, or raise `NotTied`; `program` is its source."""
    begun, way = time.monotonic(), WAYS[name]
    if isinstance(way, Untied):
        return Tie(name, f"not tied: {way.why}", "", "", tied=False)
    program = program or Program.of(TARGETS[name])
    if isinstance(way, ByPotential):
        return _by_potential(name, way, program, begun, seconds)
    clock = Clock(begun + seconds)
    inner = {way.inner: inner_filter} if way.inner else {}
    proofs = [Proof(program, rule, size, clock, inner) for rule in way.rules for size in way.sizes]
    for one in proofs:
        prove(one)
    used = {path for one in proofs for path in one.used} - {way.inner}
    how = f"never looser than `{way.rules[0].coq}`"
    how += f", over any filter in place of {way.inner.rpartition('.')[2]}" if way.inner else ""
    paths = sum(one.paths for one in proofs)
    return Tie(name, how, way.covers, trusted_words(used), True, paths, time.monotonic() - begun)


def _by_potential(
    name: str, way: ByPotential, program: Program, begun: float, seconds: float
) -> Tie:
    found = prove_potential(program, Effort(way.outputs, seconds=seconds))
    if found.verdict is not Verdict.PROVED:
        raise NotTied(f"the potential: {found.verdict}")
    covers = f"laws with at most {way.outputs} outputs, 2 databases"
    paths = sum(part.paths for part in found.parts)
    how = f"its `remaining` is a potential (`{RESTS_ON}`)"
    return Tie(name, how, covers, "exceeds", True, paths, time.monotonic() - begun)


def ties() -> Iterator[Tie]:
    """Tie every filter, one after the other."""
    return (tie(name) for name in WAYS)


# --- docs/internals/THEOREMS.md -----------------------------------------------------------------

HEAD = """\
## How the code is tied

Made by `python -m filterproof_proofs.ties --write`, which runs every proof; `make prove` runs them
again and compares. A filter is *tied* to its theorem if its Python, interpreted on unknown numbers,
runs a round only where the rule of the theorem (named as in `proofs/coq`) allows it, whatever was
asked before: for every adversary, any number of rounds, every epsilon (rational or log(q)), delta
and parameter that it offers and accepts (others have their defaults). Functions that are *trusted*
are not followed: each is taken to say what its docstring promises, which tests compare with the
definitions in exact numbers; a comparison is believed only where it says yes. Databases are all
neighbours, both directions of each pair. At delta = 1 the look-ahead filters have nothing to prove.

| called sound | theorem | code | covered | trusted |
|---|---|---|---|---|
"""


def section(rows: list[Tie]) -> str:
    """Return the part of the page that says how each filter's code is tied."""
    return HEAD + "".join(f"{one.row()}\n" for one in rows)


def section_of(page: str) -> str:
    """Return that part of a page as it is.

    >>> section_of("# A\\n\\n## How the code is tied\\nso\\n\\n## Every theorem\\n")
    '## How the code is tied\\nso\\n'
    """
    begun = page.index(HEAD.split("\n", 1)[0])
    return page[begun : page.index("\n## ", begun)]
