"""Programs that some tests need: a missing one is a visible skip, and a failure in CI."""

import os
import shutil
from pathlib import Path

import pytest


def _needs(program: str, package: str) -> pytest.MarkDecorator:
    missing = shutil.which(program) is None and "CI" not in os.environ
    return pytest.mark.skipif(missing, reason=f"{program} is missing: apt-get install {package}")


def _needs_postgres() -> pytest.MarkDecorator:
    present = shutil.which("initdb") or any(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    missing = not present and "CI" not in os.environ
    return pytest.mark.skipif(missing, reason="initdb is missing: apt-get install postgresql")


needs_postgres = _needs_postgres()
needs_node = _needs("node", "nodejs")
needs_chromium = _needs("chromium", "chromium")
needs_zsh = _needs("zsh", "zsh")
needs_fish = _needs("fish", "fish")
