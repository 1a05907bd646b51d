"""Passes of joint caps: one leaves nothing stranded, three can (`proofs/coq/JointExact.v`)."""

from fractions import Fraction

import pytest

from filterproof.exact import ExpLinear, Log
from filterproof.filters import joint
from filterproof.filters.joint import Direction, JointCapped, joint_shares

F = Fraction
EPSILON, SHRINK = Log(F(11, 10)), F(10, 11)
MASSES = {"a": (85, 190), "b": (156, 8403), "c": (484, 413), "d": (F(1, 1000), F(11, 10000))}
RESTS = (185, 187)


def directions() -> tuple[Direction, Direction]:
    """One round in masses, with what both directions have left after its charge."""
    rule = JointCapped(EPSILON, F(1, 2))
    first, second = ({y: F(both[i]) for y, both in MASSES.items()} for i in (0, 1))
    rooms = ({y: rule.room(a[y], b[y]) for y in a} for a, b in ((first, second), (second, first)))
    rests = (ExpLinear(rest, 0, EPSILON) for rest in RESTS)
    one, other = zip(rests, (first, second), rooms, strict=True)
    return Direction(*one), Direction(*other)


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
