"""Measures the search on the eighth set: `python -m corpus.blind.eighth [--seconds S]`."""

from corpus.blind.eighth.cases import CASES
from corpus.blind.objects import measure

if __name__ == "__main__":
    raise SystemExit(measure(CASES))
