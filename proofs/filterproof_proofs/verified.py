"""The verified checker: extracted from `proofs/coq/Verified.v`, built on first use, run on files.

What is proved is that a certificate which the core accepts is a violation (`VerifiedSound.v`).
`proofs/coq/certificate.ml`, which reads the JSON, is not part of what is proved.  The program is
kept in the user's cache under the digest of its sources; `python -m filterproof_proofs.verified`
builds it.  With `--javascript FILE` it writes the same checker as one file for a browser, which
defines `filterproofVerdict(text)`; the wheel carries that file, and reports carry it along.
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
READER, PROGRAM, BROWSER = "certificate", "check", "check_js"
SHIPPED = Path(__file__).with_name("verified.js")
"""The checker for a browser, where it was built: it is made from the sources, never committed."""


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
    coq.build(directory, coq.compile_order(EXTRACTED))
    return coq.compile_program(directory, "verified", READER, PROGRAM)


def write_javascript(path: Path) -> None:
    """Build the checker for a browser and write it as one file."""
    with tempfile.TemporaryDirectory(prefix="building-") as directory:
        coq.build(Path(directory), coq.compile_order(EXTRACTED))
        path.write_text(javascript(Path(directory)), encoding="utf-8")


def javascript(built: Path) -> str:
    """Return the checker for a browser, from a build of the theorem."""
    coq.compile_javascript(built, "verified", READER, BROWSER)
    return (built / f"{BROWSER}.js").read_text(encoding="utf-8")


def shipped_javascript() -> str:
    """Return the checker for a browser that comes with this installation; "" if none does."""
    return SHIPPED.read_text(encoding="utf-8") if SHIPPED.is_file() else ""


def digest() -> str:
    """Return what tells the sources of this program from any other version of them."""
    written = (f"{READER}.ml", f"{PROGRAM}.ml")
    sources = [coq.SOURCES / name for name in [*coq.compile_order(EXTRACTED), *written]]
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


def main(arguments: list[str]) -> int:
    """Build the program, or with `--javascript FILE` the checker for a browser; say where it is."""
    match arguments:
        case []:
            sys.stdout.write(f"{program()}\n")
        case ["--javascript", path]:
            write_javascript(Path(path))
            sys.stdout.write(f"{path}\n")
        case _:
            sys.stderr.write("usage: python -m filterproof_proofs.verified [--javascript FILE]\n")
            return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
