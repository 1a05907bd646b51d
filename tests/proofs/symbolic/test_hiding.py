"""A file beside the target that takes the place of a module of the standard library."""

from pathlib import Path

import pytest

from filterproof_proofs.symbolic.interpreter import Interpreter
from filterproof_proofs.symbolic.paths import Limits, Paths
from filterproof_proofs.symbolic.program import Program
from filterproof_proofs.symbolic.run import Unsupported

TARGET = "from fractions import Fraction\nimport math\nHALF = Fraction(1, 2)\n"


def half(folder: Path) -> object:
    (folder / "shop.py").write_text(TARGET)
    made = Interpreter(Program.load(folder / "shop.py", "HALF"), Paths(Limits()))
    return made.attribute()


@pytest.mark.parametrize("hiding", ["fractions.py", "fractions/__init__.py"])
def test_it_is_named_and_the_module_is_not_taken_for_the_known_one(
    hiding: str, tmp_path: Path
) -> None:
    path = tmp_path / hiding
    path.parent.mkdir(exist_ok=True)
    path.write_text("def Fraction(a, b): return 0\n")
    with pytest.raises(Unsupported, match=r"shop.py:1: .* takes the place of the module fractions"):
        half(tmp_path)


@pytest.mark.parametrize("beside", ["sys.py", "decimal.py", "fractions.txt"])
def test_what_is_not_imported_or_cannot_be_hidden_does_no_harm(beside: str, tmp_path: Path) -> None:
    (tmp_path / beside).write_text("")
    assert half(tmp_path) == 0.5


def test_a_module_of_a_package_takes_no_place(tmp_path: Path) -> None:
    (tmp_path / "__init__.py").write_text("")
    (tmp_path / "fractions.py").write_text("")
    assert half(tmp_path) == 0.5
