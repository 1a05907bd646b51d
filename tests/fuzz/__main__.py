"""`python -m tests.fuzz READER [SECONDS]`: look for inputs that a reader does not survive.

Needs atheris (`pip install atheris`).  New inputs that reach new code are kept in a folder beside
the corpus; what breaks a reader is written to `crash-*` here and becomes a test once it is mended.
"""

import re
import sys
import tempfile
from pathlib import Path

CORPUS = Path(__file__).parent / "corpus"


def words(reader: str) -> str:
    """Return the words of a reader's corpus, as libFuzzer wants a dictionary."""
    texts = "".join(path.read_text(errors="ignore") for path in (CORPUS / reader).iterdir())
    found = sorted({*re.findall(r'"([a-z_.]{1,30})"', texts)})
    return "".join(f'"\\"{one}\\""\n' for one in found)


def main(reader: str, seconds: str = "60") -> None:
    """Fuzz one reader for so many seconds, starting from its corpus."""
    import atheris

    ours = ["filterproof", "filterproof_proofs", "filterproof_properties"]
    with atheris.instrument_imports(include=ours):
        from tests.fuzz.harness import READERS

    found = tempfile.mkdtemp(prefix=f"fuzz-{reader}-")
    vocabulary = Path(f"{found}.dict")
    vocabulary.write_text(words(reader), encoding="ascii")
    options = [
        f"-dict={vocabulary}",
        f"-max_total_time={seconds}",
        "-max_len=20000",
        "-timeout=30",
        "-print_final_stats=1",
    ]
    atheris.Setup([sys.argv[0], found, str(CORPUS / reader), *options], READERS[reader])
    atheris.Fuzz()


if __name__ == "__main__":
    main(*sys.argv[1:])
