"""The verified checker: extracted from `proofs/coq/Verified.v`, built on first use, run on files.

What is proved is that a certificate which the core accepts is a violation (`VerifiedSound.v`).
`proofs/coq/check.ml`, which reads the JSON, is not part of what is proved.  The program is kept in
the user's cache under the digest of its sources; `python -m filterproof_proofs.verified` builds it.
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path

from filterproof_proofs import coq

EXTRACTED = "VerifiedExtract.v"
READER = "check.ml"


class VerifiedError(coq.CoqError):
    """The verified checker gave no verdict."""


def program(cache: Path | None = None) -> Path:
    """Return the path of the program, after building it unless that was done before."""
    kept = (cache or default_cache()) / f"verified-checker-{digest()}"
    if not kept.is_file():
        kept.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix="building-", dir=kept.parent) as directory:
            os.replace(build(Path(directory)), kept)
    return kept


def build(directory: Path) -> Path:
    """Compile the theorem, extract the checker, compile it; return the program."""
    coq.build(directory, coq.needed(EXTRACTED))
    return coq.compile_program(directory, "verified", "check")


def digest() -> str:
    """Return what tells the sources of this program from any other version of them."""
    sources = [coq.SOURCES / name for name in [*coq.needed(EXTRACTED), READER]]
    return sha256(b"\0".join(path.read_bytes() for path in sources)).hexdigest()[:16]


def default_cache() -> Path:
    """Return the user's cache directory for this project."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "filterproof"


def verdicts(paths: Iterable[Path], checker: Path) -> list[str]:
    """Return `accepted`, or `rejected: ` and why, for each file."""
    command = [str(checker), *map(str, paths)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        raise VerifiedError(f"the verified checker failed: {done.stderr.strip()[:200]}")
    return done.stdout.splitlines()


if __name__ == "__main__":
    sys.stdout.write(f"{program()}\n")
