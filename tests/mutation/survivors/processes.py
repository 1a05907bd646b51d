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
    ("pool.py", "jobs: int = 1,"): "as many jobs as one likes give the same results",
    (
        "pool.py",
        "if all(worker.number is None or worker.number >= board.limit for worker in workers):",
    ): {"worker.number >= board.limit -> worker.number > board.limit": LATER},
    ("pool.py", "return True"): "never reached: only workers with a task are looked at",
    ("pool.py", "while True:"): CLUSTER,
    ("sanitise.py", "MOST = 500"): SHOWN,
}
