"""Passes of joint caps: one leaves nothing stranded, three can (`proofs/coq/JointExact.v`)."""

from fractions import Fraction

from filterproof.exact import ExpLinear, Log
from filterproof.filters.joint import (
    Direction,
    JointCapped,
    Shares,
    caps,
    fill_up,
    joint_shares,
)

F = Fraction
EPSILON, SHRINK = Log(F(11, 10)), F(10, 11)
FIRST = {"a": F(85), "b": F(156), "c": F(484), "d": F(1, 1000)}
SECOND = {"a": F(190), "b": F(8403), "c": F(413), "d": F(11, 10000)}
REST, OTHER_REST = F(185), F(187)


def directions() -> tuple[Direction, Direction]:
    """One round in masses, with what both directions have left after its charge."""
    rule = JointCapped(EPSILON, F(1, 2))

    def direction(
        rest: Fraction, mass: dict[str, Fraction], other: dict[str, Fraction]
    ) -> Direction:
        room = {y: rule.room(mass[y], other[y]) for y in mass}
        return Direction(ExpLinear(rest, 0, EPSILON), mass, room)

    return direction(REST, FIRST, SECOND), direction(OTHER_REST, SECOND, FIRST)


def after_passes(count: int) -> tuple[Shares, Shares]:
    """What both directions hold in masses after so many passes of the caps."""
    one, other = directions()
    theirs = fill_up(other, other.room)
    for _ in range(count):
        ours = fill_up(one, caps(one, other, theirs, SHRINK))
        theirs = fill_up(other, caps(other, one, ours, SHRINK))
    return ours, theirs


def stranded(ours: Shares, theirs: Shares) -> list[str]:
    """After which outputs the first direction holds more than the second lets it lose."""
    one, other = directions()
    limits = caps(one, other, theirs, SHRINK)
    assert [y for y in limits if ours[y] < limits[y]]  # somebody could have it
    return [y for y in limits if ours[y] > limits[y]]


def test_the_filter_strands_nothing() -> None:
    one, other = directions()
    shares = joint_shares(one, other, EPSILON)
    held = [
        {y: share[y] * mass for y, mass in direction.mass.items()}
        for direction, share in zip((one, other), shares, strict=True)
    ]
    assert stranded(*held) == []
    assert held == [*after_passes(1)]


def test_with_three_passes_it_would() -> None:
    """The twin, in exact arithmetic: the round that `JointExact.v` speaks of."""
    assert [stranded(*after_passes(count)) for count in (1, 2, 3, 4)] == [[], [], ["d"], ["d"]]


def test_all_that_is_left_is_handed_on() -> None:
    for direction, shares in zip(directions(), joint_shares(*directions(), EPSILON), strict=True):
        handed = (shares[y] * p for y, p in direction.mass.items())
        assert sum(handed, ExpLinear(0, 0, EPSILON)) == direction.rest
