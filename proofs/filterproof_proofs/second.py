"""The second opinion: cvc5, in a process of its own that can be stopped.

The text is the one the first solver read. An answer that does not come in time is `unknown`.
"""

from importlib.util import find_spec
from multiprocessing import get_context
from multiprocessing.connection import Connection
from types import TracebackType

GRACE = 2.0  # seconds beyond the limit before the process is given up


class SolverMissing(RuntimeError):
    """A solver that was asked for is not installed."""


class SolverError(RuntimeError):
    """A solver answered with something that is not an answer."""


def require(package: str) -> None:
    """Raise, with the cure, unless the package can be imported."""
    if find_spec(package) is None:
        raise SolverMissing(f"{package} is not installed; try: pip install 'filterproof[proofs]'")


class SecondOpinion:
    """A context in which questions are put to cvc5, one at a time, each with a time limit."""

    def __init__(self, limit: float) -> None:
        require("cvc5")
        self.limit = limit
        self._start()

    def _start(self) -> None:
        context = get_context("spawn")
        self._connection, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs, self.limit), daemon=True)
        self._process.start()
        theirs.close()
        self._connection.recv()  # ready: the imports do not count against the limit

    def _stop(self) -> None:
        self._process.kill()
        self._process.join()
        self._connection.close()

    def ask(self, text: str) -> None:
        """Hand over a question; `answer` fetches what becomes of it."""
        self._connection.send(text)

    def answer(self) -> str:
        """Return `sat`, `unsat` or `unknown`."""
        if not self._connection.poll(self.limit + GRACE):
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


def _serve(connection: Connection, limit: float) -> None:
    import cvc5  # noqa: F401  # here, so that being ready means that it is loaded

    connection.send("ready")
    while True:
        connection.send(decide(connection.recv(), limit))


def decide(text: str, limit: float) -> str:
    """Decide one SMT-LIB text in this process.

    >>> decide("(set-logic ALL) (declare-fun p () Real) (assert (< p p)) (check-sat)", 5)
    'unsat'
    """
    import cvc5

    manager = cvc5.TermManager()
    solver = cvc5.Solver(manager)
    solver.setOption("tlimit-per", str(round(1000 * limit)))
    symbols = cvc5.SymbolManager(manager)
    parser = cvc5.InputParser(solver, symbols)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, text, "query")
    said = ""
    while not (command := parser.nextCommand()).isNull():
        said += command.invoke(solver, symbols)
    return said.strip()
