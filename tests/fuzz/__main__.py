"""`python -m tests.fuzz READER [SECONDS]`: look for inputs that a reader does not survive.

Needs atheris (`pip install atheris`).  New inputs that reach new code are kept in a folder beside
the corpus; what breaks a reader is written to `crash-*` here and becomes a test once it is mended.
"""

import sys
import tempfile
from pathlib import Path

CORPUS = Path(__file__).parent / "corpus"


def main(reader: str, seconds: str = "60") -> None:
    """Fuzz one reader for so many seconds, starting from its corpus."""
    import atheris

    ours = ["filterproof", "filterproof_proofs", "filterproof_properties"]
    with atheris.instrument_imports(include=ours):
        from tests.fuzz.harness import READERS

    found = tempfile.mkdtemp(prefix=f"fuzz-{reader}-")
    options = [
        f"-max_total_time={seconds}",
        "-max_len=20000",
        "-timeout=30",
        "-print_final_stats=1",
    ]
    words = [sys.argv[0], found, str(CORPUS / reader), *options]
    atheris.Setup(words, READERS[reader])
    atheris.Fuzz()


if __name__ == "__main__":
    main(*sys.argv[1:])
