"""Why a changed compensator that is proved as well is no fault: the words of docs/PROVE-MUTANTS.md."""

PAGE = """\
# What the proof of the compensator's code notices

Every operator, constant, comparison, condition and answer in `reference/filterproof/filters/compensator.py`, changed one at a time, and what
`filterproof prove` says of the changed file (at most 2 outputs, 2 databases). A change in a shared part is tried on `Compensator`, one in a class on that class,
one in `room` or `level` on `Capped`. Written by `make mutants`, which fails if a survivor has no reason.

*Killed* means that the change is not proved: refuted by a round in numbers, open after ten minutes, or the code raises or cannot run on unknown numbers. Of {count}
changes {killed} are killed and {survivors} survive; **every survivor is private as well**: it is stricter than the filter, runs nothing, or makes no difference.

| line | was | is | proved for | verdict | why a survivor is no fault |
|---|---|---|---|---|---|
{table}
"""

STRICTER = "smaller shares: stricter"
WATCHED = "only matters with `pair`, which watches one pair and is not what is proved"
SAME_LENGTH = "`strict=` of `zip`: both sides have the same length"

REASONS = {
    (
        "Compensator",
        "True",
        "False",
    ): "`markov` is a promise to the search; the proof does not use it",
}
