"""`python -m benchmarks`: measure everything once, write results.md and results.png."""

from benchmarks import overhead, unshared
from benchmarks.measure import certificates, growth, heavy, speeds
from benchmarks.report import HERE, picture, table


def main() -> None:
    """Run all measurements, print the table, write it and the picture."""
    print("a million leaves ...", flush=True)
    fast = speeds(rounds=10, spec_rounds=6)
    print("trees that share nothing ...", flush=True)
    alone = unshared.table([unshared.measured(*shapes) for shapes in unshared.SHAPES])
    print("growth with rounds ...", flush=True)
    grown = growth([25, 50, 100, 200, 400])
    print("large audits ...", flush=True)
    large = heavy()
    print("overhead of a search ...", flush=True)
    searched = overhead.measured(plays=2000, times=3)
    print("certificates ...", flush=True)
    found = certificates(seconds=20)
    text = table(fast, grown, large, searched, found) + "\n" + alone
    print(text)
    (HERE / "results.md").write_text(text)
    picture(fast, grown, HERE / "results.png")


if __name__ == "__main__":
    main()
