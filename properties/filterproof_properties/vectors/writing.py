"""Exact test vectors that any language can read: games, budgets, and every expected answer.

`write(folder)` writes, byte for byte the same every time,

    games.json            the games, by name
    plays-<filter>.json   per filter and game: the answer at every partial transcript, and worst H
    inputs.json           sequences of spends on which budgets have been known to fail open
    manifest.json         the files with their schema, number of cases and digest; what flags mean

All numbers are strings "p/q".  `docs/internals/VECTORS.md` explains them, `docs/schemas` has their
schemas, and `examples/vectors.js` is a reader in JavaScript that recomputes every worst H.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from hashlib import sha256
from math import inf
from pathlib import Path
from typing import Any

from filterproof.certificate import parameter_to_json
from filterproof.exact import ExpLinear, format_epsilon, format_rational
from filterproof.fast import worst_case
from filterproof.filter import Filter
from filterproof.filters.registry import REGISTRY, Entry
from filterproof.game.json import game_to_json
from filterproof_properties.case import Case
from filterproof_properties.failopen.inputs import INPUT_FLAGS, input_cases
from filterproof_properties.games.named import named_cases
from filterproof_properties.games.specimens import SPECIMENS
from filterproof_properties.processes.writing import write_in_time
from filterproof_properties.targets.evaluate import make_filter, parameters_for
from filterproof_properties.targets.target import Declined
from filterproof_properties.targets.walk import questions

SCHEMA = "filterproof.vectors"
VERSION = 2
MOST_NODES = 12
"""Larger games add bytes and no idea."""
MOST_PARAMETERS = 2

FLAGS: Mapping[str, str] = {
    "sound": "a filter that keeps its promise",
    "specimen": "a known-bad filter; the answers are what it says, not what it should say",
    "violated": "the worst H exceeds delta in this game",
    "tight": "the worst H is exactly delta",
    "adaptive": "some menu offers more than one request",
    **INPUT_FLAGS,
}


def write(folder: Path) -> list[Path]:
    """Write all vectors into a folder and return the paths, the manifest last."""
    folder.mkdir(parents=True, exist_ok=True)
    cases = [case for case in named_cases() if len(case.game.nodes) <= MOST_NODES]
    broken = {name: _as_specimen(name, SPECIMENS[name]()) for name in SPECIMENS}
    contents = {"games.json": games([*cases, *broken.values()]), "inputs.json": inputs()}
    for one in REGISTRY:
        own = [broken[one.name]] if one.name in broken else []
        contents[f"plays-{one.name}.json"] = plays(one, [*cases, *own])
    texts = {name: text(data) for name, data in sorted(contents.items())}
    texts["manifest.json"] = text(manifest(contents, texts))
    for name, written in texts.items():
        write_in_time(folder / name, written.encode("ascii"))
    return [folder / name for name in texts]


def _as_specimen(name: str, case: Case) -> Case:
    return replace(case, name=f"specimen of {name}")


def manifest(contents: Mapping[str, Any], texts: Mapping[str, str]) -> dict[str, Any]:
    """Return what the folder holds."""
    files = [
        {
            "name": name,
            "schema": contents[name]["schema"],
            "cases": len(contents[name]["cases"]),
            "sha256": sha256(texts[name].encode("ascii")).hexdigest(),
        }
        for name in texts
    ]
    bugs = {one.name: one.why for one in REGISTRY if not one.sound}
    return {**_head("manifest"), "cases": files, "flags": dict(FLAGS), "bugs": bugs}


def text(data: Mapping[str, Any]) -> str:
    """Return the one text of a file: a line per case, keys sorted, ASCII."""
    head = {key: value for key, value in data.items() if key != "cases"}
    opened = json.dumps(head, sort_keys=True, indent=1).removesuffix("\n}")
    lines = ",\n".join(json.dumps(one, sort_keys=True) for one in data["cases"])
    return f'{opened},\n "cases": [\n{lines}\n ]\n}}\n'


def _head(kind: str) -> dict[str, Any]:
    return {"schema": f"{SCHEMA}.{kind}", "version": VERSION}


def games(cases: list[Case]) -> dict[str, Any]:
    """Return the games with their names."""
    listed = [{"name": case.name, "game": game_to_json(case.game)} for case in cases]
    return {**_head("games"), "cases": listed}


def inputs() -> dict[str, Any]:
    """Return the sequences of spends with the exact answers."""
    return {**_head("inputs"), "cases": list(input_cases())}


# --- plays ----------------------------------------------------------------------------------


def plays(known: Entry, cases: list[Case]) -> dict[str, Any]:
    """Return one filter's answers in every game, for every set of parameters it offers."""
    listed = [play for case in cases for play in _plays(known, case)]
    about = {"filter": known.name, "source": known.source, "promise": known.promise}
    return {**_head("plays"), **about, "cases": listed}


def _plays(known: Entry, case: Case) -> Iterator[dict[str, Any]]:
    offered = parameters_for(known.target, case)
    for number, parameters in enumerate(offered[:MOST_PARAMETERS]):
        try:
            rule = make_filter(known.target, case.epsilon, case.delta, parameters)
        except Declined:
            continue
        worst = worst_case(rule, case.game, case.epsilon)
        allowed = worst.allowed(case.game, case.delta)
        violated = worst.value > allowed
        yield {
            "id": f"{known.name}/{case.name}/{number}",
            "game": case.name,
            "epsilon": format_epsilon(case.epsilon),
            "delta": format_rational(case.delta),
            "parameters": {name: parameter_to_json(one) for name, one in parameters.items()},
            "flags": _flags(known, case, worst.value, allowed),
            "bug": known.name if violated else None,
            "link": (known.link or None) if violated else None,
            "answers": [*answers(rule, case)],
            "worst": [format_rational(worst.value.a), format_rational(worst.value.b)],
            **({"pair": [*worst.pair]} if case.game.promises else {}),
        }


def _flags(known: Entry, case: Case, value: ExpLinear, allowed: Fraction) -> list[str]:
    found = {
        "sound": known.sound,
        "specimen": not known.sound,
        "violated": value > allowed,
        "tight": value == allowed,
        "adaptive": any(len(menu) > 1 for menu in case.game.nodes),
    }
    return [flag for flag, holds in found.items() if holds]


def answers(rule: Filter[Any], case: Case) -> Iterator[dict[str, Any]]:
    """Yield the answer at every partial transcript that the filter lets happen, round 0 first.

    `after` is the history; `refused` is there if something was refused before in this round.
    """
    for one in questions(rule, case.game, inf):
        yield {
            "round": one.step.index,
            "after": [list(pair) for pair in one.step.history],
            **({"refused": list(one.refused)} if one.refused else {}),
            "request": one.step.request,
            "decision": str(one.decision),
        }
