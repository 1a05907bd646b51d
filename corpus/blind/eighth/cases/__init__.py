"""All entries of the eighth set."""

from corpus.blind.eighth.cases import books, names, right, sums
from corpus.blind.fifth.base import Case

CASES: tuple[Case, ...] = (*names.CASES, *sums.CASES, *books.CASES, *right.CASES)
