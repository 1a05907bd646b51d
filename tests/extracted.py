"""The extracted Coq programs and the reference, put to the same games.

A case is written down in the words that `play.ml` reads; the two sides share nothing else.
"""

import random
import subprocess
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

from filterproof.exact import Log
from filterproof.filter import Decision, Filter, ask, observe, start
from filterproof.filters.algorithm1 import Algorithm1
from filterproof.filters.compensator import Compensator
from filterproof.filters.repaired import Repaired
from filterproof.game import Game, History, Mechanism, Request, Step, node_after, opening
from filterproof.witness import worst_case
from filterproof_properties.case import Case
from filterproof_properties.games.drawn import draw_case
from filterproof_properties.games.named import named_cases
from filterproof_properties.games.thresholds import realised_risks


def binary(number: Fraction) -> str:
    return f"{number.numerator:b}/{number.denominator:b}"


Place = tuple[History, Request]


class Wire:
    """A case and its partial transcripts in the words that `play.ml` reads."""

    def __init__(self, case: Case) -> None:
        assert isinstance(case.epsilon, Log)
        self.case, self.odds = case, case.epsilon.argument
        self.numbers: dict[str, int] = {}
        self.steps = list(partial_transcripts(case.game))

    def number(self, name: str) -> int:
        return self.numbers.setdefault(name, len(self.numbers))

    def words(self) -> Iterator[object]:
        game, chosen = self.case.game, self.case.parameters
        place = {x: i for i, x in enumerate(game.databases)}
        yield from (len(place) - 1, len(game.pairs))
        yield from (place[x] for pair in game.pairs for x in pair)
        yield from map(binary, (self.odds, chosen["delta_tilde"], chosen["theta"]))
        yield from (chosen["N"], binary(self.case.delta), game.depth, len(game.nodes))
        for menu in game.nodes:
            yield len(menu)
            for request, mechanism in menu.items():
                yield from (self.number(request), len(mechanism.law))
                yield from self.rows(mechanism)
        yield len(self.steps)
        for step in self.steps:
            yield len(step.history)
            yield from (self.number(name) for turn in step.history for name in turn)
            yield self.number(step.request)

    def rows(self, mechanism: Mechanism) -> Iterator[object]:
        for y, row in mechanism.law.items():
            yield self.number(y)
            yield from (binary(row[x]) for x in self.case.game.databases)
            yield node_after(mechanism, y).id


def partial_transcripts(game: Game) -> Iterator[Step]:
    """Every (r^i, y^(i-1)) with i >= 1, likely or not."""
    todo = [opening(game)]
    for step in todo:
        after = step.mechanism.after
        todo += [step.next(y, request) for y, menu in after.items() for request in menu]
    return iter(todo[1:])


def lookahead_rules(case: Case) -> list[Algorithm1]:
    """The repaired and the published rule; delta only limits their parameters, so it is 1 here."""
    return [kind(case.epsilon, Fraction(1), **case.parameters) for kind in (Repaired, Algorithm1)]


def reference_answers(case: Case) -> dict[Place, list[Decision | None]]:
    """The answers of the reference by transcript; None where the filter is not asked."""
    ahead = [lookahead_answers(rule, case.game) for rule in lookahead_rules(case)]
    every = [*ahead, compensator_answers(case)]
    return {
        place: [answers.get(place) for answers in every]
        for step in partial_transcripts(case.game)
        for place in [(step.history, step.request)]
    }


def lookahead_answers(rule: Algorithm1, game: Game) -> dict[Place, Decision]:
    """The rule's answers up to round N, reached or not; all are HALT if round 0 stops it."""
    stopped = rule.decide(None, opening(game))[0] is not Decision.CONTINUE
    return {
        (step.history, step.request): Decision.HALT if stopped else rule.decide(None, step)[0]
        for step in partial_transcripts(game)
        if step.index <= rule.N
    }


def compensator_answers(case: Case) -> dict[Place, Decision]:
    """The compensator's answers at the transcripts it reaches."""
    rule = Compensator(case.epsilon, case.delta)
    answers: dict[Place, Decision] = {}
    todo = [(opening(case.game), start(rule))]
    for step, state in todo:
        decision, kept = ask(rule, state, step)
        answers[step.history, step.request] = decision
        if decision is Decision.CONTINUE:
            for y, menu in step.mechanism.after.items():
                seen = observe(rule, kept, step, y)
                todo += [(step.next(y, request), seen) for request in menu]
    return answers


Played = tuple[list[list[str]], list[Fraction]]


def play(player: Path, wires: list[Wire]) -> list[Played]:
    """Per case: three answers at each partial transcript, and the worst H of each rule."""
    text = "\n".join(" ".join(map(str, wire.words())) for wire in wires)
    done = subprocess.run([player], input=text, capture_output=True, text=True, check=True)
    lines = (line.split() for line in done.stdout.splitlines())
    return [([next(lines) for _ in wire.steps], list(map(number, next(lines)))) for wire in wires]


def number(word: str) -> Fraction:
    above, below = word.split("/")
    return Fraction(int(above, 2), int(below, 2))


def playable_cases(count: int) -> list[Case]:
    """Named and generated games with a rational e^eps and varied parameters, some of them ties."""
    rng = random.Random(20240607)
    cases = [case for case in named_cases() if case.name != "guess(20)"]
    cases += [draw_case(rng.randrange) for _ in range(count)]
    return [playable(case, rng) for case in cases]


def playable(case: Case, rng: random.Random) -> Case:
    """The case with e^eps rational; parameters are drawn unless it comes with some."""
    odds = rng.choice([Fraction(1), Fraction(3, 2), Fraction(2), Fraction(5)])
    epsilon = case.epsilon if isinstance(case.epsilon, Log) else Log(odds)
    rounds = rng.randint(1, case.game.depth + 1)
    risks = [Fraction(0), Fraction(1, 3), Fraction(9, 10), *realised_risks(case.game, epsilon)[:20]]
    drawn = {
        "N": rounds,
        "theta": rng.choice([Fraction(0), Fraction(1, 2 * rounds), Fraction(1, rounds + 1)]),
        "delta_tilde": rng.choice([risk for risk in risks if risk <= 1]),
    }
    return Case(case.name, case.game, epsilon, case.delta, case.parameters or drawn)


Answered = tuple[int, str, Decision]  # which rule, what was extracted, what the reference says


def answered(wires: list[Wire], played: list[Played]) -> list[Answered]:
    """Both answers of every rule at every partial transcript at which the reference is asked."""
    found: list[Answered] = []
    for wire, (lines, _) in zip(wires, played, strict=True):
        expected = reference_answers(wire.case)
        for step, words in zip(wire.steps, lines, strict=True):
            both = zip(range(3), words, expected[step.history, step.request], strict=True)
            found += [(rule, word, known) for rule, word, known in both if known is not None]
    return found


def reference_worst(case: Case) -> list[Fraction]:
    """The H of the three rules by the reference's own backward induction."""
    assert isinstance(case.epsilon, Log)
    rules: list[Filter[Any]] = [*lookahead_rules(case), Compensator(case.epsilon, case.delta)]
    values = [worst_case(rule, case.game, case.epsilon).value for rule in rules]
    return [value.a + value.b * case.epsilon.argument for value in values]
