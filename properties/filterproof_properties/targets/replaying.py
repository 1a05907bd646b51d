"""A certificate held against a target: does it really answer so?"""

from filterproof.certificate import read_certificate, replay
from filterproof_properties.processes.child import Limits
from filterproof_properties.targets.connect import open_target
from filterproof_properties.targets.target import make_filter


def run_replay(spec: str, certificate: str, limits: Limits) -> int:
    """Ask a target for every answer of a certificate; return how many it gave."""
    with open_target(spec, limits) as loaded:
        told = read_certificate(certificate)
        return replay(make_filter(loaded.target, told.epsilon, told.delta, told.parameters), told)
