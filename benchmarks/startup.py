"""`python -m benchmarks.startup`: light commands, as a ratio to a Python that does nothing."""

import subprocess
import sys
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from statistics import median

CERTIFICATE = Path(__file__).parents[1] / "docs/certificates/opendp-failure-not-charged.json"
MAIN = ("-m", "filterproof_properties.cli.main")
COMMANDS = {
    "--version": (*MAIN, "--version"),
    "--help": (*MAIN, "--help"),
    "list": (*MAIN, "list"),
    "check": (*MAIN, "check", "--no-replay", str(CERTIFICATE)),
    "audit --help": (*MAIN, "audit", "--help"),
}


def processor_seconds(words: tuple[str, ...], times: int) -> float:
    """Return the median processor time of a Python process."""
    return median(_once(words) for _ in range(times))


def _once(words: tuple[str, ...]) -> float:
    before = getrusage(RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *words], stdout=subprocess.DEVNULL, check=True)
    after = getrusage(RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def main(times: int = 11) -> None:
    """Print a line per command."""
    nothing = processor_seconds(("-c", "pass"), times)
    print(f"{'python -c pass':16}{nothing:7.3f} s")
    for name, words in COMMANDS.items():
        took = processor_seconds(words, times)
        print(f"{name:16}{took:7.3f} s{took / nothing:7.1f} x")


if __name__ == "__main__":
    main()
