"""Programs that some tests need: a missing one is a visible skip, and a failure in CI."""

import os
import re
import shutil
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import pytest

MISSING = re.compile(r"(?P<program>\S+) is missing: apt-get install (?P<packages>.+)")


def _needs(*programs: str, packages: str) -> pytest.MarkDecorator:
    lacking = next((program for program in programs if shutil.which(program) is None), "")
    missing = bool(lacking) and "CI" not in os.environ
    return pytest.mark.skipif(missing, reason=f"{lacking} is missing: apt-get install {packages}")


def _needs_postgres() -> pytest.MarkDecorator:
    present = shutil.which("initdb") or any(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    missing = not present and "CI" not in os.environ
    return pytest.mark.skipif(missing, reason="initdb is missing: apt-get install postgresql")


needs_postgres = _needs_postgres()
needs_node = _needs("node", packages="nodejs")
needs_chromium = _needs("chromium", packages="chromium")
needs_coq = _needs("coqc", "ocamlopt", packages="coq libcoq-coquelicot ocaml-nox")
needs_javascript = _needs(
    *("coqc", "ocamlfind", "js_of_ocaml", "node"),
    packages="coq libcoq-coquelicot ocaml-nox ocaml-findlib js-of-ocaml libjs-of-ocaml-dev nodejs",
)
needs_gcc = _needs("gcc", packages="gcc libc6-dev")
needs_zsh = _needs("zsh", packages="zsh")
needs_fish = _needs("fish", packages="fish")


def closing(reasons: Iterable[str]) -> list[str]:
    """Say what was skipped for want of a program, and the one line that installs it.

    >>> closing(["node is missing: apt-get install nodejs"] * 2 + ["not today"])
    ['2 tests were skipped because node is missing', 'to run them too: apt-get install nodejs']
    >>> closing(["not today"])
    []
    """
    found = [match for reason in reasons if (match := MISSING.search(reason))]
    programs = Counter(match["program"] for match in found)
    packages = dict.fromkeys(match["packages"] for match in found)
    lines = [
        f"{count} tests were skipped because {one} is missing" for one, count in programs.items()
    ]
    return [*lines, f"to run them too: apt-get install {' '.join(packages)}"] if lines else []
