"""Budget classes that remember: histories, caches, retries, files, versions, buffers."""

import json
from collections import deque
from dataclasses import asdict, dataclass, field


class Refused(Exception):
    """There is not enough left."""


class ShortHistory:
    """Sums the history, of which the last eight entries are kept."""

    def __init__(self, epsilon: float) -> None:
        self.total = epsilon
        self.history: deque[float] = deque(maxlen=8)

    def spend(self, epsilon: float) -> None:
        if sum(self.history) + epsilon > self.total:
            raise Refused
        self.history.append(epsilon)


class PaidQueries:
    """A query that was paid for may be asked again."""

    def __init__(self, epsilon: float) -> None:
        self.left = epsilon
        self.paid: set[str] = set()

    def spend(self, epsilon: float, query: str) -> bool:
        if query in self.paid:
            return True
        if epsilon > self.left:
            return False
        self.left -= epsilon
        self.paid.add(query)
        return True


class DearestOfName:
    """A name is charged what its dearest query cost."""

    def __init__(self, epsilon: float) -> None:
        self.total = epsilon
        self.costs: dict[str, float] = {}

    def spend(self, epsilon: float, query: str) -> bool:
        after = self.costs | {query: max(epsilon, self.costs.get(query, 0.0))}
        if sum(after.values()) > self.total:
            return False
        self.costs = after
        return True


class RetryPasses:
    """A request that comes again right after its refusal has been confirmed by the user."""

    def __init__(self, epsilon: float) -> None:
        self.left = epsilon
        self.asked: float | None = None

    def spend(self, epsilon: float) -> bool:
        if epsilon > self.left and epsilon != self.asked:
            self.asked = epsilon
            return False
        self.asked = None
        self.left -= min(epsilon, self.left)
        return True


@dataclass
class Stored:
    """What is in the file."""

    total: float
    risk: float
    spent: float = 0.0
    risked: float = 0.0

    def text(self) -> str:
        return json.dumps({"total": self.total, "risk": self.risk, "spent": self.spent})


class SavedEachTime:
    """Is written to a file after each spend and read before the next."""

    def __init__(self, epsilon: float, delta: float) -> None:
        self.file = Stored(epsilon, delta).text()

    def spend(self, epsilon: float, delta: float) -> None:
        state = Stored(**json.loads(self.file))
        state.spent += epsilon
        state.risked += delta
        if state.spent > state.total or state.risked > state.risk:
            raise Refused
        self.file = state.text()


class Checkpoints:
    """Keeps a checkpoint every fourth request, and goes back to it after an error."""

    def __init__(self, epsilon: float) -> None:
        self.total, self.spent, self.checkpoint, self.number = epsilon, 0.0, 0.0, 0

    def spend(self, epsilon: float) -> None:
        if self.number % 4 == 0:
            self.checkpoint = self.spent
        self.number += 1
        self.spent += epsilon
        if self.spent > self.total:
            self.spent = self.checkpoint
            raise Refused


class AlertMode:
    """After ten refusals in a row it only warns, not to block the pipeline."""

    def __init__(self, epsilon: float) -> None:
        self.left, self.refusals = epsilon, 0
        self.warnings: list[float] = []

    def spend(self, epsilon: float) -> bool:
        if epsilon > self.left:
            if self.refusals >= 10:
                self.warnings.append(epsilon)
                return True
            self.refusals += 1
            return False
        self.refusals = 0
        self.left -= epsilon
        return True


class Compacted:
    """Folds eight entries of the log into one."""

    def __init__(self, epsilon: float) -> None:
        self.total = epsilon
        self.log: list[float] = []

    def spend(self, epsilon: float) -> bool:
        if sum(self.log) + epsilon > self.total:
            return False
        self.log.append(epsilon)
        if len(self.log) >= 8:
            self.log = [max(self.log)]
        return True


class SetOfCosts:
    """Remembers what was spent, in a set."""

    def __init__(self, epsilon: float) -> None:
        self.total = epsilon
        self.costs: set[float] = set()

    def spend(self, epsilon: float) -> bool:
        after = self.costs | {epsilon}
        if sum(after) > self.total:
            return False
        self.costs = after
        return True


class NextVolume:
    """Opens the next volume when one is full to the last digit."""

    def __init__(self, epsilon: float) -> None:
        self.total, self.left, self.volume = epsilon, epsilon, 1

    def spend(self, epsilon: float) -> bool:
        if epsilon > self.left:
            return False
        self.left -= epsilon
        if self.left < 1e-12:
            self.left, self.volume = self.total, self.volume + 1
        return True


class KnownRequests:
    """Idempotent: a request that was booked is not booked again."""

    def __init__(self, epsilon: float) -> None:
        self.left = epsilon
        self.booked: dict[int, float] = {}

    def spend(self, epsilon: float, request: int) -> bool:
        if self.booked.get(request) == epsilon:
            return True
        if epsilon > self.left:
            return False
        self.left -= epsilon
        self.booked[request] = epsilon
        return True


class Buffered:
    """Collects spends, and writes every third time."""

    def __init__(self, epsilon: float) -> None:
        self.total, self.written = epsilon, 0.0
        self.buffer: list[float] = []

    def spend(self, epsilon: float) -> None:
        if self.written + epsilon > self.total:
            raise Refused
        self.buffer.append(epsilon)
        if len(self.buffer) == 3:
            self.written += sum(self.buffer)
            self.buffer.clear()


@dataclass
class Versioned:
    """Upgrades its record to the new format, in which the balance has another name."""

    epsilon: float
    record: dict[str, float] = field(default_factory=dict)

    def spend(self, epsilon: float) -> bool:
        if not self.record:
            self.record = {"version": 1, "used": 0.0, "requests": 0}
        if self.record["version"] == 1 and self.record["requests"] >= 6:
            self.record = {"version": 2, "spent": self.record.get("spent", 0.0), "requests": 6}
        name = "used" if self.record["version"] == 1 else "spent"
        if self.record[name] + epsilon > self.epsilon:
            return False
        self.record[name] += epsilon
        self.record["requests"] += 1
        return True


class RunningMean:
    """Keeps the mean of what was spent, not to grow, with the number of spends up to 32."""

    def __init__(self, epsilon: float) -> None:
        self.total, self.mean, self.number = epsilon, 0.0, 0

    def spend(self, epsilon: float) -> bool:
        spent = self.mean * self.number
        if spent + epsilon > self.total:
            return False
        self.number = min(self.number + 1, 32)
        self.mean = (spent + epsilon) / self.number if self.number < 32 else self.mean
        return True


class OneRequestOnce:
    """A request that was booked is refused the second time."""

    def __init__(self, epsilon: float) -> None:
        self.left = epsilon
        self.booked: set[int] = set()

    def spend(self, epsilon: float, request: int) -> bool:
        if request in self.booked or epsilon > self.left:
            return False
        self.left -= epsilon
        self.booked.add(request)
        return True


class Folded:
    """Folds eight entries of the log into their sum."""

    def __init__(self, epsilon: float) -> None:
        self.total = epsilon
        self.log: list[float] = []

    def spend(self, epsilon: float) -> bool:
        if sum(self.log) + epsilon > self.total:
            return False
        self.log.append(epsilon)
        if len(self.log) >= 8:
            self.log = [sum(self.log)]
        return True


@dataclass
class Sealed:
    """What is in the other file."""

    total: float
    risk: float
    spent: float = 0.0
    risked: float = 0.0


class SavedWhole:
    """Is written to a file after each spend and read before the next, all of it."""

    def __init__(self, epsilon: float, delta: float) -> None:
        self.file = json.dumps(asdict(Sealed(epsilon, delta)))

    def spend(self, epsilon: float, delta: float) -> None:
        state = Sealed(**json.loads(self.file))
        state.spent += epsilon
        state.risked += delta
        if state.spent > state.total or state.risked > state.risk:
            raise Refused
        self.file = json.dumps(asdict(state))


class ChargesRefusals:
    """Takes a little for each refusal, and remembers the most that was asked for."""

    def __init__(self, epsilon: float) -> None:
        self.left, self.largest = epsilon, 0.0

    def spend(self, epsilon: float) -> bool:
        self.largest = max(self.largest, epsilon)
        if epsilon > self.left:
            self.left *= 0.99
            return False
        self.left -= epsilon
        return True
