"""A violation of a budget behind a service as a script that talks to the service again.

It uses the standard library only, opens a fresh budget for every play, and ends with 1 as long as
all calls are answered as they were when the violation was found.
"""

from collections.abc import Sequence
from importlib.resources import files
from string import Template

from filterproof.budget_calls import EXCEPTION
from filterproof.call_expressions import keyword_arguments
from filterproof.http_routes import IDENTITY, read_route
from filterproof_properties.reports.own_words import MadeCall, Told, all_plays, own_words
from filterproof_properties.targets.budget.names import HTTP, PROGRAM
from filterproof_properties.targets.budget.services import REFUSALS
from filterproof_properties.targets.budget.spelling import spelled_call

HTTP_TALK = '''\
SERVICE = $url


def put(call, budget):
    """Send one request; return the status and the body of the answer."""
    method, path, body = call(budget)
    data = None if body is None else json.dumps(body).encode()
    where = SERVICE + path.replace("{id}", str(budget))
    asked = Request(where, data, {"Content-Type": "application/json"}, method=method)
    try:
        with urlopen(asked) as answer:
            status, text = answer.status, answer.read()
    except HTTPError as error:
        status, text = error.code, error.read()
    try:
        return status, json.loads(text)
    except ValueError:
        return status, text.decode(errors="replace")


def opened():
    """Open a budget and return what the service calls it."""
    status, found = put($opening, None)
    if not 200 <= status < 300:
        sys.exit(f"it opens no budget: {status} {found}")
    for part in $field.split("."):
        found = found.get(part) if isinstance(found, dict) else found
    return found
'''
PROGRAM_TALK = '''\
SERVICE = subprocess.Popen($words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def put(call, budget):
    """Write one line to the program; return 200 and its answer."""
    named = {} if budget is None else {"id": budget}
    SERVICE.stdin.write(json.dumps({**call(budget), **named}) + "\\n")
    SERVICE.stdin.flush()
    return 200, json.loads(SERVICE.stdout.readline())


def opened():
    """Open a budget and return what the program calls it."""
    return put($opening, None)[1].get("id")
'''


def service_script(certificate: str, told: Told) -> str:
    """Return the script of a certificate that names a service."""
    text = (files("filterproof_properties.reports") / "service_script.txt").read_text("utf-8")
    plays = all_plays(certificate)
    asked = [made for play in plays for made in play if made.event]
    over_http = told.target.startswith(HTTP)
    imports = ["import shlex", "import subprocess"]
    network = ["from urllib.error import HTTPError", "from urllib.request import Request, urlopen"]
    return Template(text).substitute(
        title=f"{told.target} grants more than it promises.",
        story="\n".join(f"    {line}" for line in own_words(certificate)),
        needs=told.target.removeprefix(PROGRAM),
        imports="\n".join(network if over_http else imports),
        talk=_talk(told),
        granted=_grant_expression(told),
        plays="".join(f"    [\n{_play(told, play)}    ],\n" for play in plays),
        before=[made.decision in ("continue", "last") for made in asked],
    )


def _talk(told: Told) -> str:
    """Return the functions that open a budget and put a call."""
    if told.target.startswith(HTTP):
        field = repr(read_route(told.calls.open).field)
        url, opening = repr(told.target.rstrip("/")), _call(told, told.calls.open, told.budget)
        return Template(HTTP_TALK).substitute(url=url, opening=opening, field=field)
    words = f"shlex.split({told.target.removeprefix(PROGRAM)!r})"
    opening = _call(told, f"open{told.calls.open}", told.budget)
    return Template(PROGRAM_TALK).substitute(words=words, opening=opening)


def _grant_expression(told: Told) -> str:
    """Return what says of `status` and `result` that an answer grants."""
    if told.calls.granted:
        is_refusal = "" if "status" in told.calls.granted else f"status not in {REFUSALS} and "
        return f"{is_refusal}({told.calls.granted})"
    said = 'result.get("granted", True) if isinstance(result, dict) else True'
    return f"status not in {REFUSALS} and ({said})"


def _play(told: Told, play: Sequence[MadeCall]) -> str:
    """Return the lines of one play."""
    return "".join(f"        {_request(told, made)},\n" for made in play if made.event)


def _request(told: Told, made: MadeCall) -> str:
    """Return what one request was: the calls until one refuses, and what follows a failure."""
    assert made.event is not None
    calls, values = told.calls, dict(made.event.values)
    spend = "" if calls.between and made.failed else calls.spend[made.event.call]
    asked = ", ".join(_call(told, one, values) for one in (calls.check, spend) if one)
    follows = made.failed and calls.fails not in ("", EXCEPTION)
    return f"([{asked}], {_call(told, calls.fails, values) if follows else None})"


def _call(told: Told, call: str, values: dict[str, object]) -> str:
    """Return one call as it was made, as a function of what the service calls the budget."""
    if not told.target.startswith(HTTP):
        parts = {name: _fill_in(text, values) for name, text in keyword_arguments(call).items()}
        given = "".join(f", {name!r}: {text}" for name, text in parts.items())
        return f'lambda id: {{"call": {call.partition("(")[0]!r}{given}}}'
    route = read_route(call)
    path = route.filled_path({IDENTITY: "{id}", **values}).replace("%7Bid%7D", "{id}")
    body = _fill_in(route.body, values) if route.body else None
    return f"lambda id: ({route.method!r}, {path!r}, {body})"


def _fill_in(expression: str, values: dict[str, object]) -> str:
    """Return an expression with the values in the place of names; nothing is evaluated here."""
    return spelled_call(f"f({expression})", dict(values))[2:-1]
