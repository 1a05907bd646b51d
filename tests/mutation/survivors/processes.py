"""Survivors of `processes/`, and why each is no fault."""

from tests.mutation.survivors.words import LATER, SHOWN, TASTE, Reasons

CLUSTER = "runs on a cluster only: `test_cluster.py` starts one, and is not among the quick tests"

PROCESSES: Reasons = {
    ("gc_pause.py", "SELDOM = 50_000"): TASTE,
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
    ("supervisor.py", "CANNOT_START = 127"): "nobody looks at it: the control line says why",
    ("supervisor.py", "signal.set_wakeup_fd(told, warn_on_full_buffer=False)"): (
        "a warning would go to a stream that is closed"
    ),
    ("supervisor.py", "os._exit(0)"): "nobody looks at how the supervisor itself ends",
    ("supervisor.py", "ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)"): (
        "the system asks only whether the second number is 0, and not for the others"
    ),
    ("supervisor.py", "resource.setrlimit(resource.RLIMIT_CORE, (0, 0))"): (
        "one byte of a core file is none either"
    ),
    ("supervisor.py", "os.read(hear, 4096)"): SHOWN,
    ("supervisor.py", "while os.waitpid(-1, os.WNOHANG)[0]:"): LATER,
    ("pool.py", "MOST_LOSSES = 3"): TASTE,
    ("pool.py", "CONNECT_SECONDS = 10"): TASTE,
    ("pool.py", "LOOK_SECONDS, ALONE_SECONDS = 1, 15"): TASTE,
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
    ("sanitise.py", "MOST = 500"): SHOWN,
}
