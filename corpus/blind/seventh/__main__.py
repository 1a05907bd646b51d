"""Measures the search on the seventh set's budget classes: `python -m corpus.blind.seventh`."""

from corpus.blind.objects import measure
from corpus.blind.seventh.cases import CASES

if __name__ == "__main__":
    raise SystemExit(measure(CASES))
