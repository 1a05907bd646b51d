"""The version to compare with: an older commit, taken out of git into a folder of its own.

Which commit that is, is decided before any code of the new version runs.  Its files are read out of
git's objects (no filter and no attribute of the repository changes them) into a private directory
that nobody may write to.  Whether it is still what was written is checked when it has been used.
"""

import ast
import os
import shlex
import shutil
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from importlib.machinery import PathFinder
from pathlib import Path

from filterproof_properties.processes import isolated
from filterproof_properties.processes.checkout import Checkout
from filterproof_properties.processes.sanitise import quoted
from filterproof_properties.targets.budget.names import MARK, is_budget_object
from filterproof_properties.targets.program import words_of
from filterproof_properties.targets.target import COMMAND, TargetError

NAMED_BY_CI = ("GITHUB_BASE_REF", "CI_MERGE_REQUEST_TARGET_BRANCH_NAME")
"""The variables in which GitHub and GitLab name the branch that a change is to be merged into."""
DEFAULTS = ("origin/HEAD", "main", "master")
"""Where a change is to be merged into, if nobody says so."""
FETCH = "fetch it first (actions/checkout: fetch-depth: 0; GitLab: GIT_DEPTH: 0)"
PLAIN = {
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_LITERAL_PATHSPECS": "1",
}
"""Lets git give the objects as they were committed, and ask nobody."""
AT_ONCE = 500
"""So many files are asked for at a time."""
LINK, FILES = "120000", ("100644", "100755", "120000")
"""How git writes what a symbolic link and what a file is; anything else is another repository."""


class Changed(Exception):
    """The checkout is no longer what was written: something has changed it meanwhile."""


@dataclass(frozen=True)
class Commit:
    """A commit of a work tree; `words` says which one it is and why."""

    work_tree: Path
    digest: str
    words: str

    @property
    def short(self) -> str:
        """Its name for people."""
        return self.digest[:10]


# --- which one ------------------------------------------------------------------------------------


def git(at: Path, *words: str, given: bytes = b"") -> bytes | None:
    """Return what git says; None if it says no."""
    safe = ["-c", "core.fsmonitor=false", "-c", f"core.hooksPath={os.devnull}"]
    try:
        done = subprocess.run(
            ["git", "-C", str(at), *safe, *words],
            input=given,
            capture_output=True,
            check=False,
            env=isolated.environment(PLAIN.items()),
        )
    except FileNotFoundError:
        raise TargetError("the older version is in git, and git is not installed") from None
    if done.returncode not in (0, 1, 128):
        raise TargetError(f"git {words[0]}: {quoted(done.stderr.decode(errors='replace'), 300)}")
    return done.stdout if done.returncode == 0 else None


def _line(at: Path, *words: str) -> str:
    return (git(at, *words) or b"").decode(errors="replace").strip()


def work_tree_of(start: Path) -> Path:
    """Return the top of the repository that a directory is in."""
    if not (top := _line(start, "rev-parse", "--show-toplevel")):
        raise TargetError(f"{start} is not in a git repository: there is no older version of it")
    return Path(top).resolve()


def commit_named(top: Path, ref: str) -> str:
    """Return the digest of a commit; "" if git knows none of that name."""
    return (
        ""
        if ref.startswith("-")
        else _line(top, "rev-parse", "-q", "--verify", f"{ref}^{{commit}}")
    )


def base_commit(start: Path, ref: str, environment: Mapping[str, str]) -> Commit | None:
    """Return the commit to compare with: the one named, or where the change branched off.

    On the default branch itself it is the commit before; the first commit has none.
    """
    top = work_tree_of(start)
    if ref:
        if not (found := commit_named(top, ref)):
            raise TargetError(f"git has no commit {ref!r}: is it misspelt, or not fetched? {FETCH}")
        return Commit(top, found, f"{ref} ({found[:10]})")
    head = commit_named(top, "HEAD")
    if not head:
        return None
    branch, tip = _default(top, environment)
    found = _line(top, "merge-base", tip, head)
    if not found:
        return Commit(top, tip, f"the tip of {branch} ({tip[:10]}): no common ancestor is here")
    if found != head or git(top, "diff", "--quiet", "HEAD") is None:
        return Commit(top, found, f"where it left {branch} ({found[:10]})")
    return _before(top, branch)


def _before(top: Path, branch: str) -> Commit | None:
    if found := commit_named(top, "HEAD^"):
        return Commit(top, found, f"the commit before ({found[:10]}), for this is {branch} itself")
    if _line(top, "rev-parse", "--is-shallow-repository") == "true":
        raise TargetError(f"this clone has one commit only, and nothing to compare with: {FETCH}")
    return None


def _default(top: Path, environment: Mapping[str, str]) -> tuple[str, str]:
    """Return the branch that a change is to be merged into, and its tip."""
    told = next((environment[one] for one in NAMED_BY_CI if environment.get(one)), "")
    names = [f"origin/{told}", told] if told else [*DEFAULTS]
    for name in names:
        if tip := commit_named(top, name):
            return name, tip
    missing = (
        f"git has no branch {told!r} here, which the change is to be merged into"
        if told
        else (f"cannot tell which branch to compare with: none of {', '.join(DEFAULTS)} is here")
    )
    raise TargetError(f"{missing}: {FETCH}, or name a commit by --base")


# --- taken out of git -----------------------------------------------------------------------------


@dataclass(frozen=True)
class Base:
    """The files of a commit in a folder of their own."""

    commit: Commit
    folder: Path
    digest: str

    @property
    def checkout(self) -> Checkout:
        """What lets a process run in it."""
        return Checkout(str(self.commit.work_tree), str(self.folder))

    def check(self) -> None:
        """Raise if anything in it has changed."""
        if digest_of(self.folder) != self.digest:
            raise Changed(f"the checkout of {self.commit.words} was changed while it was in use")

    def older(self, target: str) -> str:
        """Return the name of the same target at that commit; "" if it did not exist then."""
        name, mark, words = target.partition(MARK) if is_budget_object(target) else (target, "", "")
        found = self._command(name) if name.startswith(COMMAND) else self._python(name)
        return f"{found}{mark}{words}" if found else ""

    def _python(self, name: str) -> str:
        where, _, attribute = name.rpartition(":")
        path = Path(where) if where.endswith(".py") else _source_of(where, self.checkout)
        old = self._file(path)
        return f"{old}:{attribute}" if old.is_file() and _has(old, attribute) else ""

    def _file(self, path: Path) -> Path:
        if not self.checkout.leaves_out(str(path)):
            raise TargetError(f"{path} is not a file of the repository {self.commit.work_tree}")
        return Path(self.checkout.moved(str(path)))

    def _command(self, name: str) -> str:
        """Return a command whose words are the files of the commit, where they are files at all."""
        words = words_of(name)
        own = {one: self._file(Path(one)) for one in words if self._is_own(one)}
        if not own:
            raise TargetError(f"{name}: none of its words is a file of the repository")
        if not all(path.is_file() for path in own.values()):
            return ""
        return COMMAND + shlex.join(str(own.get(one, one)) for one in words)

    def _is_own(self, word: str) -> bool:
        return os.path.isfile(word) and self.checkout.leaves_out(word)


def _source_of(module: str, checkout: Checkout) -> Path:
    """Return the file of a module, which nothing imports for that."""
    where: list[str] | None = [os.getcwd(), *sys.path]
    found = None
    for count in range(1, len(parts := module.split(".")) + 1):
        found = PathFinder.find_spec(".".join(parts[:count]), where)
        if found is None:
            raise TargetError(f"no module {module!r} can be found")
        where = list(found.submodule_search_locations or [])
    origin = found.origin if found else None
    if origin is None or not checkout.leaves_out(origin):
        raise TargetError(
            f"{module} is {origin}, no file of this repository: name its file instead"
        )
    return Path(origin)


def _has(path: Path, attribute: str) -> bool:
    """Whether a file may define a name; where that is unclear, loading it will tell."""
    try:
        tree = ast.parse(path.read_bytes())
    except (SyntaxError, ValueError, RecursionError):
        return True
    nodes = [*ast.walk(tree)]
    stars = any(isinstance(one, ast.ImportFrom) and one.names[0].name == "*" for one in nodes)
    kinds = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    bound = {one.name for one in nodes if isinstance(one, kinds)}
    bound |= {one.id for one in nodes if isinstance(one, ast.Name)}
    bound |= {(one.asname or one.name) for one in nodes if isinstance(one, ast.alias)}
    return stars or attribute.partition(".")[0] in bound


@contextmanager
def checked_out(commit: Commit) -> Iterator[Base]:
    """Yield the files of a commit in a private directory, which is removed afterwards."""
    above = Path(tempfile.mkdtemp(prefix="filterproof-base-")).resolve()
    folder = above / "tree"
    try:
        folder.mkdir()
        _write(commit, folder)
        _protect(folder, writable=False)
        yield Base(commit, folder, digest_of(folder))
    finally:
        _protect(folder, writable=True)
        shutil.rmtree(above)


def _write(commit: Commit, folder: Path) -> None:
    listed = git(commit.work_tree, "ls-tree", "-r", "-z", "--full-tree", commit.digest) or b""
    entries = [line.split(b"\t", 1) for line in listed.split(b"\0") if line]
    files = [(*told.decode().split(), os.fsdecode(name)) for told, name in entries]
    files = [one for one in files if one[0] in FILES]
    for start in range(0, len(files), AT_ONCE):
        some = files[start : start + AT_ONCE]
        given = "".join(f"{digest}\n" for _, _, digest, _ in some).encode()
        told = git(commit.work_tree, "cat-file", "--batch", given=given) or b""
        for (mode, _, _, name), content in zip(some, _contents(told), strict=True):
            _write_one(folder, folder / name, mode, content)


def _contents(told: bytes) -> Iterator[bytes]:
    """Yield the objects that git gave, one after the other."""
    at = 0
    while at < len(told):
        end = told.index(b"\n", at)
        size = told[at:end].rsplit(b" ", 1)[1]
        if not size.isdigit():
            raise TargetError(f"git has not all of this commit: {FETCH}")
        yield told[end + 1 : end + 1 + int(size)]
        at = end + 2 + int(size)


def _write_one(folder: Path, path: Path, mode: str, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if mode != LINK:
        path.write_bytes(content)
        path.chmod(0o555 if mode == "100755" else 0o444)
        return
    where = os.path.normpath(path.parent / os.fsdecode(content))
    if Path(where).is_relative_to(folder):  # one that leads out of it would lead to other code
        path.symlink_to(os.fsdecode(content))


def _protect(folder: Path, *, writable: bool) -> None:
    for where, _, _ in os.walk(folder):
        os.chmod(where, stat.S_IRWXU if writable else stat.S_IRUSR | stat.S_IXUSR)


def digest_of(folder: Path) -> str:
    """Return a digest of every name and content in a directory."""
    found = sha256()
    for path in sorted(folder.rglob("*")):
        content = os.fsencode(os.readlink(path)) if path.is_symlink() else b""
        content = path.read_bytes() if path.is_file() and not path.is_symlink() else content
        name = os.fsencode(path.relative_to(folder))
        found.update(b"%d %s %d " % (len(name), name, len(content)) + content)
    return found.hexdigest()
