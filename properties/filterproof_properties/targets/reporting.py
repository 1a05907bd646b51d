"""An odometer's reports on their way: states go by their numbers, reports come back as text."""

from collections.abc import Callable, Hashable, Sequence
from time import monotonic
from typing import Any

from filterproof.exact import ExactError
from filterproof.odometer import Reported, format_report, parse_report, report_of
from filterproof_properties.processes.sanitise import quoted
from filterproof_properties.targets.guard import Misbehaved

Message = dict[str, Any]
SIGN = 0.2
"""After so many seconds the answers so far are sent, so that a slow filter is not a hung one."""
MANY = 512
"""So many states at most are asked about at once."""
TWICE = "reported() gave two answers for one state: it depends on the state and nothing else"


def reports_of(server: Any, question: Message) -> Message:
    """Answer the call `reported`: what the odometer says in some states, put to it twice."""
    rule = server.filters[question["filter"]].rule
    found: list[str] = []
    for number in question["states"]:
        one, other = (
            server.call("reported()", lambda state=states[number]: report(rule, state))
            for states in (server.states, server.latest)
        )
        if one != other:
            raise Misbehaved(TWICE)
        found.append(one)
        if monotonic() - server.last > SIGN:
            server.tell({"id": question["id"], "some": found})
            found = []
    return {"answers": found}


def report(rule: Any, state: Hashable) -> str:
    """Return what the odometer reports, as text."""
    return format_report(report_of(rule, state))


class Reports:
    """What an odometer elsewhere reports, asked for once per state."""

    def __init__(self, ask: Callable[[list[Message]], list[Message]], number: int) -> None:
        self.ask, self.number = ask, number
        self.known: dict[Hashable, Reported] = {}

    def __call__(self, states: Sequence[Hashable]) -> list[Reported]:
        """Return the reports in these states."""
        new = [state for state in dict.fromkeys(states) if state not in self.known]
        for start in range(0, len(new), MANY):
            some = new[start : start + MANY]
            question = {"call": "reported", "filter": self.number, "states": some}
            texts = self.ask([question])[0].get("answers")
            if not (isinstance(texts, list) and len(texts) == len(some)):
                raise Misbehaved(f"need {len(some)} reports; got {quoted(texts, 200)}")
            self.known |= zip(some, map(read, texts), strict=True)
        return [self.known[state] for state in states]


def read(text: Any) -> Reported:
    """Read one report that came as text."""
    try:
        return parse_report(text)
    except (ExactError, AttributeError, TypeError):
        said = quoted(text, 80)
        raise Misbehaved(f"a report is a rational, log(p/q) or inf; got {said}") from None
