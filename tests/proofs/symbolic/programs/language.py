"""Small programs: what they return must be the same when they are run and when interpreted."""

import copy
import itertools
import math
import operator
from abc import ABC, abstractmethod
from collections import Counter, defaultdict, deque
from contextlib import contextmanager, suppress
from dataclasses import KW_ONLY, astuple, dataclass, field, replace
from decimal import Decimal
from enum import Enum, IntEnum, StrEnum, auto
from fractions import Fraction
from functools import partial, reduce, wraps
from typing import Any, ClassVar, NamedTuple

LIMIT = 3
table: dict[str, int] = {"a": 1, "b": 2}


class Phase(StrEnum):
    OPEN = "open"
    CLOSED = auto()

    @property
    def shut(self) -> bool:
        return self is Phase.CLOSED

    def other(self) -> "Phase":
        return Phase.OPEN if self.shut else Phase.CLOSED


class Rank(IntEnum):
    LOW = 1
    HIGH = 2


class Colour(Enum):
    RED = "red"


class Point(NamedTuple):
    x: Fraction
    y: Fraction = Fraction(1, 2)

    def total(self) -> Fraction:
        return self.x + self.y


@dataclass
class Account:
    total: Any
    used: Any = 0
    names: list[str] = field(default_factory=list)
    note: str = field(default="", compare=False)
    kind: ClassVar[str] = "account"

    def fits(self, amount: Any) -> bool:
        return bool(self.used + amount <= self.total)


@dataclass(frozen=True, order=True)
class Frozen:
    a: int
    _: KW_ONLY
    b: int = 2

    def __post_init__(self) -> None:
        object.__setattr__(self, "c", self.a + self.b)


class Base(ABC):
    seen = 0

    def __init__(self, size: int) -> None:
        self.size = size
        self._grown = size

    @abstractmethod
    def name(self) -> str: ...

    @property
    def grown(self) -> int:
        return self._grown

    @grown.setter
    def grown(self, value: int) -> None:
        self._grown = max(value, self._grown)

    @classmethod
    def made(cls, size: int) -> "Base":
        return cls(size)

    @staticmethod
    def double(x: int) -> int:
        return 2 * x

    def __add__(self, other: Any) -> Any:
        if not isinstance(other, Base):
            return NotImplemented
        return type(self)(self.size + other.size)

    def __len__(self) -> int:
        return self.size

    def __getitem__(self, i: int) -> int:
        if i >= self.size:
            raise IndexError(i)
        return i * i


class Derived(Base):
    def __init__(self, size: int) -> None:
        super().__init__(size)
        self.extra = [*range(size)]

    def name(self) -> str:
        return f"derived {self.size:03d} {self.extra!r}"


class Broken(ValueError):
    def __init__(self, what: str) -> None:
        super().__init__(what, 7)
        self.what = what


def numbers() -> Any:
    return [
        7 // 2, -7 // 2, -7 % 3, 7 / 2, 2**10, 2**-1, Fraction(1, 3) + 1, Fraction(1, 2) == 0.5,
        round(2.5), round(Fraction(7, 2)), math.floor(-1.5), math.ceil(Fraction(3, 2)), divmod(7, 3),
        int("12"), float("1e3"), Decimal("1.10") + 1, abs(-3), min(3, 1, 2), max([1, 5], key=lambda v: -v),
        sum([Fraction(1, 2)] * 3, Fraction(0)), 1 < 2 <= 2 < 3, 1 < 3 < 2, not 0, 3 & 5, 1 << 4, True + True,
    ]  # fmt: skip


def texts() -> Any:
    name = "x"
    return [
        f"{name!r:>5}|{3.14159:.2f}|{name}",
        "%s-%d" % ("a", 3),
        ["a", "b"],
        "ab"[::-1],
        "-".join(["a", "b"]),
    ]


def sequences() -> Any:
    a, *b, c = [1, 2, 3, 4]
    (d, e), f = (1, 2), {"k": [1, {"z": 2}]}
    f["k"][1]["z"] += 5
    rows = [[i * j for j in range(3) if j != i] for i in range(3)]
    evens = {i: i**2 for i in range(6) if i % 2 == 0}
    total = 0
    for i, (x, y) in enumerate(zip("abc", range(3), strict=True)):
        if x == "b":
            continue
        total += i * y
    else:
        total += 100
    lines = [1, 2, 3]
    lines[1:2] = [9, 9]
    del lines[0]
    queue = deque([1, 2], maxlen=2)
    queue.append(3)
    counts: Any = defaultdict(int)
    counts["a"] += 2
    return [a, b, c, d, e, f, rows, evens, total, lines, list(queue), dict(counts), Counter("aab")["a"],
            sorted({3, 1, 2}), 2 in {1, 2}, [*range(5, 0, -2)], (lambda p, q=2, *r, s=4, **t: (p, q, r, s, t))(1, 5, 6, s=7, u=8)]  # fmt: skip


def flow() -> Any:
    found: list[Any] = []
    for error in (ValueError("v"), KeyError("k"), Broken("b")):
        try:
            if error:
                raise error
        except Broken as caught:
            found.append((caught.what, caught.args))
        except (KeyError, TypeError) as caught:
            found.append(("key", caught.args))
        except Exception as caught:
            found.append(("other", str(caught)))
        else:
            found.append("never")
        finally:
            found.append("finally")
    i = 0
    while True:
        i += 1
        if i == 2:
            continue
        if i > 4:
            break
        found.append(i)
    with suppress(ZeroDivisionError):
        found.append(1 / 0)
    return found


@contextmanager
def noting(notes: list[str], hide: bool) -> Any:
    notes.append("in")
    try:
        yield len(notes)
    except ValueError:
        notes.append("error")
        if not hide:
            raise
    finally:
        notes.append("out")


def contexts() -> Any:
    notes: list[Any] = []
    with noting(notes, True) as n:
        notes.append(n)
        raise ValueError
    try:
        with noting(notes, False):
            raise ValueError("again")
    except ValueError as error:
        notes.append(str(error))
    return notes


def counted(limit: int) -> Any:
    for i in itertools.count():
        if i >= limit:
            return "end"
        got = yield i
        if got:
            yield got


def generators() -> Any:
    def inner() -> Any:
        last = yield from counted(2)
        yield last

    return [
        *inner(),
        next(i for i in range(10) if i > LIMIT),
        any(x == 2 for x in counted(3)),
        list(map(str, counted(2))),
    ]


def closures() -> Any:
    total = 0

    def add(n: int) -> int:
        nonlocal total
        total += n
        return total

    def traced(function: Any) -> Any:
        @wraps(function)
        def inside(*args: Any, **kwargs: Any) -> Any:
            return ("traced", function(*args, **kwargs))

        return inside

    @traced
    def twice(x: int) -> int:
        return 2 * x

    later = [lambda k=k: k * total for k in range(3)]
    add(2), add(3)
    return [
        total,
        [one() for one in later],
        twice(4),
        partial(pow, 2)(5),
        reduce(operator.add, [1, 2, 3]),
    ]


def globals_() -> Any:
    global LIMIT
    before = LIMIT
    LIMIT = 10
    after, LIMIT = LIMIT, before
    return before, after, table | {"c": 3}


def classes() -> Any:
    one = Derived.made(3)
    one.grown = 2
    one.grown = 8
    both = one + Derived(2)
    errors = []
    for make in (
        lambda: Base(1),
        lambda: one + 1,
        lambda: setattr(Frozen(1), "a", 2),
        lambda: one.nothing,
    ):  # type: ignore[abstract,attr-defined]
        try:
            make()
        except Exception as error:
            errors.append(type(error).__name__)
    return [one.name(), one.grown, len(both), [*both], Base.double(4), errors, one.seen, Derived.seen,
            isinstance(one, Base), isinstance(one, Broken), bool(Derived(0)), type(one).__name__]  # fmt: skip


def data() -> Any:
    a, b = Account(5), Account(5, note="other")
    b.names.append("x")
    f = Frozen(1, b=3)
    g = replace(f, a=4)
    h = copy.deepcopy(b)
    h.names.append("y")
    return [a == b, Account(5) == Account(5, note="n"), a.fits(6), f < g, f == Frozen(1, b=3), {f: 1}[Frozen(1, b=3)],
            g.c, astuple(Frozen(1)), b.names, h.names, Account.kind, Point(Fraction(1)).total(), Point(Fraction(1))._replace(y=Fraction(2)).y]  # type: ignore[attr-defined] # fmt: skip


def enums() -> Any:
    return [Phase.OPEN == "open", Phase("closed") is Phase.CLOSED, Phase.CLOSED.shut, Phase.OPEN.other().value, Colour.RED == "red",
            Rank.HIGH > Rank.LOW, Rank.HIGH + 1, isinstance(Phase.OPEN, str), [p.name for p in Phase], f"{Phase.OPEN}", Colour.RED.value]  # fmt: skip


def matched(value: Any) -> Any:
    match value:
        case int(n) if n > 5:
            return "large", n
        case bool() | None:
            return "flag"
        case int() | float():
            return "number"
        case Point(x=0, y=y):
            return "point", y
        case Account(total=t, used=u):
            return "account", t, u
        case Frozen(a):
            return "frozen", a
        case [first, *rest]:
            return "sequence", first, rest
        case {"k": v, **others}:
            return "mapping", v, others
        case Phase.OPEN:
            return "open"
        case str():
            return "text"
        case _:
            return "other"


def patterns() -> Any:
    values = [
        7,
        3,
        True,
        2.5,
        None,
        Point(0),
        Account(1),
        Frozen(2),
        [1, 2, 3],
        {"k": 1, "z": 2},
        Phase.OPEN,
        "t",
        Fraction(1),
    ]  # type: ignore[arg-type]
    return [matched(one) for one in values]


def walrus() -> Any:
    if (n := 10) > 5:
        found = [last := x for x in range(n) if x % 4 == 0]
    return n, found, last


PROGRAMS = (
    numbers, texts, sequences, flow, contexts, generators, closures, globals_, classes, data, enums, patterns, walrus,
)  # fmt: skip
