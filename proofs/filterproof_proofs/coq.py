"""The theorems in Coq: compile them, and say what they assume.

The sources are in `proofs/coq` of a checkout; `Theorems.v` there is the index.  They are compiled
in a directory of their own, so that the source tree stays clean.  A build counts only if every
file compiles and the index assumes nothing beyond `axioms.allowed`.
"""

import re
import shutil
import subprocess
import tempfile
import time
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from os import cpu_count
from pathlib import Path

SOURCES = Path(__file__).resolve().parents[1] / "coq"
LIBRARY = "Filterproof"
INDEX = "Theorems.v"
HOW_TO_GET_IT = "apt-get install coq"  # on Debian this brings OCaml along

_ENTRY = re.compile(
    r"\(\*\* paper: (?P<paper>[^\n]*)\n\s+words: (?P<words>.*?) \*\)\n"
    r"Theorem (?P<name>\w+) : (?P<statement>.*?)\.\nProof\. (?P<proof>.*?)\. Qed\.",
    re.DOTALL,
)
_IMPORT = re.compile(rf"^From {LIBRARY} Require Import ([\w\s]+)\.", re.MULTILINE)


class CoqError(Exception):
    """The Coq theorems could not be checked, or do not hold up."""


class CoqMissing(CoqError):
    """A program of the Coq tool chain is not installed."""


class SourcesMissing(CoqError):
    """The Coq sources are not here: they are part of a checkout, not of the installed package."""


class BuildFailed(CoqError):
    """A file does not compile."""


class ForbiddenAxiom(CoqError):
    """A theorem rests on something that is not in the list of allowed axioms."""


@dataclass(frozen=True)
class Entry:
    """One theorem as the index states it: where the paper speaks of it, and what it says."""

    name: str
    paper: str
    words: str
    statement: str
    proof: str

    @property
    def file(self) -> str:
        """The file that proves it, by the module that its one-line proof refers to."""
        found = re.search(r"\b([A-Z]\w+)\.\w+", self.proof)
        if found is None:
            raise BuildFailed(f"{INDEX}: the proof of {self.name} names no file: {self.proof}")
        return f"{found[1]}.v"


@dataclass(frozen=True)
class Theorem:
    """A theorem that was compiled just now.

    `paper` is its place in the paper ("-": this project's own), `axioms` are those on which the
    index rests, `seconds` is what compiling `file` took.
    """

    name: str
    paper: str
    words: str
    file: str
    axioms: tuple[str, ...]
    seconds: float


def prove_theorems(directory: Path | None = None) -> list[Theorem]:
    """Compile every file and return the theorems of the index, or raise a `CoqError`.

    `directory` receives the compiled files; by default they are thrown away.
    """
    if directory is None:
        with tempfile.TemporaryDirectory(prefix="filterproof-coq-") as temporary:
            return prove_theorems(Path(temporary))
    compiled = build(directory)
    axioms = check_axioms(assumptions(compiled[INDEX].output))
    return [
        Theorem(one.name, one.paper, one.words, one.file, axioms, compiled[one.file].seconds)
        for one in index()
    ]


def tool(name: str) -> str:
    """Return the path of a program of the tool chain."""
    found = shutil.which(name)
    if found is None:
        raise CoqMissing(f"{name} is not installed; get it with: {HOW_TO_GET_IT}")
    return found


# --- the sources ----------------------------------------------------------------------------


def files() -> list[str]:
    """Return the files to compile, each after those that it imports."""
    return [line for line in _read("_CoqProject").split() if line.endswith(".v")]


def index() -> list[Entry]:
    """Return the theorems that the index states; each must be among its checked entries."""
    text = _read(INDEX)
    found = [_entry(match) for match in _ENTRY.finditer(text)]
    names = {one.name for one in found}
    stated = set(re.findall(r"^Theorem (\w+)", text, re.MULTILINE))
    checked = set(re.findall(r"@(\w+)", text.partition("Definition entries")[2]))
    if not names or names != stated or names != checked:
        odd = sorted((stated | checked) - (names & checked)) or ["no theorem at all"]
        raise BuildFailed(f"{INDEX}: described, stated and checked must agree; see {odd}")
    return found


def _entry(match: re.Match[str]) -> Entry:
    parts = match.groupdict()
    return Entry(**{**parts, "words": " ".join(parts["words"].split())})


def allowed_axioms() -> frozenset[str]:
    """Return the axioms that a theorem may use: those of the classical reals."""
    lines = _read("axioms.allowed").splitlines()
    return frozenset(line for line in lines if line and not line.startswith("#"))


def _read(name: str) -> str:
    if not (SOURCES / name).is_file():
        raise SourcesMissing(f"need {name} in proofs/coq of a checkout; got {SOURCES}")
    return (SOURCES / name).read_text(encoding="utf-8")


# --- compiling ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Compiled:
    """What coqc printed for one file, and how long it took."""

    output: str
    seconds: float


def build(directory: Path, names: list[str] | None = None) -> dict[str, Compiled]:
    """Compile every file, or those named, into `directory`, as many at once as imports allow."""
    tool("coqc")
    texts = {name: _read(name) for name in names or files()}
    for name, text in texts.items():
        (directory / name).write_text(text, encoding="utf-8")
    running: dict[str, Future[Compiled]] = {}

    def after_imports(name: str) -> Compiled:
        for needed in _imports(texts[name]):
            running[needed].result()
        return compile_file(directory, name)

    with ThreadPoolExecutor(cpu_count()) as pool:
        for name in texts:
            running[name] = pool.submit(after_imports, name)
    return {name: future.result() for name, future in running.items()}


def compile_file(directory: Path, name: str) -> Compiled:
    """Compile one file whose imports are compiled already."""
    begun = time.perf_counter()
    output = _run([tool("coqc"), "-q", "-Q", ".", LIBRARY, name], directory, name)
    return Compiled(output, time.perf_counter() - begun)


def compile_player(directory: Path) -> Path:
    """Compile the extracted filters of a build into the program that `play.ml` describes."""
    return compile_program(directory, "filters", "play")


def compile_program(directory: Path, extracted: str, name: str) -> Path:
    """Compile an extracted module of a build and the hand-written program around it."""
    (directory / f"{name}.ml").write_text(_read(f"{name}.ml"), encoding="utf-8")
    sources = [f"{extracted}.mli", f"{extracted}.ml", f"{name}.ml"]
    _run([tool("ocamlopt"), "-w", "-a", "-o", name, *sources], directory, f"{name}.ml")
    return directory / name


def needed(name: str) -> list[str]:
    """Return the file and all that it imports, directly or not, in an order to compile them."""
    wanted = {name}
    for earlier in reversed(files()):
        if earlier in wanted:
            wanted.update(_imports(_read(earlier)))
    return [one for one in files() if one in wanted]


def _imports(text: str) -> list[str]:
    return [f"{name}.v" for found in _IMPORT.findall(text) for name in found.split()]


def _run(command: list[str], directory: Path, name: str) -> str:
    done = subprocess.run(command, cwd=directory, capture_output=True, text=True, check=False)
    if done.returncode:
        raise BuildFailed(f"{name} does not compile:\n{done.stderr.strip()}")
    return done.stdout


# --- assumptions ----------------------------------------------------------------------------


def assumptions(output: str) -> tuple[str, ...]:
    """Return the axioms that coqc listed for one `Print Assumptions`.

    >>> assumptions("Axioms:\\nA.one : forall x, x\\nB.two\\n  : Prop\\n")
    ('A.one', 'B.two')
    >>> assumptions("Closed under the global context\\n")
    ()
    """
    if output.strip() == "Closed under the global context":
        return ()
    heading, _, listed = output.partition("Axioms:\n")
    if heading or not listed:
        raise BuildFailed(f"expected a list of axioms from coqc; got {output[:200]!r}")
    return tuple(re.findall(r"^(\S+)", listed, re.MULTILINE))


def check_axioms(found: tuple[str, ...]) -> tuple[str, ...]:
    """Return the axioms if all are allowed, else raise.

    >>> check_axioms(("Cheating.excluded_middle_of_wishes",))
    Traceback (most recent call last):
    filterproof_proofs.coq.ForbiddenAxiom: not in axioms.allowed: Cheating.excluded_middle_of_wishes
    """
    if forbidden := sorted(set(found) - allowed_axioms()):
        raise ForbiddenAxiom(f"not in axioms.allowed: {', '.join(forbidden)}")
    return found
