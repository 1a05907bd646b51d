"""Survivors of `runtime/`, and why each is no fault."""

from tests.mutation.survivors.words import LATER, MODE, NUMBERED, SHOWN, STRICT, TASTE, Reasons

DEAD = "what a pair that is ruled out was charged is looked at nowhere"
ORDER = "any order would be sound; which ones are tried is a choice"
TEXT = "the text is kept as it is, and so is the digest of it"
SLOW = "the slow way has the same losses"
LARGER = "an upper bound that is shown, and may be larger"
SYMMETRIC = "the law is symmetric"
FIRST_WRITES = (
    "the first statement writes, and takes the lock that the transaction would have taken"
)
NEGATIVE = "any number below 0 says that nothing is held"
MARGIN = "a margin of another size: the errors that it covers are far smaller"
TOO_SMALL = "tells apart only tails below the smallest double"
AT_EDGE = "the term is 0 there"
NEIGHBOUR = (
    "the best m is among the others that are tried; where the edge is rounded, two of them "
    "differ by less than the rounding"
)
INFINITE = "the quantile of a tail of 0 is infinite, and so is the cost"
BALL = "the ball is far narrower than the distance of two doubles"

RUNTIME: Reasons = {
    ("account.py", "@dataclass(frozen=True, eq=False)"): {
        "False -> True": "its own `__eq__` and `__hash__` stay: no dataclass replaces them"
    },
    (
        "account.py",
        "(due,) = np.nonzero((account.live > 0) & ~on_floor(booked, budget) & (account.low < inf))",
    ): {
        "account.live > 0 -> account.live >= 0": DEAD,
        "account.low < inf -> account.low <= inf": "a loss without bound is charged e^-∞, nothing",
    },
    ("account.py", "below = high <= epsilon[0]"): {
        "0 -> 1": "between the two ends of ε the margin is negative, and taken for 0 either way"
    },
    (
        "account.py",
        "return np.asarray(add_down(one + np.zeros_like(other), -other + np.zeros_like(one)))",
    ): {
        "one + np.zeros_like(other) -> one - np.zeros_like(other)": "nothing is taken off",
        "-other + np.zeros_like(one) -> -other - np.zeros_like(one)": "nothing is taken off",
    },
    ("added_noise.py", "QUICK = 2**24"): {
        "24 -> 25": "twice as large losses are held by doubles without rounding, too"
    },
    ("added_noise.py", "if seen.denominator != 1 or not -QUICK <= seen <= QUICK:"): {
        "-QUICK <= seen <= QUICK -> -QUICK < seen <= QUICK": SLOW,
        "-QUICK -> +QUICK": SLOW,
    },
    ("added_noise.py", "return one - other if one >= other else other - one"): {
        "one >= other -> one > other": "equal answers are at distance 0 in either order"
    },
    (
        "budget.py",
        "ORDERS += tuple(16.0 * 2**k for k in range(1, 8)) + tuple(24.0 * 2**k for k in range(7))",
    ): ORDER,
    ("budget.py", "return double_down(ball_ends(allowed)[0])"): {"0 -> 1": BALL},
    (
        "cell.py",
        'return json.dumps(facts | {"before": before, "state": digest(body)}, sort_keys=True)',
    ): TEXT,
    ("cell.py", 'raise StoreError(f"a record of the log is damaged: {text[:40]!r}")'): SHOWN,
    ("per_pair.py", "rows = zip(at.tolist(), epsilon.tolist(), backward.tolist(), strict=True)"): {
        "True -> False": STRICT
    },
    ("compensator.py", 'f"CompensatorFilter(epsilon={self._budget.epsilon[0]:g}, "'): {
        "0 -> 1": "both ends have the same six digits"
    },
    (
        "compensator.py",
        'facts |= {"what": str(what)[:200], "asked": quote.asked, "floor": quote.floor}',
    ): {"200 -> 201": SHOWN},
    ("domain.py", "MAX_PAIRS = 1_000_000"): TASTE,
    ("file.py", "self._held = -1 if reading else _open_locked(self.path, flags)"): {
        "1 -> 2": NEGATIVE
    },
    ("file.py", "self._held = -1"): {"1 -> 2": NEGATIVE},
    ("file.py", "file = os.open(self.log, _WRITE, 0o600)"): {"384 -> 385": MODE},
    ("file.py", "file = os.open(beside, _WRITE | os.O_TRUNC, 0o600)"): {"384 -> 385": MODE},
    ("file.py", "file = os.open(path, flags, 0o600)"): {"384 -> 385": MODE},
    ("file.py", 'facts["digest"] = digest(json.dumps(facts, sort_keys=True) + body)'): TEXT,
    ("file.py", 'return f"{json.dumps(facts, sort_keys=True)}\\n{body}"'): TEXT,
    ("mechanism.py", "return (inf, inf) if value > 0 else (-inf, -inf)"): {
        "value > 0 -> value >= 0": "it is infinite there",
        "0 -> 1": "it is infinite there",
    },
    ("noise.py", "return Cost(2 * quantile_up(tail)) if tail > 0 else NO_COST"): {
        "tail > 0 -> tail >= 0": INFINITE
    },
    ("noise.py", "found = np.where(epsilon >= largest, 0.0, one_minus_exp_up(below))"): {
        "epsilon >= largest -> epsilon > largest": AT_EDGE
    },
    ("plan.py", "DOUBLED = (2, 4, 8, 16, 32, 64)"): (
        "where the search for the smallest factor begins; it finds the same one"
    ),
    (
        "plan.py",
        "dearest = int(np.argmax(np.where(live, paid.spent, -1.0))) if live.any() else 0",
    ): {"0 -> 1": "where all pairs are ruled out any of them will do"},
    (
        "plan.py",
        "asked = float(np.max(np.where(account.live > 0, paid.spent - account.spent, 0.0), "
        "initial=0.0))",
    ): {"account.live > 0 -> account.live >= 0": "pairs that are ruled out are charged nothing"},
    (
        "plan.py",
        "(at,) = np.nonzero((account.live > 0) & ~on_floor(paid, budget) & (account.low < inf))",
    ): {
        "account.live > 0 -> account.live >= 0": LARGER,
        "account.low < inf -> account.low <= inf": LARGER,
    },
    ("plan.py", "pairs = zip(mus[at].tolist(), epsilon.tolist(), strict=True)"): {
        "True -> False": STRICT
    },
    (
        "plan.py",
        "return np.array([gaussian_profile(mu, one) if mu < inf else 1.0 for mu, one in pairs])",
    ): {"mu < inf -> mu <= inf": "the profile at an infinite μ is 1"},
    ("plan.py", "factor = largest(range(reach, reach // 2, -1), fitting)"): {
        "2 -> 3": "what is tried besides has been tried, and did not fit"
    },
    ("postgres.py", "with self._transaction(write=True) as run:"): "only SQLite asks which it is",
    ("postgres.py", "self._url, autocommit=True, connect_timeout=10, options=wait"): {
        "10 -> 11": TASTE
    },
    ("postgres.py", "return int.from_bytes(sha256(name.encode()).digest()[:8]) >> 1"): {
        "1 -> 2": NUMBERED
    },
    ("sampling.py", "while gamma > 1:"): {
        "gamma > 1 -> gamma >= 1": "e⁻¹ is e⁻¹·e⁰, and the coin of e⁰ always falls on its side"
    },
    ("sampling.py", "negative = rng.randrange(2) == 1"): SYMMETRIC,
    ("sampling.py", "return -size if negative else size"): SYMMETRIC,
    ("state.py", "for name, column in zip(NAMES, account.columns(), strict=True)"): STRICT,
    ("sql.py", "with self._transaction(write=False) as run:"): LATER,
    ("sql.py", "with self._transaction(write=True) as run:"): FIRST_WRITES,
    ("sql.py", 'self._database.execute("BEGIN IMMEDIATE" if write else "BEGIN")'): FIRST_WRITES,
    (
        "sql.py",
        'file = os.open(f"{self.path}-turn", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)',
    ): {"384 -> 385": MODE},
    ("sql.py", "if time.monotonic() > end:"): {
        "time.monotonic() > end -> time.monotonic() >= end": "at that very moment either will do"
    },
    ("finite.py", "if a + b < 1 and not (double_down(a) > 0 and double_down(b) > 0):"): {
        "a + b < 1 -> a + b <= 1": TOO_SMALL,
        "a + b < 1 -> a + b >= 1": INFINITE,
        "double_down(a) > 0 -> double_down(a) >= 0": INFINITE,
        "double_down(b) > 0 -> double_down(b) >= 0": INFINITE,
        "double_down(a) > 0 and double_down(b) > 0 -> "
        "double_down(a) > 0 or double_down(b) > 0": INFINITE,
        "a + b -> a - b": TOO_SMALL,
        "1 -> 2": TOO_SMALL,
    },
    ("finite.py", "if 2 * tail <= 1:"): {
        "2 * tail <= 1 -> 2 * tail < 1": "at 1/2 both sides are as near",
        "2 -> 3": "from 1/3 to 1/2 both sides are as near",
    },
    ("finite.py", "return -quantile_down(double_up(1 - tail)) if tail < 1 else -inf"): {
        "tail < 1 -> tail <= 1": "the quantile of 0 is infinite",
        "1 -> 2": "the quantile of 0 is infinite",
    },
    ("integer_noise.py", "TAIL = 40"): TASTE,
    ("integer_noise.py", "_NEIGHBOURS = np.array([[-1], [0], [1]])"): NEIGHBOUR,
    (
        "integer_noise.py",
        "VERTICES = 12",
    ): "vertices farther out are not the dearest, and count as slack",
    ("integer_noise.py", "total = np.where(epsilon >= loss, total, add_up(total, term))"): {
        "epsilon >= loss -> epsilon > loss": AT_EDGE
    },
    ("integer_noise.py", "for k in range(1, (steps + 1) // 2):"): {
        "1 -> 2": "one more term, whose loss is 0"
    },
    (
        "integer_noise.py",
        "m = np.maximum(-reach, np.minimum(reach, np.ceil(np.atleast_1d(edge)) - 1))",
    ): {"1 -> 2": NEIGHBOUR},
    ("integer_noise.py", "near = m.astype(np.int64) + _NEIGHBOURS"): {
        "m.astype(np.int64) + _NEIGHBOURS -> m.astype(np.int64) - _NEIGHBOURS": (
            "as many neighbours on either side"
        )
    },
    ("integer_noise.py", "return np.full((2, 2 * len(self._tails) + 1), np.nan)"): {
        "2 -> 3": "room that is not used",
        "1 -> 2": "room that is not used",
    },
    (
        "integer_noise.py",
        "mass = tails[min(-m, last)] if m <= 0 else total - tails[min(m + 1, last)]",
    ): {"m <= 0 -> m < 0": "at 0 both are the tail from 0 on"},
    ("integer_noise.py", "slack, beyond = Fraction(1, 2**100), Fraction(1, 2**1074)"): MARGIN,
    ("integer_noise.py", "low = double_down(share * (1 - slack)) if -m < last else 0.0"): {
        "-m < last -> -m <= last": "the last tail of the table is below the true one, too"
    },
    ("integer_noise.py", "context.prec = 200"): "one more digit",
    ("integer_noise.py", "square, weights, ratio = first * first, [context.mpf(1)], first"): (
        "all weights are twice as large, and so is their sum"
    ),
    ("integer_noise.py", "m = np.arange(steps // 2, last + steps)"): {
        "2 -> 3": "vertices that are the same as others with their errors exchanged"
    },
    ("integer_noise.py", "if not tail[-1] > 0:"): INFINITE,
}
