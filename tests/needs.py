"""Programs that some tests need: a missing one is a visible skip, and a failure in CI."""

import os
import shutil

import pytest


def _needs(program: str, package: str) -> pytest.MarkDecorator:
    missing = shutil.which(program) is None and "CI" not in os.environ
    return pytest.mark.skipif(missing, reason=f"{program} is missing: apt-get install {package}")


needs_node = _needs("node", "nodejs")
needs_chromium = _needs("chromium", "chromium")
