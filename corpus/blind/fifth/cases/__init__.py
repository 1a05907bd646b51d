"""All entries of the fifth set; apart from the classes, which are to be audited as they are."""

from corpus.blind.fifth.base import Case
from corpus.blind.fifth.cases import books, clocks, failures, memory, sums, theories

CASES: tuple[Case, ...] = (
    *sums.CASES,
    *memory.CASES,
    *failures.CASES,
    *books.CASES,
    *clocks.CASES,
    *theories.CASES,
)
