"""`python -m benchmarks.runtime`: what a release costs, in seconds of the processor; runtime.md.

The same queries are put to OpenDP's privacy filter, which evaluates the privacy maps of all
earlier queries with each new one.
"""

from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from random import Random
from time import process_time
from typing import Any

from benchmarks.measure import fitted, loaded
from filterproof.runtime import (
    AddedNoise,
    CompensatorFilter,
    DiscreteGaussian,
    Domain,
    Geometric,
    Pure,
    randomised_response,
)

QUERIES = 1600
EACH = Fraction(1, 1024)
ROUNDS = (1_000, 10_000, 100_000)
PAIRS = 5000  # neighbouring counts, in both directions


def seconds(work: Callable[[], Any]) -> float:
    """Return the processor time of one call."""
    begun = process_time()
    work()
    return process_time() - begun


def opendp(queries: int) -> Callable[[], None]:
    """Return the queries put to OpenDP's filter."""
    from filterproof_properties.adapters.opendp_filter import opened, runs
    from filterproof_properties.adapters.support.ledger import Spend

    queryable, spend = opened((2.0, 1e-6)), Spend(float(EACH), 0.0)

    def work() -> None:
        for _ in range(queries):
            assert runs(queryable, spend)

    return work


def ours(queries: int) -> Callable[[], None]:
    """Return the same queries put to the runtime filter."""
    guard = CompensatorFilter(2, 1e-6, domain=Domain.unlisted())
    mechanism = Pure(EACH)

    def work() -> None:
        for _ in range(queries):
            guard.release(mechanism, lambda: 0)

    return work


def long(rounds: int) -> Callable[[], None]:
    """Return many rounds of randomised response on one bit; the floor ends on the way."""
    guard = CompensatorFilter(50, Fraction(1, 2), domain=Domain.record([0, 1]))
    mechanism, rng = randomised_response(Fraction(52, 100), [0, 1]), Random(1)

    def work() -> None:
        for _ in range(rounds):
            guard.release(mechanism, lambda: int(rng.random() < 0.5))

    return work


def wide() -> Iterator[tuple[str, float]]:
    """Yield what a round on 10,000 ordered pairs costs, booked and charged."""
    domain, rng, rounds = Domain.counts(PAIRS), Random(1), 20
    for noise in (DiscreteGaussian(10_000), Geometric(Fraction(1, 100))):
        for share, how in ((Fraction(1, 2), "on the floor"), (Fraction(0), "charged")):
            guard = CompensatorFilter(50, Fraction(1, 1000), domain=domain, share=share)

            def work(guard: CompensatorFilter = guard, noise: Any = noise) -> None:
                for _ in range(rounds):
                    guard.release(AddedNoise(noise), lambda: 2500 + rng.randint(-99, 99))

            guard.ask(AddedNoise(noise))
            yield f"{noise}, {how}", seconds(work) / rounds


def measured() -> Iterator[str]:
    """Yield the measurements in Markdown, line by line, each as soon as it is known."""
    yield "# Measured by `python -m benchmarks.runtime`\n"
    yield "Seconds of the processor, in one run on one machine; nothing is stored.\n"
    yield from against_opendp()
    yield from many_rounds()
    yield f"\n## {2 * PAIRS:,} ordered pairs\n\n| round | milliseconds |\n|---|---|"
    yield from (f"| {name} | {1000 * s:.1f} |" for name, s in wide())
    yield f"\nWhen this ended {loaded()}."


def against_opendp() -> Iterator[str]:
    """Yield the same queries put to both filters; OpenDP's time grows with the square of them."""
    yield f"## The same {QUERIES:,} pure queries\n"
    yield "| filter | rounds per second | ratio |\n|---|---|---|"
    mine = seconds(ours(QUERIES))
    theirs = seconds(opendp(QUERIES))
    yield f"| OpenDP's privacy filter | {QUERIES / theirs:,.0f} | 1 |"
    yield f"| `CompensatorFilter` | {QUERIES / mine:,.0f} | {theirs / mine:.1f} |"


def many_rounds() -> Iterator[str]:
    """Yield how the time grows with the rounds."""
    yield "\n## Many rounds, two databases\n\n| rounds | seconds |\n|---|---|"
    taken = []
    for rounds in ROUNDS:
        taken.append(seconds(long(rounds)))
        yield f"| {rounds:,} | {taken[-1]:.1f} |"
    yield f"\nSeconds grow like rounds^{fitted([*ROUNDS], taken):.2f}."


def main() -> None:
    """Print every line as it comes, and write them all down at the end."""
    lines = []
    for line in measured():
        print(line, flush=True)
        lines.append(line)
    (Path(__file__).parent / "runtime.md").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
