"""Measures the search on the fifth set's budget classes: `python -m corpus.blind.fifth`."""

from corpus.blind.fifth.cases import CASES
from corpus.blind.objects import measure

if __name__ == "__main__":
    raise SystemExit(measure(CASES))
