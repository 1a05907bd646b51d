"""Why a changed line of a room that passes its tests is no fault, for docs/internals/MUTANTS.md."""

from tests.mutation.survivors.processes import PROCESSES
from tests.mutation.survivors.runtime import RUNTIME
from tests.mutation.survivors.targets import TARGETS
from tests.mutation.survivors.words import Reasons

PAGE = """\
# Mutants of the rooms that nothing proves

`python -m tests.mutation ROOM [COUNT [SECONDS]]` changes one operator, constant, comparison or
condition at a time (the mutator of the proved code,
`proofs/filterproof_proofs/potential/mutants.py`), in a copy of the project, and runs the tests
that run the changed line, those that take least, SECONDS of processor time together. All tests
are collected and watched once; each mutant then is a forked copy of that process, whose functions
take the changed code, and the changed file, for the processes that tests start. A mutant is
*killed* when a test fails or takes ten times as long; else it has *survived*. Tests that take
more than two seconds are not asked, nor are tests of other rooms, so a survivor here may well be
killed by the whole suite. `make room-mutants` writes this page and fails if a survivor has no
reason (`tests/mutation/survivors`).

In the run below every mutant of every room was tried, with 4 seconds of tests for each (30 for two
of `targets`, which the quickest tests do not notice). A survivor is a change that makes no
difference, a number that somebody chose, or a text; where a test was missing, it was written
(`tests/properties/targets`, `tests/reference/runtime`). Why each is no fault stands line by line in
`tests/mutation/survivors`; what has no reason there is listed below.

| room | mutants | tried | killed | survived | explained | not explained |
|---|---|---|---|---|---|---|
{rooms}
{table}"""

REASONS: Reasons = {**PROCESSES, **TARGETS, **RUNTIME}
