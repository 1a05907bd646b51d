"""Without Coq's library Coquelicot nothing is proved, and what is missing is named."""

from pathlib import Path

import pytest

from filterproof_proofs import coq

LACKING = """#!/bin/sh
echo 'Error: Cannot find a physical path bound to logical path Coquelicot.' >&2
exit 1
"""


def test_a_missing_library_is_reported_with_the_way_to_get_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    stand_in = tmp_path / "coqc"
    stand_in.write_text(LACKING)
    stand_in.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")
    with pytest.raises(coq.CoqMissing, match=r"Coquelicot.*apt-get install .*libcoq-coquelicot"):
        coq.prove_theorems()


def test_only_the_analysis_needs_the_library() -> None:
    needy = {name for name in coq.files() if "From Coquelicot" in (coq.SOURCES / name).read_text()}
    assert "Gauss.v" in needy
    assert not needy & {"Model.v", "Compensator.v", "Capped.v", "Repaired.v", "Theorems.v"}
