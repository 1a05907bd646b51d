"""The privacy budget of a query service: what was promised, and what the queries have spent."""


class Budget:
    """Adds up what every query costs; a query that does not fit is declined."""

    def __init__(self, epsilon: float, delta: float) -> None:
        if epsilon < 0 or not 0 <= delta <= 1:
            raise ValueError(f"no budget: {epsilon=}, {delta=}")
        self.epsilon = epsilon
        self.delta = delta
        self.spent_epsilon = 0.0
        self.spent_delta = 0.0
        self.queries = 0

    def spend(self, epsilon: float, delta: float) -> bool:
        """Book the query and return True if it fits."""
        if epsilon < 0 or delta < 0:
            raise ValueError("a query costs nothing or more")
        if self.spent_epsilon + epsilon > self.epsilon:
            return False
        if self.spent_delta + delta > self.delta:
            return False
        self.spent_epsilon += epsilon
        self.spent_delta += delta
        self.queries += 1
        return True
