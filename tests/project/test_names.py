"""What a docstring, a comment or a page names in backticks exists: files, modules and names.

Three kinds of words are looked at.  A file, `engine/cuts.py`, is the end of a path in the tree.  A
dotted name, `exact.sign`, is a module and what is defined or imported there, or a class and what
any class has.  A plain word, `worst_case`, is looked at in docstrings and comments only, where it
must be a name somewhere or a word of Python's; after "see" it must be a module or a definition.
"""

import ast
import builtins
import io
import keyword
import re
import subprocess
import sys
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CODE = ("reference", "proofs", "properties", "corpus", "conformance", "benchmarks", "tests")
SHIPPED = ("reference", "proofs", "properties")
HISTORY = {"CHANGELOG.md"}
"""Pages that speak of what was."""
MADE = {"MUTANTS.md", "PROVE-MUTANTS.md", "LEMMAS.md"}
"""Pages made of lines of code, each in backticks."""
FILE = re.compile(r"[\w./-]*\w\.(?:py|v|md|json|toml|yml|yaml|sh|js|c|svg|csv|txt|cfg)")
DOTTED = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+")
WORD = re.compile(r"[A-Za-z_]\w{2,}")
TICKS = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
SEE = re.compile(r"\b[Ss]ee\s+`([A-Za-z_]\w{2,})`")
SHORT = {"P/": "properties/filterproof_properties/"}
"""How CONTRIBUTING abbreviates a path."""
OTHERS = {
    # files that users or tools write
    "mine.py",
    ".github/workflows/filterproof.yml",
    ".github/workflows/gate.yml",
    "_compat_pickle.py",
    # names in other people's code
    "BudgetAccountant.spend",
    "DPQuerier.handle_query",
    "GaussianAccountant",
    "GaussianDpEvent",
    "InsufficientBudgetError",
    "OdometerHeterogeneous",
    "OdometerHeterogeneous.spent",
    "PrivacyConfig",
    "RDPAccountant",
    "RdpAccountant.get_epsilon",
    "RdpAccountant.would_exceed",
    # axioms of Coq's library
    "ClassicalDedekindReals.sig_forall_dec",
    "ClassicalDedekindReals.sig_not_dec",
    "Classical_Prop.classic",
    "FunctionalExtensionality.functional_extensionality_dep",
    # a group of entry points, a format, and names as they look
    "filterproof.targets",
    "filterproof.transcript",
    "__x",
    "t0_1",
    "_up",
    "_down",
}
"""What is named and is not ours, or is no name."""


@dataclass
class Module:
    """What a file defines or imports, at any depth, and what classes in it have."""

    names: set[str] = field(default_factory=set)
    defined: set[str] = field(default_factory=set)  # functions, classes, constants
    imported: set[str] = field(default_factory=set)


def read(source: str) -> Module:
    """Return the names of a module: definitions, assignments, arguments, attributes, keys."""
    found = Module()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            found.names.add(node.name)
            found.defined.add(node.name)
        elif isinstance(node, ast.arg):
            found.names.add(node.arg)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.names.add(node.id)
            found.defined.update({node.id} if node.id.isupper() else ())
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            found.names.add(node.attr)
        elif isinstance(node, ast.keyword) and node.arg:
            found.names.add(node.arg)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            found.names.update(re.findall(r"^[A-Za-z_][\w-]*$", node.value))
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            for alias in node.names:
                found.imported.add((alias.asname or alias.name).split(".")[0])
    return found


def tails(dotted: str) -> list[str]:
    """Return the ends of a dotted name, the whole one first: `a.b.c`, `b.c`, `c`."""
    parts = dotted.split(".")
    return [".".join(parts[start:]) for start in range(len(parts))]


@dataclass
class Tree:
    """All that the project has: files, and modules by their dotted path with what each names."""

    files: set[str]
    modules: dict[str, Module]

    @cached_property
    def names(self) -> set[str]:
        return set().union(*(module.names for module in self.modules.values()))

    @cached_property
    def defined(self) -> set[str]:
        return set().union(*(module.defined for module in self.modules.values()))

    @cached_property
    def imported(self) -> set[str]:
        return set().union(*(module.imported for module in self.modules.values()))

    @cached_property
    def ends(self) -> dict[str, list[str]]:
        """The modules by each way in which their paths end."""
        found: dict[str, list[str]] = {}
        for module in self.modules:
            for tail in tails(module):
                found.setdefault(tail, []).append(module)
        return found

    @cached_property
    def inside(self) -> set[str]:
        """Each run of names that stands in the path of a module."""
        return {
            ".".join(tail.split(".")[:size])
            for tail in self.ends
            for size in range(1, tail.count(".") + 2)
        }

    @cached_property
    def parts(self) -> set[str]:
        return {part for module in self.modules for part in module.split(".")}


@cache
def tree() -> Tree:
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()
    files = {file for file in listed if (ROOT / file).is_file()}
    modules = {}
    for file in files:
        if file.endswith(".py") and file.split("/")[0] in CODE:
            dotted = file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
            modules[dotted] = read((ROOT / file).read_text(encoding="utf-8"))
    return Tree(files, modules)


def has_file(path: str, here: Tree) -> bool:
    wanted = SHORT.get(path[:2], path[:2]) + path[2:]
    return any(file == wanted or file.endswith(f"/{wanted}") for file in here.files)


def resolves(dotted: str, here: Tree) -> bool:
    """Whether a dotted name is a module, what one defines, or what a class or an object has."""
    parts = dotted.split(".")
    for cut in range(len(parts), 0, -1):
        head, rest = ".".join(parts[:cut]), parts[cut:]
        ends = here.ends.get(head, [])
        if not rest and head in here.inside:
            return True
        if ends and any(
            rest[0] in here.modules[name].names | here.modules[name].imported for name in ends
        ):
            return True
    known = here.names
    return parts[0] in known - here.parts and parts[-1] in known | ATTRIBUTES


ATTRIBUTES = {name for kind in (str, dict, list, float, int, Path) for name in dir(kind)}
FOREIGN = {"np", "numpy", "scipy", "math", "mpmath", "z3", "hypothesis", "pytest", "os", "sys"}
PLAIN = {*dir(builtins), *keyword.kwlist, *sys.stdlib_module_names}


def wrong(text: str, here: Tree, *, words: bool) -> list[str]:
    """Return what a text names in backticks and the project does not have."""
    found = []
    for quoted in TICKS.findall(text):
        named = quoted.removesuffix("()")
        if named in OTHERS:
            continue
        if FILE.fullmatch(named):
            bad = not has_file(named, here)
        elif DOTTED.fullmatch(named):
            bad = named.split(".")[0] not in FOREIGN | PLAIN and not resolves(named, here)
        else:
            unknown = words and WORD.fullmatch(named) and named not in PLAIN | FOREIGN
            bad = bool(unknown) and named not in here.names | here.parts | here.imported
        if bad:
            found.append(quoted)
    places = here.parts | here.defined | PLAIN | FOREIGN
    return found + [f"see {word}" for word in SEE.findall(text) if words and word not in places]


def prose(source: str) -> Iterator[str]:
    """Yield the docstrings and the comments of a module."""
    for node in ast.walk(ast.parse(source)):
        text = node.value if isinstance(node, ast.Expr) else None
        if isinstance(text, ast.Constant) and isinstance(text.value, str):
            yield text.value
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield token.string


SOURCES = sorted(file for file in tree().files if file.endswith(".py") and file.startswith(SHIPPED))
PAGES = sorted(
    file
    for file in tree().files
    if file.endswith(".md")
    and (file.count("/") == 0 or re.fullmatch(r"docs/(?:internals/)?[\w-]+\.md", file))
    and Path(file).name not in HISTORY | MADE
)


def test_docstrings_and_comments_name_what_exists() -> None:
    texts = {file: "\n\n".join(prose((ROOT / file).read_text("utf-8"))) for file in SOURCES}
    found = {file: wrong(text, tree(), words=True) for file, text in texts.items()}
    assert {file: names for file, names in found.items() if names} == {}


def test_pages_name_what_exists() -> None:
    texts = {file: (ROOT / file).read_text(encoding="utf-8") for file in PAGES}
    plain = {file: re.sub(r"^```.*?^```", "", texts[file], flags=re.M | re.S) for file in texts}
    found = {file: wrong(text, tree(), words=False) for file, text in plain.items()}
    assert {file: names for file, names in found.items() if names} == {}


@pytest.mark.parametrize(
    ("text", "noticed"),
    [
        ("the module `engine.waves` explores", ["engine.waves"]),
        ("`exact.no_such_function` decides", ["exact.no_such_function"]),
        ("`ExpLinear.no_such_method` decides", ["ExpLinear.no_such_method"]),
        ("as in `search/no_such_file.py`, `policy.py`", ["search/no_such_file.py", "policy.py"]),
        ("the function `no_such_function()` decides", ["no_such_function()"]),
        ("of a coprime base (see `delta_tilde`)", ["see delta_tilde"]),
    ],
)
def test_a_name_that_does_not_exist_is_noticed(text: str, noticed: list[str]) -> None:
    assert wrong(text, tree(), words=True) == noticed


def test_names_that_exist_are_let_pass() -> None:
    text = """`adversary.py`, `engine/cuts.py`, `exact.exceeds`, `filterproof.exact`,
    `ExpLinear.sign`, `hockey_stick`, `np.where`, `step.mass`, `Step.mass`,
    `None`; see `exact`, see `hockey_stick`"""
    assert wrong(text, tree(), words=True) == []


def test_nothing_is_excused_that_is_not_named() -> None:
    pages = [(ROOT / file).read_text(encoding="utf-8") for file in [*SOURCES, *PAGES]]
    quoted = {name.removesuffix("()") for page in pages for name in TICKS.findall(page)}
    assert OTHERS - quoted == set()
