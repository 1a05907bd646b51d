"""`python -m benchmarks.numbers [REVISION]`: exact numbers now and at a revision, in one run.

Both versions of the reference are measured in turns, each in a process of its own, and the least
processor time of all turns is kept, so that a busy machine slows both alike.
"""

import json
import subprocess
import sys
import tempfile
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from operator import add, lt, truediv
from pathlib import Path
from time import process_time

ROOT = Path(__file__).parents[1]
TURNS, TIMES = 4, 400


def measure() -> dict[str, float]:
    """Return microseconds of processor time for each operation on fractions."""
    from filterproof.exact import ExpLinear, Log, exceeds
    from filterproof.privacy import charge, risk

    third, half = Fraction(1, 3), Fraction(1, 2)
    law = {"0": {"a": third, "b": half}, "1": {"a": 1 - third, "b": half}}
    mass, pair = {"a": Fraction(17), "b": Fraction(13)}, ("a", "b")
    found: dict[str, float] = {}
    for name, epsilon in (("rational", Fraction(1)), ("log", Log(Fraction(3, 2)))):
        number, other = ExpLinear(third, -half, epsilon), ExpLinear(half, third, epsilon)
        work: dict[str, Callable[[], object]] = {
            "exceeds": partial(exceeds, half, third, epsilon),
            "a + b": partial(add, number, other),
            "a / q": partial(truediv, number, third),
            "a < b": partial(lt, number, other),
            "charge": partial(charge, law, pair, mass, epsilon),
            "risk": partial(risk, law, pair, mass, epsilon),
        }
        found |= {f"{what}, {name} eps": microseconds(one) for what, one in work.items()}
    return found


def microseconds(work: Callable[[], object]) -> float:
    """Return the least processor time of one call, over some turns."""
    best = float("inf")
    for _ in range(TURNS):
        begun = process_time()
        for _ in range(TIMES):
            work()
        best = min(best, (process_time() - begun) / TIMES)
    return 1e6 * best


def main(revision: str) -> None:
    """Print a table: before, now, and the ratio."""
    with tempfile.TemporaryDirectory() as folder:
        tree = subprocess.run(
            ["git", "archive", revision, "reference"], cwd=ROOT, capture_output=True, check=True
        )
        subprocess.run(["tar", "-x", "-C", folder], input=tree.stdout, check=True)
        sides = {"before": Path(folder) / "reference", "now": ROOT / "reference"}
        runs: dict[str, list[dict[str, float]]] = {side: [] for side in sides}
        for _ in range(3):
            for side, path in sides.items():
                runs[side].append(child(path))
    least = {
        side: {name: min(run[name] for run in found) for name in found[0]}
        for side, found in runs.items()
    }
    print(f"| operation | {revision} | now | now / before |\n|---|---|---|---|")
    for name, old in least["before"].items():
        new = least["now"][name]
        print(f"| {name} | {old:.2f} us | {new:.2f} us | {new / old:.2f} |")


def child(path: Path) -> dict[str, float]:
    """Measure one version in a process of its own."""
    script = f"import sys; sys.path[:0] = [{str(path)!r}, {str(ROOT)!r}]\n"
    script += "import json, benchmarks.numbers as b\nprint(json.dumps(b.measure()))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True)
    return {str(name): float(value) for name, value in json.loads(done.stdout).items()}


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "HEAD")
