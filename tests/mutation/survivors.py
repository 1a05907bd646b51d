"""Why a changed line of a room that passes its tests is no fault, for docs/MUTANTS.md."""

from collections.abc import Mapping

PAGE = """\
# Mutants of the rooms that nothing proves

`python -m tests.mutation ROOM [COUNT [SECONDS]]` changes one operator, constant, comparison or
condition at a time (the mutator of the proved code,
`proofs/filterproof_proofs/symbolic/mutants.py`), in a copy of the project, and runs the tests
that run the changed line, those that take least, SECONDS of processor time together. All tests
are collected and watched once; each mutant then is a forked copy of that process, whose functions
take the changed code, and the changed file, for the processes that tests start. A mutant is
*killed* when a test fails or takes ten times as long; else it has *survived*. Tests that take
more than two seconds are not asked, nor are tests of other rooms, so a survivor here may well be
killed by the whole suite. `make room-mutants` writes this page and fails if a survivor has no
reason (`tests/mutation/survivors.py`).

In the run below the tests had 4 seconds for a mutant of `processes`, and 1 for one of the other
two rooms, which were cut short: what was tried of them is a random sample, and survivors that are
not explained have been shown to the very quickest tests only.

| room | mutants | tried | killed | survived | explained | not explained |
|---|---|---|---|---|---|---|
{rooms}

| survivor | was | is | why it is no fault |
|---|---|---|---|
{table}
"""

TASTE = "a number that somebody chose; tests use it by its name"
SHOWN = "only how much is quoted, or read in one go"
FROZEN = "nothing assigns to it; that nothing may is a habit"
CLUSTER = "runs on a cluster only: `test_cluster.py` starts one, and is not among the quick tests"
LATER = "the same results, a moment later"
STRICT = "the lists are made side by side; that they are as long is looked at a second time"
NUMBERED = "any numbers do that differ"
MODE = "who may execute a file of data may not read it for that"

Reasons = Mapping[tuple[str, str], str | Mapping[str, str]]

PROCESSES: Reasons = {
    ("child.py", "NOISE = 500"): SHOWN,
    ("child.py", "@dataclass(frozen=True)"): (
        "`--jobs` keeps targets by their limits, which have to be hashable: tests of other rooms"
    ),
    ("child.py", "memory: int = 4096"): TASTE,
    ("child.py", "disk: int = 256"): TASTE,
    ("child.py", "chunk = os.read(self.out, 2**16)"): SHOWN,
    (
        "child.py",
        'said = self.control.recv(200, socket.MSG_PEEK).decode(errors="replace")',
    ): SHOWN,
    ("child.py", "self.stderr.seek(0, os.SEEK_END)"): SHOWN,
    ("child.py", "self.stderr.seek(max(0, self.stderr.tell() - NOISE))"): SHOWN,
    (
        "child.py",
        'return quoted(self.stderr.read().decode(errors="replace").strip(), 4 * NOISE)',
    ): SHOWN,
    (
        "child.py",
        "for end in (*mine, *streams[:2], *others): # a line closes only when its last copy does",
    ): "the third stream has been copied to where it is used; its other name may go, too",
    ("keeper.py", "CANNOT_START = 127"): "nobody looks at it: the control line says why",
    ("keeper.py", "signal.set_wakeup_fd(told, warn_on_full_buffer=False)"): (
        "a warning would go to a stream that is closed"
    ),
    ("keeper.py", "os._exit(0)"): "nobody looks at how the keeper itself ends",
    ("keeper.py", "ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)"): (
        "the system asks only whether the second number is 0, and not for the others"
    ),
    ("keeper.py", "resource.setrlimit(resource.RLIMIT_CORE, (0, 0))"): (
        "one byte of a core file is none either"
    ),
    ("keeper.py", "os.read(hear, 4096)"): SHOWN,
    ("keeper.py", "while os.waitpid(-1, os.WNOHANG)[0]:"): LATER,
    ("pool.py", "MOST_LOSSES = 3"): TASTE,
    ("pool.py", "CONNECT_SECONDS = 10"): TASTE,
    ("pool.py", "LOOK_SECONDS, ALONE_SECONDS = 1, 15"): TASTE,
    ("pool.py", "@dataclass(frozen=True)"): FROZEN,
    ("pool.py", "jobs: int = 1,"): "as many jobs as one likes give the same results",
    (
        "pool.py",
        "if all(worker.number is None or worker.number >= board.limit for worker in workers):",
    ): {"worker.number >= board.limit -> worker.number > board.limit": LATER},
    ("pool.py", "process = context.Process(target=_serve, args=(there, function), daemon=True)"): (
        "workers are ended in any case; this is for a parent that cannot do so any more"
    ),
    ("pool.py", "return True"): "never reached: only workers with a task are looked at",
    ("pool.py", "if all(n >= board.limit for n in numbers.values()):"): CLUSTER,
    ("pool.py", 'if future.status != "finished":'): CLUSTER,
    ("pool.py", "while True:"): CLUSTER,
    ("pool.py", "alone = monotonic() if client.ncores() else alone"): CLUSTER,
    ("pool.py", "if monotonic() - alone > ALONE_SECONDS:"): CLUSTER,
    (
        "pool.py",
        "client: Any, function: Callable[[Any], Any], board: Board, waiting: int = 0",
    ): CLUSTER,
    (
        "pool.py",
        "room = max(2 * sum(client.ncores().values()), 2) "
        "# enough for every worker to have a next task",
    ): CLUSTER,
    ("pool.py", "for _ in range(room - waiting):"): CLUSTER,
    ("pool.py", "if (number := board.take()) is None:"): CLUSTER,
    (
        "pool.py",
        "yield client.submit(attempt, function, task, pure=False, retries=MOST_LOSSES), number",
    ): CLUSTER,
    ("quoting.py", "MOST = 500"): SHOWN,
}

TARGETS: Reasons = {
    ("guard.py", "return quoted(answer[0] if shaped else answer, 20)"): {"20 -> 21": SHOWN},
    (
        "guard.py",
        "self.questions, self.times = self.questions + len(questions), self.times + 1",
    ): {
        "self.times + 1 -> self.times - 1": "every sixteenth time, counted downwards",
        "1 -> 2": "every eighth time instead of every sixteenth",
    },
    (
        "link.py",
        'said = f"its answer is no JSON object ({quoted(error, 120)}): {line[:120]!r}"',
    ): {"120 -> 121": SHOWN},
    ("messages.py", '"neighbours": [[x, x_] for x, x_ in game.pairs if (x_, x) > (x, x_)],'): (
        "x and x' differ, and either order names the pair"
    ),
    ("messages.py", "_told_law = lru_cache(maxsize=4096)(ToldLaw)"): TASTE,
    ("remote.py", "self.filters += 1"): NUMBERED,
    ("remote.py", "if any(old[1] is new[1] for old, new in zip(questions, full, strict=True)):"): {
        "True -> False": STRICT
    },
    (
        "remote.py",
        'raise Misbehaved(f"answers ahead of time are no answers: {quoted(more, 200)}") from None',
    ): {"200 -> 201": SHOWN},
    ("remote.py", 'raise Misbehaved(f"need {count} answers; got {quoted(found, 200)}")'): {
        "200 -> 201": SHOWN
    },
    ("remote.py", "return Elsewhere(number, quoted(shown, 80))"): {"80 -> 81": SHOWN},
    ("server.py", 'return f"{quoted(module, 200)}:{quoted(name, 200)}"'): SHOWN,
    ("transcript.py", "self.games += 1"): NUMBERED,
    ("walk.py", "for rule, (decision, state) in zip(rules, answers, strict=True)"): {
        "True -> False": STRICT
    },
}

RUNTIME: Reasons = {
    ("account.py", "@dataclass(frozen=True, eq=False)"): {"True -> False": FROZEN},
    ("added_noise.py", "@dataclass(frozen=True)"): FROZEN,
    ("budget.py", "@dataclass(frozen=True)"): FROZEN,
    ("columns.py", "rows = zip(at.tolist(), epsilon.tolist(), backward.tolist(), strict=True)"): {
        "True -> False": STRICT
    },
    ("plan.py", "pairs = zip(mus[at].tolist(), epsilon.tolist(), strict=True)"): {
        "True -> False": STRICT
    },
    (
        "postgres.py",
        'wait = f"-c lock_timeout={int(PATIENCE * 1000)} -c synchronous_commit=on"',
    ): {"1000 -> 1001": TASTE},
    (
        "sql.py",
        'file = os.open(f"{self.path}-turn", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)',
    ): {"384 -> 385": MODE},
    ("file.py", "file = os.open(path, flags, 0o600)"): {"384 -> 385": MODE},
    ("whole.py", "context.prec = 200"): "one more digit",
    ("whole.py", "slack, beyond = Fraction(1, 2**100), Fraction(1, 2**1074)"): {
        "1 -> 2": "twice as wide a margin, far below a double's last place"
    },
}

REASONS: Reasons = {**PROCESSES, **TARGETS, **RUNTIME}
