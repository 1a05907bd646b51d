"""What becomes of a refuted proof: an audit says whether privacy is broken, or only the rule."""

from dataclasses import replace
from pathlib import Path

from filterproof_properties.audit.record import Record
from filterproof_properties.audit.running import run_audit
from filterproof_properties.cli.options import SECONDS
from filterproof_properties.cli.proving import Proof
from filterproof_properties.options.settings import Settings
from filterproof_properties.processes.child import Limits
from filterproof_properties.processes.writing import write_in_time
from filterproof_properties.reports.files import certificate_name
from filterproof_properties.reports.plain import counterexample
from filterproof_properties.reports.sentence import first_line

LOOSER_ONLY = 3
"""The exit code where the rule is broken and no violation of privacy was found."""


def audit_refuted(spec: str, proof: Proof, seconds: float, folder: Path | None) -> Proof:
    """Return a refutation with what an audit of the same target found.

    Exit code 1 only with a certificate: a filter may be looser than a rule, and private.
    """
    settings = Settings(seconds=min(SECONDS, seconds))
    found = run_audit(spec, settings, Limits(), lambda news: None)
    data = {**proof.data, "audit": {"verdict": str(found.verdict), "tried": found.tried}}
    if not found.certificate:
        return replace(proof, code=LOOSER_ONLY, text=proof.text + _not_broken(found), data=data)
    text = f"  audit      {first_line(found)}\n{counterexample(found.certificate)}\n"
    if folder is not None:
        path = folder / certificate_name(spec)
        write_in_time(path, found.certificate.encode())
        data["audit"]["certificate"] = str(path)
        text += f"wrote {path}\n"
    return replace(proof, code=1, text=proof.text + text, data=data)


def _not_broken(found: Record) -> str:
    return (
        f"  audit      {found.verdict} in {found.tried} plays: it lets more through than the rule, "
        "which need not break privacy\n"
    )
