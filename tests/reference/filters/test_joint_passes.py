"""Passes of joint caps: one leaves nothing stranded, three can (`proofs/coq/JointExact.v`)."""

from fractions import Fraction

import pytest

from filterproof.exact import ExpLinear, Log
from filterproof.filters import joint
from filterproof.filters.joint import Direction, JointCapped, joint_shares

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


@pytest.mark.parametrize(("passes", "stranded"), [(1, []), (2, []), (3, ["d"]), (4, ["d"])])
def test_the_first_direction_holds_more_than_the_second_lets_it_lose(
    monkeypatch: pytest.MonkeyPatch, passes: int, stranded: list[str]
) -> None:
    monkeypatch.setattr(joint, "PASSES", passes)
    one, other = directions()
    ours, theirs = joint_shares(one, other, EPSILON)
    caps = {y: one.room[y] - (other.room[y] - theirs[y] * other.mass[y]) * SHRINK for y in one.room}
    assert [y for y in caps if ours[y] * one.mass[y] > caps[y]] == stranded
    assert [y for y in caps if ours[y] * one.mass[y] < caps[y]]  # somebody could have it


@pytest.mark.parametrize("passes", [1, 2, 3, 4])
def test_all_that_is_left_is_handed_on(monkeypatch: pytest.MonkeyPatch, passes: int) -> None:
    monkeypatch.setattr(joint, "PASSES", passes)
    for direction, shares in zip(directions(), joint_shares(*directions(), EPSILON), strict=True):
        handed = (shares[y] * p for y, p in direction.mass.items())
        assert sum(handed, ExpLinear(0, 0, EPSILON)) == direction.rest
