"""The rooms whose code nothing proves: where it is, and the tests that may notice a change."""

from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
P, T = "properties/filterproof_properties", "tests/properties"


@dataclass(frozen=True)
class Room:
    """Where the code is, and the tests."""

    code: str
    tests: tuple[str, ...]

    def files(self) -> list[Path]:
        """Return the files of the room, from the root of the project."""
        return [path.relative_to(ROOT) for path in sorted((ROOT / self.code).rglob("*.py"))]


ROOMS = {
    "processes": Room(
        f"{P}/processes",
        (
            f"{T}/processes/test_child.py",
            f"{T}/processes/test_gc_pause.py",
            f"{T}/processes/test_isolated.py",
            f"{T}/processes/test_pool.py",
            f"{T}/processes/test_sandbox.py",
            f"{T}/processes/test_syscalls.py",
            f"{T}/processes/test_writing.py",
            f"{T}/targets/test_hostile.py",
        ),
    ),
    "targets": Room(
        f"{P}/targets",
        (
            "tests/fuzz",
            f"{T}/targets",
            f"{T}/audit/test_recheck.py",
            f"{T}/audit/test_odometers.py",
            f"{T}/audit/test_declining.py",
            f"{T}/audit/test_diff.py",
        ),
    ),
    "runtime": Room("reference/filterproof/runtime", ("tests/reference/runtime",)),
}
