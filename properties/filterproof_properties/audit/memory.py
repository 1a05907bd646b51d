"""What broke a target before is tried first: certificates in `.filterproof/counterexamples`.

The folder stands beside the nearest pyproject.toml, or in the working directory;
docs/internals/MEMORY.md says what is in it.  What is remembered is only an idea for the search: it
is played, certified and replayed like any other game.  A file that is no certificate is an error
that names it.
"""

import os
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

from filterproof.certificate import read_certificate
from filterproof.exact import ExactError
from filterproof.game.json import BadJson
from filterproof_properties.case import Case
from filterproof_properties.options.settings import Settings
from filterproof_properties.processes.reading import read_in_time
from filterproof_properties.processes.writing import write_in_time
from filterproof_properties.targets.target import TargetError

FOLDER, COUNTEREXAMPLES = ".filterproof", "counterexamples"
OFF = "FILTERPROOF_NO_MEMORY"
"""A variable of the environment that does what `--no-memory` does."""
MOST = 8
"""So many counterexamples of one target are kept; the oldest go first."""
LARGEST = 2**22
"""A longer certificate is not remembered: reading it would take the time of a search."""


def memory_folder(start: Path | None = None) -> Path:
    """Return `.filterproof` beside the nearest configuration, or in the working directory."""
    here = (start or Path.cwd()).resolve()
    places = (one for one in (here, *here.parents) if (one / "pyproject.toml").is_file())
    return next(places, here) / FOLDER


def remembers(settings: Settings, folder: Path) -> bool:
    """Whether counterexamples are kept: not if that is declined, nor in CI unless it is cached."""
    if settings.no_memory or os.environ.get(OFF):
        return False
    return not os.environ.get("CI") or folder.is_dir()


def recall(spec: str, settings: Settings, folder: Path) -> tuple[Case, ...]:
    """Return the games that broke a target before, and those of the corpus that is handed over."""
    own = folder / COUNTEREXAMPLES / _name(spec)
    places = [own] if remembers(settings, folder) and own.is_dir() else []
    places += [Path(settings.corpus)] if settings.corpus is not None else []
    return tuple(_case(path) for place in places for path in _files(place))


def remember(spec: str, certificate: str, settings: Settings, folder: Path) -> Path | None:
    """Keep the certificate of a violation; return where, or None if nothing is to be kept."""
    if not remembers(settings, folder) or not 0 < len(certificate) <= LARGEST:
        return None
    own = folder / COUNTEREXAMPLES / _name(spec)
    path = own / f"{sha256(certificate.encode()).hexdigest()[:16]}.json"
    try:
        write_in_time(path, certificate.encode())
        for old in sorted(own.glob("*.json"), key=lambda one: one.stat().st_mtime)[:-MOST]:
            old.unlink()
    except OSError:  # a memory that cannot be written is none, and no reason to fail
        return None
    return path


def _name(spec: str) -> str:
    """Return the name of a target's folder: readable, and different for different targets."""
    readable = "".join(c if c.isalnum() or c in "._" else "-" for c in spec)[:60].strip("-.")
    return f"{readable}-{sha256(spec.encode()).hexdigest()[:8]}"


def _files(place: Path) -> Iterator[Path]:
    if place.is_dir():
        yield from sorted(place.rglob("*.json"))
    else:
        yield place


def _case(path: Path) -> Case:
    try:
        text = read_in_time(path, LARGEST + 1)
        if len(text) > LARGEST:
            raise TargetError(f"{path}: larger than {LARGEST} bytes")
        found = read_certificate(text.decode())
    except (OSError, BadJson, ExactError, ValueError, KeyError, TypeError) as error:
        raise TargetError(f"{path} is no certificate: {error!s:.200}") from None
    return Case("remembered", found.game, found.epsilon, found.delta, found.parameters)
