"""Relations and coverage in words: the target's own names first."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from filterproof_proofs.refinement.machine import Shape
from filterproof_proofs.refinement.relations import NEVER, Monomial, Relation
from filterproof_proofs.refinement.samples import Setting

MOST_LINES = 6
"""Relations that are shown for one shape."""


def invariant_words(
    setting: Setting, relations: Mapping[Shape, Sequence[Relation]]
) -> tuple[str, ...]:
    """Return what holds in every state, one line per shape."""
    meaning = {one.name: one.words for one in setting.counts}
    lines = []
    for shape, found in relations.items():
        if NEVER in found:
            continue
        told = [_words(one, meaning) for one in found if _is_telling(one, shape, meaning)]
        lines.append(f"{shape.words}: " + ("; ".join(told[:MOST_LINES]) or "nothing is known"))
    used = {name for found in relations.values() for one in found for name in one.names}
    legend = [f"{name} is {words}" for name, words in meaning.items() if name in used]
    return (*lines, *legend)


def _is_telling(one: Relation, shape: Shape, meaning: Mapping[str, str]) -> bool:
    """Whether a relation ties a number to what is counted, or to one of the other version."""
    inside = one.names & {*shape.names}
    versions = {name[:3] for name in inside} >= {"new", "old"}
    return bool(inside and (one.names & {*meaning} or one.equal or versions))


def _words(one: Relation, meaning: Mapping[str, str]) -> str:
    """Return one relation as a sentence.

    >>> spent = Relation(((("self.spent",), Fraction(1)), (("E",), Fraction(-1))), True)
    >>> _words(spent, {"E": "the sum of the epsilons that ran"})
    'self.spent is the sum of the epsilons that ran'
    """
    left = [(product, factor) for product, factor in one.terms if factor > 0]
    right = [(product, -factor) for product, factor in one.terms if factor < 0]
    if one.equal and len(left) == len(right) == 1 and left[0][1] == right[0][1]:
        names = sorted((left[0][0], right[0][0]), key=lambda product: "." not in "".join(product))
        said = [meaning.get("*".join(product), "*".join(product)) for product in names]
        return f"{said[0] or 1} is {said[1] or 1}"
    return f"{_sum(left)} {'=' if one.equal else '>='} {_sum(right)}"


def _sum(terms: Sequence[tuple[Monomial, Fraction]]) -> str:
    return " + ".join(_product(product, factor) for product, factor in terms) or "0"


def _product(product: Monomial, factor: Fraction) -> str:
    small = factor.numerator == 1 and factor.denominator & (factor.denominator - 1) == 0
    if product and small and factor.denominator > 2**20:
        return f"2^-{factor.denominator.bit_length() - 1}*{'*'.join(product)}"
    return "*".join([*([] if factor == 1 and product else [str(factor)]), *product])


@dataclass(frozen=True)
class Covered:
    """What a proof covers, and what it leaves out."""

    covers: tuple[str, ...]
    leaves_out: tuple[str, ...]


def covered(setting: Setting, room: Fraction, rounds: bool, grows: bool = False) -> Covered:
    """Return what PROVED covers, and what it leaves out."""
    ranges = " and ".join(_range_words(name) for name in setting.limits)
    covers = [
        "all laws, outputs, databases, adversaries; any number of rounds",
        f"every {ranges} that the code accepts",
        _arithmetic(setting, room, rounds),
    ]
    odd = ["requests that are no finite number >= 0 (filterproof failopen plays them)"]
    left_out = [] if "odds" in setting.limits else odd
    long = ["a list of more than 2^26 elements"] if grows and rounds else []
    return Covered(
        tuple(covers), (*left_out, *long, "calls at the same time, from threads or tasks")
    )


def _range_words(name: str) -> str:
    if name == "odds":
        return "epsilon >= 0, a rational or the logarithm of one,"
    return f"{name} in [0, 1]" if name == "delta" else f"{name} >= 0"


def _arithmetic(setting: Setting, room: Fraction, rounds: bool) -> str:
    if not rounds:
        return "exact arithmetic: nothing is rounded"
    if not room:
        return "doubles, every operation rounded, budgets up to 2^64, costs of any size"
    power = room.denominator.bit_length() - 1
    near_zero = " + (n + 1) 2^-1000" if setting.tiny else ""
    products = dict.fromkeys("*".join(one.limit) for one in setting.counts)
    limits = ", ".join(f"{one} (1 + n 2^-{power}){near_zero}" for one in products)
    worst = float(10**6 * room)
    return (
        "doubles, every operation rounded, budgets up to 2^64, costs of any size: what is "
        f"promised holds at ({limits}) after n rounds, for every n (n = 10^6: {worst:.1e} more)"
    )
