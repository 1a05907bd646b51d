"""Wrong variants of every filter whose code is tied to a theorem: none of them may be tied.

Each is (file, old text, new text): the first occurrence is changed.  An update is dropped, a
comparison is made before adding or turned round, a part of the state is mixed up, a bound is
forgotten.
"""

import ast

from filterproof_proofs.symbolic.program import Program, Source
from filterproof_proofs.ties.table import TARGETS

Mutant = tuple[str, str, str]

MUTANTS: dict[str, list[Mutant]] = {
    "additive": [
        ("additive", "return Decision.CONTINUE, spent", "return Decision.CONTINUE, state"),
        ("additive", "spent.odds * asked.odds", "asked.odds"),
        ("additive", "spent.delta + asked.delta", "max(spent.delta, asked.delta)"),
        ("additive", "or spent.delta > self.delta", "or state.delta > self.delta"),
        ("additive", "exceeds(spent.odds,", "exceeds(state.odds,"),
        ("additive", "spent.delta > self.delta", "spent.delta > 2 * self.delta"),
        ("additive", "return Decision.HALT, state", "return Decision.LAST, state"),
    ],
    "advanced-rogers": [
        ("advanced", "2 * total_delta(spent) <= self.delta", "total_delta(spent) <= self.delta"),
        ("advanced", "continue_if(lambda: self.fits(spent), spent)",
         "continue_if(lambda: self.fits(state), spent)"),
        ("advanced", "continue_if(lambda: self.fits(spent), spent)",
         "continue_if(lambda: self.fits(spent), state)"),
        ("advanced", "and advanced_fits(spent, self.epsilon, self.delta)", ""),
        ("advanced", "self.delta > 0 and below_one_over_e(self.delta)", "self.delta > 0"),
    ],
    "whitehouse": [
        ("advanced", "<= self.delta - self.delta_prime", "<= self.delta"),
        ("advanced", "self.delta_prime > 0\n            and total_delta", "total_delta"),
        ("advanced", "and whitehouse_fits(spent, self.epsilon, self.delta_prime)", ""),
        ("advanced", "whitehouse_fits(spent, self.epsilon, self.delta_prime)",
         "whitehouse_fits(spent, self.epsilon, self.delta)"),
        ("advanced", "check_part(self.delta_prime, self.delta)", ""),
        ("advanced", "if step.index == 0:", "if step.index <= 1:"),
    ],
    "rdp-mironov": [
        ("rdp", "product = state * cost", "product = state"),
        ("rdp", "product = state * cost", "product = cost"),
        ("rdp", "self.fits(product), product)", "self.fits(product), state)"),
        ("rdp", "self.fits(product), product)", "self.fits(state), product)"),
        ("rdp", "checked_order(self.order)", ""),
        ("rdp", "self.delta, Fraction(self.order), self.epsilon",
         "2 * self.delta, Fraction(self.order), self.epsilon"),
    ],
    "rdp-tight": [
        ("rdp", "return tight_factor(Fraction(self.order))",
         "return tight_factor(Fraction(self.order) + 1)"),
        ("rdp", "product = state * cost", "product = state"),
        ("rdp", "return Decision.HALT, state if", "return Decision.LAST, state if"),
    ],
    "rdp-weighted": [
        ("rdp", "RenyiTight(self.epsilon, w * self.delta, order=order) for",
         "RenyiTight(self.epsilon, self.delta, order=order) for"),
        ("rdp", "min(weights) < 0 or sum(weights) > 1", "min(weights) < 0"),
        ("rdp", "product = state * cost", "product = state"),
        ("rdp", "products = tuple(product for _, product in answers)",
         "products = state"),
        ("rdp", "products = tuple(product for _, product in answers)",
         "products = tuple(reversed([product for _, product in answers]))"),
    ],
    "gdp": [
        ("gdp", "return Decision.CONTINUE, state + mu**2", "return Decision.CONTINUE, state"),
        ("gdp", "return Decision.CONTINUE, state + mu**2", "return Decision.CONTINUE, state + mu"),
        ("gdp", "state + mu**2 > budget_mu(self.epsilon, self.delta) ** 2",
         "state > budget_mu(self.epsilon, self.delta) ** 2"),
        ("gdp", "budget_mu(self.epsilon, self.delta) ** 2", "budget_mu(self.epsilon, self.delta)"),
        ("gdp", "if mu is None or", "if mu is None: mu = Fraction(0)\n        if"),
    ],
    "bayesian": [
        ("pan", "return not any(risk", "return not all(risk"),
        ("pan", "epsilon) for pair in step.pairs)\n\n\ndef",
         "epsilon) for pair in step.pairs[:1])\n\n\ndef"),
        ("pan", "if stays_below(step, self.epsilon) else Decision.HALT), None",
         "if stays_below(step, self.epsilon) else Decision.LAST), None"),
    ],
    "hybrid": [
        ("pan", "if decision != Decision.HALT:", "if decision == Decision.CONTINUE:"),
        ("pan", "state = Second(after if isinstance(after, Open) else None)", "state = after"),
        ("pan", "return (Decision.CONTINUE if self.free(step) else Decision.HALT), state",
         "return Decision.CONTINUE, state"),
        ("pan", "return not any(risk", "return not all(risk"),
        ("pan", "return Decision(decision), after", "return Decision(decision), state"),
        ("pan", "return Decision(decision), after", "return Decision.CONTINUE, after"),
        ("pan", "return state if isinstance(state, Second) else observe",
         "return state or observe"),
    ],
    "hybrid-whitehouse": [
        ("pan", "if not isinstance(state, Second):\n            decision, after",
         "if True:\n            decision, after"),
    ],
    "hybrid-charge": [
        ("pan", ".sign() == 0", ".sign() <= 1"),
        ("pan", "return all(charge", "return any(charge"),
    ],
    "naive-over-n": [
        ("naive", "in_time = step.index <= self.N", "in_time = step.index <= self.N + 1"),
        ("naive", "return in_time and all(", "return all("),
        ("naive", "self.risk_of(step, p) * self.N <= self.delta",
         "self.risk_of(step, p) <= self.delta"),
        ("naive", "self.risk_of(step, p) * self.N <= self.delta for p in step.pairs",
         "self.risk_of(step, p) * self.N <= self.delta for p in step.pairs[1:]"),
    ],
    "naive-product": [
        ("naive", "after[i] = product * (1 - risk", "after[i] = 1 * (1 - risk"),
        ("naive", "return (Decision.CONTINUE, tuple(after)) if fits",
         "return (Decision.CONTINUE, before) if fits"),
        ("naive", "product >= 1 - self.delta for product in after",
         "product >= 1 - self.delta for product in before"),
        ("naive", "fits = all(product is None or", "fits = any(product is None or"),
        ("naive", "return (Decision.CONTINUE, tuple(after)) if fits",
         "return (Decision.CONTINUE, tuple(reversed(after))) if fits"),
    ],
    "repaired": [
        ("algorithm1", "if step.index + 1 <= self.N and", "if step.index <= self.N and"),
        ("algorithm1", "if spent > self.delta:", "if spent > 2 * self.delta:"),
        ("repaired", "if all(self.safe(", "if any(self.safe("),
        ("repaired", ">= 1 - self.theta\n            for pair in step.pairs",
         ">= 1 - self.theta\n            for pair in step.pairs[:1]"),
        ("algorithm1", "self.holds(step, self.delta_tilde)", "self.holds(step, self.delta)"),
        ("algorithm1", "risk(ahead.law, pair, add_loss(step, y), epsilon)",
         "risk(ahead.law, pair, step.mass, epsilon)"),
    ],
    "repaired-sharp": [
        ("repaired", "kept = (1 - self.delta_tilde) * (1 - self.theta) ** (self.N - 1)",
         "kept = (1 - self.delta_tilde) * (1 - self.theta) ** (self.N - 2)"),
        ("repaired", "if kept < 1 - self.delta:", "if kept < 1 - 2 * self.delta:"),
        ("repaired", "if self.theta == 1:", "if self.theta == 2:"),
    ],
    "repaired-upper-bound": [
        ("bounds", "ceil(overshoot(step, y, r, pair, self.epsilon) * GRID) <= z * GRID",
         "floor(overshoot(step, y, r, pair, self.epsilon) * GRID) <= z * GRID"),
        ("bounds", "* GRID) <= z * GRID", "* GRID) <= z * GRID + 1"),
    ],
    "product": [
        ("product", "kept[i] = product * (1 - self.bad(step, pair))",
         "kept[i] = 1 - self.bad(step, pair)"),
        ("product", "goes_on = all((1 - self.delta_tilde) * product",
         "goes_on = all(product"),
        ("product", "return all(risk(m.law", "return any(risk(m.law"),
        ("product", "return (Decision.CONTINUE if goes_on else Decision.LAST), tuple(kept)",
         "return (Decision.CONTINUE if goes_on else Decision.LAST), state"),
        ("product", "mass, ahead = step.released(y)", "mass, ahead = step.mass"),
    ],
    "compensator": [
        ("compensator", "if rest.sign() < 0:", "if budget.sign() < 0:"),
        ("compensator", "left[i] = by_cases(self.epsilon, self.share, rest, step, pair)",
         "left[i] = by_cases(self.epsilon, self.share, budget, step, pair)"),
        ("compensator", "return Decision.HALT, before", "return Decision.LAST, before"),
        ("compensator", "return Decision.CONTINUE, tuple(left)",
         "return Decision.CONTINUE, tuple(reversed(left))"),
        ("compensator", "return survivors(state, step, output)", "return ()"),
        ("compensator", "ExpLinear(self.delta, 0, self.epsilon))\n        left",
         "ExpLinear(2 * self.delta, 0, self.epsilon))\n        left"),
    ],
    "compensator-upper-bound": [
        ("compensator_grid", "return ceiling(super().charge(step, pair) / self.grid)",
         "return ceiling(super().charge(step, pair) / self.grid) - 1"),
        ("compensator_grid", "if rational(self.grid) <= 0:", "if rational(self.grid) == 0:"),
        ("compensator_grid", "self.units(step, pair) * self.grid,", "self.units(step, pair) * 0,"),
    ],
    "compensator-recycling": [
        ("compensator", "return rest / kept if kept else rest * 0",
         "return rest / (kept * kept) if kept else rest * 0"),
    ],
    "compensator-capped": [
        ("compensator", "rest - cap * weight, weight_left - weight", "rest, weight_left - weight"),
    ],
    "floor-additive": [
        ("floor", "return self.wrap(inner, epsilon, (1 - share) * delta)",
         "return self.wrap(inner, epsilon, delta)"),
        ("floor", "inner = self.target(epsilon, share * delta, **parameters)",
         "inner = self.target(epsilon, delta, **parameters)"),
        ("floor", "if not 0 <= share <= 1:", "if not 0 <= share:"),
        ("floor", "outer.decide(state.left, step)", "outer.decide(self.opened(step), step)"),
        ("floor", "return decision, replace(state, left=left)", "return decision, state"),
    ],
    "floor-gdp": [("floor", "if decision != Decision.HALT:", "if decision == Decision.LAST:")],
    "floor-rdp": [
        ("floor", "whole if step.mass[x] else None for x, _", "whole for x, _"),
        ("floor", "return Decision(decision), after", "return Decision(decision), state"),
    ],
    "odometer-additive": [
        ("o/additive", "spent.delta + asked.delta", "max(spent.delta, asked.delta)"),
        ("o/additive", "spent.odds * asked.odds", "asked.odds"),
        ("o/additive", "INFINITE if state.delta > self.delta else Log", "Log"),
        ("o/additive", "        return odds\n\n\n@", "        return (odds + 1) / 2\n\n\n@"),
        ("o/additive", "self.spend(state, self.cost(step.mechanism))", "state"),
    ],
    "odometer-realised": [
        ("o/realised", "return list(step.game.pairs)", "return list(step.game.pairs)[:1]"),
        ("o/realised", "max([Fraction(1), *(p / q", "min([Fraction(1), *(p / q"),
        ("o/realised", "if any(not q for _, q in possible):", "if False:"),
        ("o/realised", "mass = step.released(y)", "mass = step.mass"),
        ("o/realised", "return largest(step, output, self.watched(step))",
         "return state"),
    ],
    "odometer-forgiving": [
        ("o/realised", "return (b - f) / (1 - f) if f < 1", "return b if f < 1"),
        ("o/realised", "if not 0 < f <= b:", "if not 0 < f:"),
    ],
    "odometer-renyi": [
        ("o/renyi", "product * value", "product + value"),
        ("o/renyi", "root_up(q, a - 1)", "root_up(q, a)"),
        ("o/renyi", "s / delta, a", "s, a"),
        ("o/renyi", "None if product is None or value is None", "None if value is None"),
    ],
    "odometer-renyi-orders": [
        ("o/renyi", "return self.delta / len(self.orders)", "return self.delta"),
        ("o/renyi", "type(a) is not int or a < 2", "type(a) is not int"),
        ("o/renyi", "if state == self.start():", "if state != self.start():"),
    ],
}  # fmt: skip


def mutated(name: str, mutant: Mutant) -> Program:
    """Return the source of a filter with one text changed in one file."""
    file, old, new = mutant
    module = f"filterproof.filters.{file}".replace("filters.o/", "odometers.")
    program = Program.of(TARGETS[name])
    source = program.source(module)
    assert source is not None
    text = source.path.read_text(encoding="utf-8")
    assert old in text, f"{file} has no {old!r}"
    program._read[module] = Source(module, source.path, ast.parse(text.replace(old, new, 1)))
    return program
