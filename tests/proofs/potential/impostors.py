"""Filters that are not private, and that look so to a prover that is careless in one way each.

Every entry is the body of a class `Impostor(Ledger)`, or a whole file, by the way in which it
deceives.  `Ledger` is a sound filter; each impostor stops paying where a careless prover does not
look.
"""

PRELUDE = """
import enum, functools, math, sys, threading
from collections import defaultdict
from contextlib import suppress
from dataclasses import dataclass, field
from decimal import Decimal
from enum import Enum, StrEnum
from fractions import Fraction
from filterproof.exact import ExpLinear, Log
from filterproof.filters.common import by_cases
from filterproof.privacy import charge

class Ledger:
    def __init__(self, epsilon, delta):
        self.epsilon, self.delta = epsilon, delta

    def start(self):
        return self.delta

    def worst(self, step):
        law, mass = step.mechanism.law, step.mass
        return max(charge(law, pair, mass, self.epsilon) for pair in step.pairs)

    def decide(self, state, step):
        cost = self.worst(step)
        if cost > state:
            return "halt", state
        return "continue", state - cost

    def remaining(self, state, step, pair):
        return state
"""

FREE = '"continue", state'
"""Runs the round, and charges nothing."""


def decide(first: str) -> str:
    """A `decide` that begins with these lines, and goes on as the ledger does."""
    lines = "\n".join(f"        {line}" for line in first.splitlines())
    return (
        f"    def decide(self, state, step):\n{lines}\n        return super().decide(state, step)\n"
    )


BODIES = {
    # a number that is not known, compared with a float
    "index equals a float": decide(f"if step.index == 365.25 * 4: return {FREE}"),
    "state below a float": decide(f"if state < 0.01: return {FREE}"),
    "state is a float": decide(f"if state == 0.001: return {FREE}"),
    "index equals a Decimal": decide(f"if step.index == Decimal(1461): return {FREE}"),
    # float arithmetic that raises only where the prover looks
    "float arithmetic in try": decide(
        f"try:\n    cheap = state * 0.5 < 0.001\nexcept TypeError:\n    cheap = False\nif cheap: return {FREE}"
    ),
    "float() in try": decide(
        f"try:\n    if float(state) < 0.01: return {FREE}\nexcept BaseException:\n    pass"
    ),
    "math in suppress": decide(
        f"with suppress(Exception):\n    if math.sqrt(state) < 0.1: return {FREE}"
    ),
    # state where a fresh object hides it
    "state on self": "    n = 0\n" + decide(f"self.n += 1\nif self.n > 3: return {FREE}"),
    "state on the class": "    n = 0\n"
    + decide(f"Impostor.n += 1\nif Impostor.n > 3: return {FREE}"),
    "state in the module": "    pass\n"
    + decide(f"seen.append(1)\nif len(seen) > 3: return {FREE}"),
    "state in a default": "    def decide(self, state, step, seen=[]):\n        seen.append(1)\n"
    f"        if len(seen) > 3: return {FREE}\n        return super().decide(state, step)\n",
    "state in a cache": "    @functools.cache\n    def once(self, index):\n        seen.append(1)\n        return len(seen)\n"
    + decide(f"if self.once(3) > 2: return {FREE}"),
    "state in a function": decide(
        f"tick.n = getattr(tick, 'n', 0) + 1\nif tick.n > 3: return {FREE}"
    ),
    "state in a dict of the module": decide(f"counts['a'] += 1\nif counts['a'] > 3: return {FREE}"),
    # only one kind of epsilon
    "a rational epsilon": decide(f"if isinstance(self.epsilon, Fraction): return {FREE}"),
    "no Log": decide(f"if not isinstance(self.epsilon, Log): return {FREE}"),
    "no argument": decide(f"if not hasattr(self.epsilon, 'argument'): return {FREE}"),
    "type of epsilon": decide(f"if type(self.epsilon) is Fraction: return {FREE}"),
    # types of numbers
    "isinstance int": decide(f"if isinstance(step.index, int) and step.index == 3: return {FREE}"),
    "case int": decide(f"match step.index:\n    case int(): return {FREE}"),
    "case Fraction": decide(f"match state:\n    case Fraction(): return {FREE}"),
    "type of a number": decide(f"if type(state) is Fraction: return {FREE}"),
    "class of a number": decide(f"if state.__class__ is Fraction: return {FREE}"),
    "name of a type": decide(f"if type(state).__name__ == 'Fraction': return {FREE}"),
    "attributes of a number": decide(f"if not hasattr(state, 'term'): return {FREE}"),
    "numerator": decide(f"if state.numerator == 1: return {FREE}"),
    "text of a number": decide(f"if '/' in str(state): return {FREE}"),
    "f-string": decide(f"if f'{{state}}' == '1/100': return {FREE}"),
    "hash of a number": decide(
        f"try:\n    hash(state)\nexcept BaseException:\n    return super().decide(state, step)\nreturn {FREE}"
    ),
    "identity of numbers": decide(f"if step.index is not step.index + 0: return {FREE}"),
    # what a single round does not know
    "history": decide(f"if len(step.history) > 2: return {FREE}"),
    "match on history": decide(
        f"match step.history:\n    case (): pass\n    case _: return {FREE}"
    ),
    "history is a tuple": decide(f"if isinstance(step.history, tuple): return {FREE}"),
    "request is a text": decide(f"if isinstance(step.request, str): return {FREE}"),
    "match on the request": decide(f"match step.request:\n    case 'free': return {FREE}"),
    "name of an output": decide(f"if 'free' in step.mechanism.law: return {FREE}"),
    "names in a dict": decide(
        f"prices = {{'free': 0}}\nif all(prices.get(y, 1) == 0 for y in step.mechanism.law): return {FREE}"
    ),
    "stated": decide(f"if step.mechanism.stated is not None: return {FREE}"),
    "type of the mechanism": decide(
        f"if type(step.mechanism).__name__ == 'Mechanism': return {FREE}"
    ),
    "type of the likelihoods": decide(
        f"if type(step.mass).__name__ == 'mappingproxy': return {FREE}"
    ),
    # errors
    "by_cases in try": decide(
        "def risky(rest):\n    if step.index == 7: raise ValueError\n    return rest\n"
        "try:\n    by_cases(self.epsilon, risky, ExpLinear(0, 0, self.epsilon))\n"
        f"except ValueError:\n    return {FREE}\n"
    ),
    "sys.exit": decide("if step.index > 2: sys.exit(0)"),
    "state of a lock": "    lock = threading.Lock()\n"
    + decide(f"if step.index and not self.lock.acquire(False): return {FREE}"),
    "state in a cached property": "    @functools.cached_property\n    def seen(self): return []\n"
    + decide(f"self.seen.append(1)\nif len(self.seen) > 3: return {FREE}"),
    "an iterator in a cache": "    @staticmethod\n    @functools.cache\n    def prices(): return iter([1, 1, 0])\n"
    + decide(f"if not next(self.prices(), 0): return {FREE}"),
    "constructors are counted": "    n = 0\n    def __init__(self, epsilon, delta):\n        super().__init__(epsilon, delta)\n"
    "        Impostor.n += 1\n        self.free = Impostor.n > 3\n"
    + decide(f"if self.free: return {FREE}"),
    "what an error says": decide(
        f"try:\n    state + 'a'\nexcept TypeError as error:\n    if 'Fraction' in str(error): return {FREE}"
    ),
    "arguments of an error": decide(
        f"try:\n    state + 'a'\nexcept TypeError as error:\n    if 'Fraction' in error.args[0]: return {FREE}"
    ),
    "bits": decide(
        f"try:\n    odd = step.index & 1\nexcept TypeError:\n    odd = 0\nif odd and step.index > 3: return {FREE}"
    ),
    "a power with a modulus": decide(
        f"try:\n    odd = pow(step.index, 1, 2)\nexcept TypeError:\n    odd = 0\nif odd and step.index > 3: return {FREE}"
    ),
    "float of epsilon": decide(
        f"try:\n    float(self.epsilon)\n    return {FREE}\nexcept TypeError:\n    pass"
    ),
    "int of a name": decide(
        f"try:\n    [int(y) for y in step.mechanism.law]\nexcept ValueError:\n    return {FREE}"
    ),
    "a name in a text": decide(
        f"if any(y not in '012' for y in step.mechanism.law) and step.index: return {FREE}"
    ),
    "length of a name": decide(
        f"if any(len(y) > 1 for y in step.mechanism.law) and step.index: return {FREE}"
    ),
    # looking behind the code
    "frames": decide(f"if sys._getframe(1).f_code.co_name != 'call': return {FREE}"),
    "modules": decide(f"if 'z3' not in sys.modules: return {FREE}"),
    "eval": decide(f"if eval('state.__class__.__name__') == 'Fraction': return {FREE}"),
    "environment": decide(f"import os\nif os.environ.get('X') is None: return {FREE}"),
    "clock": decide(f"import time\nif time.time() > 0: return {FREE}"),
    "random": decide(f"import random\nif random.random() < 0.001: return {FREE}"),
    "order of a set": decide(f"if list({{'a', 'b'}})[0] == 'a': return {FREE}"),
    "patch": decide(f"Fraction.__lt__ = lambda a, b: True\nreturn {FREE}"),
    "globals": decide(f"if '__file__' in globals(): return {FREE}"),
}
"""Bodies of `class Impostor(Ledger)`."""

SEEN = "\nseen = []\ncounts = defaultdict(int)\ndef tick(): pass\n"

FILES = {
    "text enumeration": """
class Phase(StrEnum):
    OPEN = "open"
    FREE = "free"

class Impostor(Ledger):
    def start(self): return (Phase.OPEN, self.delta)
    def decide(self, state, step):
        decision, left = super().decide(state[1], step)
        if type(state[0]) is Phase and step.index > 1: return "continue", state
        return decision, (state[0], left)
    def remaining(self, state, step, pair): return state[1]
""",
    "text and enumeration": """
class Phase(str, Enum):
    OPEN = "open"

class Impostor(Ledger):
    def start(self): return (Phase.OPEN, self.delta)
    def decide(self, state, step):
        decision, left = super().decide(state[1], step)
        if isinstance(state[0], Enum) and step.index > 1: return "continue", state
        return decision, (state[0], left)
    def remaining(self, state, step, pair): return state[1]
""",
    "field that is not compared": """
@dataclass(frozen=True)
class Account:
    left: object
    rounds: int = field(default=0, compare=False)

class Impostor(Ledger):
    def start(self): return Account(self.delta)
    def decide(self, state, step):
        if state.rounds > 3: return "continue", state
        decision, left = super().decide(state.left, step)
        return decision, Account(left, state.rounds + 1)
    def remaining(self, state, step, pair): return state.left
""",
    "attribute that is no field": """
@dataclass(frozen=True)
class Account:
    left: object

class Impostor(Ledger):
    def start(self): return self.made(self.delta, 0)
    def made(self, left, rounds):
        account = Account(left)
        object.__setattr__(account, "rounds", rounds)
        return account
    def decide(self, state, step):
        if state.rounds > 3: return "continue", state
        decision, left = super().decide(state.left, step)
        return decision, self.made(left, state.rounds + 1)
    def remaining(self, state, step, pair): return state.left
""",
    "subclass of int": """
class Count(int):
    pass

class Impostor(Ledger):
    def start(self): return (Count(0), self.delta)
    def decide(self, state, step):
        decision, left = super().decide(state[1], step)
        if type(state[0]) is Count: return "continue", state
        return decision, (Count(state[0] + 1), left)
    def remaining(self, state, step, pair): return state[1]
""",
    "a parameter called odds": """
class Impostor(Ledger):
    def __init__(self, epsilon, delta, odds=1):
        super().__init__(epsilon, delta)
        self.odds = odds
    def decide(self, state, step):
        if self.odds != step.mechanism.declared.odds: return "continue", state
        return super().decide(state, step)
    @classmethod
    def parameters(cls, epsilon, delta, depth): yield {"odds": Fraction(2)}
""",
    "a parameter called index": """
class Impostor(Ledger):
    def __init__(self, epsilon, delta, index=1):
        super().__init__(epsilon, delta)
        self.index = index
    def decide(self, state, step):
        if step.index and self.index != step.index: return "continue", state
        return super().decide(state, step)
    @classmethod
    def parameters(cls, epsilon, delta, depth): yield {"index": 3}
""",
    "a parameter called v0": """
class Impostor(Ledger):
    def __init__(self, epsilon, delta, v0=1):
        super().__init__(epsilon, delta)
        self.v0 = v0
    def decide(self, state, step):
        if step.index and self.v0 > 2: return "continue", state
        return super().decide(state, step)
    @classmethod
    def parameters(cls, epsilon, delta, depth): yield {"v0": Fraction(3)}
""",
    "a text parameter": """
class Impostor(Ledger):
    def __init__(self, epsilon, delta, mode="strict"):
        super().__init__(epsilon, delta)
        self.mode = mode
    def decide(self, state, step):
        if self.mode == "loose": return "continue", state
        return super().decide(state, step)
    @classmethod
    def parameters(cls, epsilon, delta, depth):
        yield {"mode": "strict"}
        yield {"mode": "loose"}
""",
    "a constructor that declines": """
class Impostor(Ledger):
    def __init__(self, epsilon, delta):
        super().__init__(epsilon, delta)
        if delta != Fraction(1, 7) or delta == Fraction(1, 7): raise ValueError
    def decide(self, state, step): return "continue", state
""",
    "answers through decide_many": """
class Impostor(Ledger):
    def decide_many(self, questions): return [("continue", state) for state, _ in questions]
""",
    "a state that grows": """
class Impostor(Ledger):
    def start(self): return (self.delta,)
    def decide(self, state, step):
        if len(state) > 100: return "continue", state
        decision, left = super().decide(state[0], step)
        return decision, (left, *state[1:], None)
    def remaining(self, state, step, pair): return state[0]
""",
    "a metaclass": """
class Meta(type):
    def __call__(cls, epsilon, delta): return object.__new__(Free)
class Free(Ledger):
    delta = Fraction(1, 10)
    def decide(self, state, step): return "continue", state
class Impostor(Ledger, metaclass=Meta): pass
""",
    "a decorator that replaces": """
def loose(kind):
    kind.decide = lambda self, state, step: ("continue", state)
    return kind
@loose
class Impostor(Ledger): pass
""",
    "a generator that is exhausted": """
class Impostor(Ledger):
    def __init__(self, epsilon, delta):
        super().__init__(epsilon, delta)
        self.prices = iter([1, 1, 1, 0])
    def decide(self, state, step):
        if not next(self.prices, 0): return "continue", state
        return super().decide(state, step)
""",
    "another class by __new__": """
class Impostor(Ledger):
    def __new__(cls, epsilon, delta): return object.__new__(Free)
class Free(Ledger):
    delta = Fraction(1, 10)
    def decide(self, state, step): return "continue", state
""",
}
"""Whole files after the prelude."""


def sources() -> dict[str, str]:
    """Every impostor's file, by what it does."""
    bodies = {name: f"class Impostor(Ledger):\n{body}" for name, body in BODIES.items()}
    return {name: PRELUDE + SEEN + text for name, text in {**bodies, **FILES}.items()}
