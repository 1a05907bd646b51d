"""What suits a target is seen in its name and its own code."""

from typing import Any, cast

import pytest

from filterproof_properties.audit.suiting import fails_first
from filterproof_properties.targets.coverage.own_code import OwnFile
from filterproof_properties.targets.target import Loaded


class Target:
    def __init__(self, text: str) -> None:
        self.own = (OwnFile("mine.py", text, ("back",)),)


@pytest.mark.parametrize(("output", "wanted"), [("fails", True), ("found", False)])
def test_a_filter_that_names_a_failure_is_asked_for_failures_first(
    output: str, wanted: bool
) -> None:
    text = f"def back(output):\n    return output == {output!r}\n"
    assert fails_first(Loaded("mine.py:back", cast("Any", Target(text)), ("dp",))) == wanted
