"""The second opinion: cvc5, in a process of its own that can be stopped.

The text is the one the first solver read. An answer that takes too much effort is `unknown`. Effort
is counted in the solver's own steps, so that a busy machine does not change a verdict; a clock only
stops a process that hangs.
"""

import os
import socket
import subprocess
import sys
from importlib.util import find_spec
from multiprocessing.connection import Connection
from types import TracebackType

EFFORT = 1_000_000  # cvc5's resource units: about five seconds on an idle core
ISOLATED = (sys.executable, "-P", "-s")
"""No file in the working directory is imported instead of an installed one."""
PASSED_ON = ("PATH", "LANG", "LC_ALL", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")


class SolverMissing(RuntimeError):
    """A solver that was asked for is not installed."""


class SolverError(RuntimeError):
    """A solver answered with something that is not an answer."""


def require(package: str) -> None:
    """Raise, with the cure, unless the package can be imported."""
    if find_spec(package) is None:
        raise SolverMissing(f"{package} is not installed; try: pip install 'filterproof[proofs]'")


class SecondOpinion:
    """A context in which questions are put to cvc5, one at a time.

    `patience` is the number of seconds after which a silent process is replaced.
    """

    def __init__(self, patience: float, effort: int = EFFORT) -> None:
        require("cvc5")
        self.patience = patience
        self.effort = effort
        self._start()

    def _start(self) -> None:
        mine, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(
                [*ISOLATED, os.path.abspath(__file__), str(theirs.fileno()), str(self.effort)],
                stdin=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                start_new_session=True,
                env={name: os.environ[name] for name in PASSED_ON if name in os.environ},
            )
        self._connection = Connection(mine.detach())
        self._connection.recv()  # ready: the imports are not part of the first answer

    def _stop(self) -> None:
        self._process.kill()
        self._process.wait()
        self._connection.close()

    def ask(self, text: str) -> None:
        """Hand over a question; `answer` fetches what becomes of it."""
        self._connection.send(text)

    def answer(self) -> str:
        """Return `sat`, `unsat` or `unknown`."""
        if not self._connection.poll(self.patience):
            self._stop()
            self._start()
            return "unknown"
        said: str = self._connection.recv()
        word = said.split(" ")[0]
        if word not in ("sat", "unsat", "unknown"):
            raise SolverError(f"cvc5 said: {said[:200]}")
        return word

    def __enter__(self) -> "SecondOpinion":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stop()


def _serve(connection: Connection, effort: int) -> None:
    import cvc5  # noqa: F401  # here, so that being ready means that it is loaded

    connection.send("ready")
    while True:
        try:
            text = connection.recv()
        except EOFError:  # nobody is there to ask any more
            return
        try:
            connection.send(decide(text, effort))
        except RuntimeError as error:  # cvc5's only kind, for text it cannot read
            connection.send(f"error: {error}")


def decide(text: str, effort: int = EFFORT) -> str:
    """Decide one SMT-LIB text in this process.

    >>> decide("(set-logic ALL) (declare-fun p () Real) (assert (< p p)) (check-sat)")
    'unsat'
    """
    import cvc5

    manager = cvc5.TermManager()
    solver = cvc5.Solver(manager)
    solver.setOption("rlimit-per", str(effort))
    symbols = cvc5.SymbolManager(manager)
    parser = cvc5.InputParser(solver, symbols)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, text, "query")
    said = ""
    while not (command := parser.nextCommand()).isNull():
        said += command.invoke(solver, symbols)
    return said.strip()


if __name__ == "__main__":
    _serve(Connection(int(sys.argv[1])), int(sys.argv[2]))
