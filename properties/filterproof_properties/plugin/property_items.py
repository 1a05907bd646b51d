"""The properties of a private filter as tests: Hypothesis tries each on a target in its process."""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from filterproof_properties.plugin.options import limits, settings, target_spec, write_certificate

if TYPE_CHECKING:
    from filterproof_properties.plugin.properties import Tried
    from filterproof_properties.targets.target import Loaded


def property_names() -> Iterable[str]:
    """Return the properties that Hypothesis tries."""
    from filterproof_properties.plugin.properties import PROPERTIES

    return PROPERTIES


class PropertyItem(pytest.Item):
    """One property of a private filter, tried by Hypothesis on one target."""

    def __init__(self, *, target: str, tried: str, **more: Any) -> None:
        super().__init__(**more)
        self.target, self.tried = target, tried

    def runtest(self) -> None:
        """Fail with the smallest case that Hypothesis finds, or if there was nothing to try."""
        from filterproof.filter import ProtocolError
        from filterproof_properties.plugin.properties import OnlyFilters
        from filterproof_properties.targets.connect import open_target

        spec = target_spec(self.config, self.target)
        try:
            with open_target(spec, limits(self.config, self.target)) as loaded:
                found = try_property(self.config, self.target, loaded, self.tried)
                if found.broken is not None:
                    said = broken_property(self.config, loaded, self.tried, found)
                    pytest.fail(f"{spec}: {self.tried}: {said}", pytrace=False)
        except OnlyFilters as why:
            pytest.skip(str(why))
        except ProtocolError as error:
            pytest.fail(f"{spec}: {self.tried}: {error}", pytrace=False)
        if not found.tried:
            pytest.fail(f"{spec}: declined all {found.declined} cases", pytrace=False)

    def reportinfo(self) -> tuple[Path, None, str]:
        """Name the test in reports."""
        return self.path, None, self.name


def try_property(config: pytest.Config, name: str, loaded: "Loaded", tried: str) -> "Tried":
    """Try a property on a target; what was found earlier is kept in `.hypothesis`, per target."""
    from hashlib import sha256

    from filterproof_properties.plugin.properties import EXAMPLES, PROPERTIES, run

    chosen = settings(config, name)
    folder = sha256(f"{loaded.spec} {tried}".encode()).hexdigest()[:16]
    return run(
        PROPERTIES[tried],
        loaded.target,
        examples=chosen.examples or EXAMPLES,
        seconds=chosen.seconds,
        epsilon=chosen.epsilon,
        delta=chosen.delta,
        database=config.rootpath / ".hypothesis" / "filterproof" / folder,
    )


def broken_property(config: pytest.Config, loaded: "Loaded", tried: str, found: "Tried") -> str:
    """Return the counterexample in words, and where its certificate is."""
    from filterproof_properties.reports.plain import counterexample
    from filterproof_properties.targets.evaluate import certify_violation

    assert found.broken is not None
    violation = certify_violation(loaded.spec, loaded.target, found.broken.case)
    where = write_certificate(f"{loaded.spec} {tried}", violation.certificate, config)
    shown = counterexample(violation.certificate)
    first = f"found on example {found.first}, {found.tried} tried"
    return f"{found.broken}\n{first}\n{shown}\ncertificate: {where}"
