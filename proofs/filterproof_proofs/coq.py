"""The theorems in Coq: compile them, and say what they assume.

The sources are in `proofs/coq` of a checkout.  A file with entries `(** paper: ... words: ... *)`
is an index: `Theorems.v`, `Registry.v` and `Budgets.v` for filters and odometers, `Analysis.v`.
Everything is compiled in a directory
of its own, so that the source tree stays clean.  A build counts only if every file compiles and
no entry of an index assumes anything beyond `axioms.allowed`.
"""

import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from os import cpu_count
from pathlib import Path

SOURCES = Path(__file__).resolve().parents[1] / "coq"
LIBRARY = "Filterproof"
NEEDED = "Coquelicot"
HOW_TO_GET_IT = "apt-get install coq libcoq-coquelicot"  # on Debian this brings OCaml along

_ENTRY = re.compile(
    r"\(\*\* paper: (?P<paper>[^\n]*)\n\s+words: (?P<words>.*?) \*\)\n"
    r"Theorem (?P<name>\w+) : (?P<statement>.*?)\.\nProof\. (?P<proof>.*?)\. Qed\.",
    re.DOTALL,
)
_DESCRIBED = "(** paper: "
_CLOSED = "Closed under the global context"
_IMPORT = re.compile(rf"^From {LIBRARY} Require Import ([\w\s]+)\.", re.MULTILINE)


class CoqError(Exception):
    """The Coq theorems could not be checked, or do not hold up."""


class CoqMissing(CoqError):
    """A program of the Coq tool chain, or the library that the theorems need, is not installed."""


class SourcesMissing(CoqError):
    """The Coq sources are not here: they are part of a checkout, not of the installed package."""


class BuildFailed(CoqError):
    """A file does not compile."""


class ForbiddenAxiom(CoqError):
    """A theorem rests on something that is not in the list of allowed axioms."""


@dataclass(frozen=True)
class Entry:
    """One theorem as an index states it: where the paper speaks of it, and what it says."""

    index: str
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
            raise BuildFailed(f"{self.index}: the proof of {self.name} names no file: {self.proof}")
        return f"{found[1]}.v"


@dataclass(frozen=True)
class Theorem:
    """A theorem that was compiled just now.

    `paper` is its place in the paper ("-": this project's own), `axioms` are those on which the
    theorems of `file` rest, `seconds` is what compiling it took.
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
    entries = index()
    compiled = build(directory)
    axioms = axioms_of(directory, entries)
    return [
        Theorem(
            one.name, one.paper, one.words, one.file, axioms[one.name], compiled[one.file].seconds
        )
        for one in entries
    ]


def tool(name: str) -> str:
    """Return the path of a program of the tool chain."""
    found = shutil.which(name)
    if found is None:
        raise CoqMissing(f"{name} is not installed; get it with: {HOW_TO_GET_IT}")
    return found


def library(directory: Path) -> None:
    """Raise unless coqc finds Coquelicot: integrals, and series of countably many terms."""
    (directory / "Needed.v").write_text(f"From {NEEDED} Require {NEEDED}.\n", encoding="utf-8")
    try:
        compile_file(directory, "Needed.v")
    except BuildFailed as error:
        reason = f"coqc does not find the library {NEEDED}; get it with: {HOW_TO_GET_IT}"
        raise CoqMissing(f"{reason}\n{error}") from error


# --- the sources ----------------------------------------------------------------------------


def files() -> list[str]:
    """Return the files to compile, each after those that it imports."""
    return [line for line in _source_text("_CoqProject").split() if line.endswith(".v")]


def indexes() -> list[str]:
    """Return the files that are an index."""
    return [name for name in files() if _DESCRIBED in _source_text(name)]


def index() -> list[Entry]:
    """Return the theorems that the indexes state, each described and each once."""
    found = [entry for name in indexes() for entry in _entries(name)]
    names = [one.name for one in found]
    if not names or (twice := {name for name in names if names.count(name) > 1}):
        raise BuildFailed(f"need every theorem once: {sorted(twice) if names else 'none at all'}")
    return found


def _entries(name: str) -> list[Entry]:
    text = _source_text(name)
    found = [_entry(name, match) for match in _ENTRY.finditer(text)]
    described = {one.name for one in found}
    stated = set(re.findall(r"^Theorem (\w+)", text, re.MULTILINE))
    if odd := sorted(stated ^ described):
        raise BuildFailed(f"{name}: described and stated must agree; see {odd}")
    return found


def _entry(name: str, match: re.Match[str]) -> Entry:
    parts = match.groupdict()
    return Entry(name, **{**parts, "words": " ".join(parts["words"].split())})


def allowed_axioms() -> frozenset[str]:
    """Return the axioms that a theorem may use: those of the classical reals."""
    lines = _source_text("axioms.allowed").splitlines()
    return frozenset(line for line in lines if line and not line.startswith("#"))


def _source_text(name: str) -> str:
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
    tool("coqc") if names else library(directory)
    texts = {name: _source_text(name) for name in names or files()}
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
    output = _output_of([tool("coqc"), "-q", "-Q", ".", LIBRARY, name], directory, name)
    return Compiled(output, time.perf_counter() - begun)


def compile_program(directory: Path, extracted: str, *written: str) -> Path:
    """Compile an extracted module of a build and the hand-written ones around it, main last."""
    sources = _sources(directory, extracted, written)
    _output_of([tool("ocamlopt"), "-w", "-a", "-o", written[-1], *sources], directory, written[-1])
    return directory / written[-1]


def compile_javascript(directory: Path, extracted: str, *written: str) -> Path:
    """Compile the same for a browser, through the bytecode that js_of_ocaml translates."""
    name = written[-1]
    sources = _sources(directory, extracted, written)
    words = ["ocamlc", "-w", "-a", "-package", "js_of_ocaml", "-linkpkg", "-o", f"{name}.byte"]
    _output_of([tool("ocamlfind"), *words, *sources], directory, name)
    _output_of(
        [tool("js_of_ocaml"), "--opt", "3", f"{name}.byte", "-o", f"{name}.js"], directory, name
    )
    return directory / f"{name}.js"


def _sources(directory: Path, extracted: str, written: Iterable[str]) -> list[str]:
    for name in written:
        (directory / f"{name}.ml").write_text(_source_text(f"{name}.ml"), encoding="utf-8")
    return [f"{extracted}.mli", f"{extracted}.ml", *(f"{name}.ml" for name in written)]


def compile_order(name: str) -> list[str]:
    """Return the file and all that it imports, directly or not, in an order to compile them."""
    wanted = {name}
    for earlier in reversed(files()):
        if earlier in wanted:
            wanted.update(_imports(_source_text(earlier)))
    return [one for one in files() if one in wanted]


def _imports(text: str) -> list[str]:
    return [f"{name}.v" for found in _IMPORT.findall(text) for name in found.split()]


def _output_of(command: list[str], directory: Path, name: str) -> str:
    done = subprocess.run(command, cwd=directory, capture_output=True, text=True, check=False)
    if done.returncode:
        raise BuildFailed(f"{name} does not compile:\n{done.stderr.strip()}")
    return done.stdout


# --- assumptions ----------------------------------------------------------------------------


def axioms_of(directory: Path, entries: list[Entry]) -> dict[str, tuple[str, ...]]:
    """Ask coqc, for each file of a build, what its entries rest on; all must be allowed.

    Entries that one file proves are asked about together: a question takes as long for all of them
    as for one, because it walks through the standard library.
    """
    with ThreadPoolExecutor(cpu_count()) as pool:
        asked = pool.map(lambda name: _axioms_by_entry(directory, name, entries), indexes())
    return {name: check_axioms(axioms) for found in asked for name, axioms in found.items()}


def _axioms_by_entry(
    directory: Path, index: str, entries: list[Entry]
) -> dict[str, tuple[str, ...]]:
    module = index.removesuffix(".v")
    groups: dict[str, list[str]] = {}
    for one in entries:
        if one.index == index:
            groups.setdefault(one.file, []).append(one.name)
    text = f"From {LIBRARY} Require {module}.\n"
    for place, names in enumerate(groups.values()):
        listed = ", ".join(f"@{module}.{name}" for name in names)
        text += f"Definition group{place} := ({listed}).\nPrint Assumptions group{place}.\n"
    (directory / f"Assumptions_{index}").write_text(text, encoding="utf-8")
    answers = assumptions(compile_file(directory, f"Assumptions_{index}").output)
    together = zip(groups.values(), answers, strict=True)
    return {name: axioms for names, axioms in together for name in names}


def assumptions(output: str) -> list[tuple[str, ...]]:
    """Return the axioms that coqc listed, for each `Print Assumptions` in turn.

    >>> assumptions("Axioms:\\nA.one : forall x, x\\nB.two\\n  : Prop\\nAxioms:\\nA.one : Prop\\n")
    [('A.one', 'B.two'), ('A.one',)]
    >>> assumptions("Closed under the global context\\n")
    [()]
    """
    heading, *answers = re.split(rf"^(?:Axioms:|(?={_CLOSED}))\n?", output, flags=re.MULTILINE)
    if heading or not answers or not all(answers):
        raise BuildFailed(f"expected lists of axioms from coqc; got {output[:200]!r}")
    return [
        () if listed.startswith(_CLOSED) else tuple(re.findall(r"^(\S+)", listed, re.MULTILINE))
        for listed in answers
    ]


def check_axioms(found: tuple[str, ...]) -> tuple[str, ...]:
    """Return the axioms if all are allowed, else raise.

    >>> check_axioms(("Cheating.excluded_middle_of_wishes",))
    Traceback (most recent call last):
    filterproof_proofs.coq.ForbiddenAxiom: not in axioms.allowed: Cheating.excluded_middle_of_wishes
    """
    if forbidden := sorted(set(found) - allowed_axioms()):
        raise ForbiddenAxiom(f"not in axioms.allowed: {', '.join(forbidden)}")
    return found
