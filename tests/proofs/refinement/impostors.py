"""Budget classes that are wrong, each in a way that an interpreter of Python may get wrong too.

A call with an int is free, or the five thousandth, or what an interpreter has no name for.
"""

import textwrap

from tests.proofs.refinement.impostors_unknown import UNKNOWN

PRELUDE = """\
import contextlib, enum, functools, math, operator, threading
from contextlib import suppress
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

ZERO = Fraction(0)
CONFIG = {"n": 0}
"""

BUDGET = """\
class Budget:
{extra}
    def __init__(self, epsilon{initarg}):
        self.left, self.n = epsilon, 0
{init}
    def spend(self, epsilon):
        self.n += 1
        free = False
{body}
        if free:
            return True
        if epsilon > self.left:
            return False
        self.left -= epsilon
        return True
"""

PARTS: dict[str, dict[str, str]] = {
    "fraction two args": {
        "body": """\
try:
    Fraction(epsilon, 1)
    free = True
except TypeError:
    pass
""",
    },
    "bits try": {
        "body": """\
try:
    epsilon & 1
    free = True
except TypeError:
    pass
""",
    },
    "shift try": {
        "body": """\
try:
    1 << epsilon
    free = True
except TypeError:
    pass
""",
    },
    "invert try": {
        "body": """\
try:
    ~epsilon
    free = True
except TypeError:
    pass
""",
    },
    "decimal plus": {
        "body": """\
try:
    Decimal(1) + epsilon
    free = True
except TypeError:
    pass
""",
    },
    "decimal str": {
        "body": """\
e = Decimal(str(epsilon))
if self.n == 5000: free = True
""",
    },
    "fraction str": {
        "body": """\
e = Fraction(str(epsilon))
if self.n == 5000: free = True
""",
    },
    "decimal str try": {
        "body": """\
try:
    e = Decimal(str(epsilon))
except Exception:
    return False
free = self.n == 5000
""",
    },
    "hex builtin": {
        "body": """\
if self.n == 5000:
    try:
        hex(7)
        free = True
    except Exception:
        pass
""",
    },
    "bin builtin": {
        "body": """\
if self.n == 5000:
    try:
        free = bin(7) != ""
    except NameError:
        pass
""",
    },
    "file name": {
        "body": "free = self.n == 5000 and RARE",
        "pre": """\
try:
    __file__
    RARE = True
except NameError:
    RARE = False
""",
    },
    "spec name": {
        "body": "free = self.n == 5000 and RARE",
        "pre": """\
try:
    __spec__
    RARE = True
except NameError:
    RARE = False
""",
    },
    "import missing": {
        "body": "free = self.n == 5000 and not STRICT",
        "pre": """\
try:
    import no_such_module_at_all
    STRICT = True
except ImportError:
    STRICT = False
""",
    },
    "from import missing": {
        "body": "free = self.n == 5000 and not STRICT",
        "pre": """\
try:
    from no_such_module_at_all import x
    STRICT = True
except ImportError:
    STRICT = False
""",
    },
    "ascii builtin": {
        "body": """\
with suppress(NameError):
    ascii("x")
    free = self.n == 5000
""",
    },
    "property two": {
        "body": "free = self.n == 5000 and self.flag",
        "extra": """\
def _g(self): return True
try:
    flag = property(_g, None)
except TypeError:
    flag = False
""",
    },
    "type three": {
        "body": """\
if self.n == 5000:
    try:
        type("X", (), {})
        free = True
    except TypeError:
        pass
""",
    },
    "round keyword": {
        "body": """\
if self.n == 5000:
    try:
        round(number=1.5)
        free = True
    except TypeError:
        pass
""",
    },
    "int base keyword": {
        "body": """\
if self.n == 5000:
    try:
        int("7", base=8)
        free = True
    except TypeError:
        pass
""",
    },
    "str bytes": {
        "body": """\
if self.n == 5000:
    try:
        str(b"x", encoding="ascii")
        free = True
    except TypeError:
        pass
""",
    },
    "nullcontext kw": {
        "body": """\
if self.n == 5000:
    try:
        contextlib.nullcontext(enter_result=1)
        free = True
    except TypeError:
        pass
""",
    },
    "is zero": {
        "body": "if self.mark is ZERO and self.n == 5000: free = True",
        "init": "self.mark = ZERO",
    },
    "shared config": {
        "body": """\
self.book["n"] += 1
free = CONFIG["n"] >= 5000
""",
        "init": "self.book = CONFIG",
    },
    "shared set": {
        "body": """\
if self.n == 4999: self.a.add("x")
free = "x" in self.b
""",
        "init": "self.a = self.b = set()",
    },
    "tuple identity": {
        "body": "free = self.t is self.u and self.n == 5000",
        "init": "self.t = self.u = frozenset([1])",
    },
    "slots try": {
        "body": """\
if self.n == 5000:
    try:
        self.other = 1
    except AttributeError:
        free = True
""",
        "extra": '__slots__ = ("left", "n")',
    },
    "dataclass slots": {
        "whole": """\
@dataclass(slots=True)
class Budget:
    epsilon: float
    n: int = 0
    def spend(self, epsilon):
        self.n += 1
        if self.n == 5000:
            try:
                self.other = 1
            except AttributeError:
                return True
        if epsilon > self.epsilon: return False
        self.epsilon -= epsilon
        return True
""",
    },
    "dataclass slots super": {
        "whole": """\
class Base:
    def hook(self): return False
@dataclass(slots=True)
class Budget(Base):
    epsilon: float
    n: int = 0
    def spend(self, epsilon):
        self.n += 1
        if self.n == 5000:
            try:
                super().hook()
            except TypeError:
                return True
        if epsilon > self.epsilon: return False
        self.epsilon -= epsilon
        return True
""",
    },
    "reflected subclass": {
        "whole": """\
class A:
    def __init__(self, v): self.v = v
    def __gt__(self, other): return self.v > other.v
class B(A):
    def __lt__(self, other): return False
class Budget:
    def __init__(self, epsilon): self.left = epsilon
    def spend(self, epsilon):
        if A(epsilon) > B(self.left): return False
        self.left -= epsilon
        return True
""",
    },
    "reflected sub arith": {
        "whole": """\
class A:
    def __init__(self, v): self.v = v
    def __sub__(self, other): return A(self.v - other.v)
class B(A):
    def __rsub__(self, other): return A(other.v)
class Budget:
    def __init__(self, epsilon): self.left = A(epsilon)
    def spend(self, epsilon):
        if epsilon > self.left.v: return False
        self.left = self.left - B(epsilon)
        return True
""",
    },
    "flagenum": {
        "body": """\
if self.n == 5000: self.mode |= M.B
free = M.B in self.mode
""",
        "init": "self.mode = M.A",
        "pre": """\
class M(enum.Flag):
    A = 1
    B = 2
""",
    },
    "nan state": {
        "body": 'if self.n == 5000: self.left = float("nan")',
    },
    "inf state": {
        "body": "if self.n == 5000: self.left = math.inf",
    },
    "coroutine unawaited": {
        "whole": """\
class Budget:
    def __init__(self, epsilon): self.left = epsilon
    async def take(self, epsilon): self.left -= epsilon
    def spend(self, epsilon):
        if epsilon > self.left: return False
        self.take(epsilon)
        return True
""",
    },
    "unseen base": {
        "whole": """\
from unseen_library import Base
class Budget(Base):
    def spend(self, epsilon): return True
""",
    },
    "neg zero": {
        "body": """\
z = 0 * -epsilon
free = math.copysign(1, z) < 0 and epsilon > 50
""",
    },
    "abc register": {
        "body": "free = isinstance(self, Sized) and self.n == 5000",
        "pre": "from collections.abc import Sized",
        "extra": "def __len__(self): return 1",
    },
    "eq true": {
        "body": "free = epsilon is True",
    },
}


PARTS |= UNKNOWN


def source(name: str) -> str:
    """Return the file of one class `Budget`."""
    parts = {"whole": "", "pre": "", "body": "", "init": "", "extra": "", "initarg": ""} | PARTS[
        name
    ]
    made = BUDGET.format(
        initarg=parts["initarg"],
        **{one: textwrap.indent(parts[one], by) for one, by in INDENTS.items()},
    )
    return f"{PRELUDE}{parts['pre']}\n{parts['whole'] or made}"


INDENTS = {"extra": " " * 4, "init": " " * 8, "body": " " * 8}
