"""Why a changed compensator may be proved as well: for docs/internals/PROVE-MUTANTS.md."""

PAGE = """\
# What the proof of the compensator's code notices

Every operator, constant, comparison, condition and answer in
`reference/filterproof/filters/compensator.py`, changed one at a time, and what `filterproof prove`
says of the changed file (at most 2 outputs, 2 databases). A change in a shared part is tried on
`Compensator`, one in a class on that class, one in `room` or `level` on `Capped`. Written by

```
make mutants
```

which fails if a survivor has no reason. *Killed* means that the change is not proved: refuted by
a round in numbers, open after ten minutes, or the code raises or cannot run on unknown numbers. Of
{count} changes {killed} are killed and {survivors} survive; **every survivor is private as well**:
it is stricter than the filter, or makes no difference.

| line | was | is | proved for | why a survivor is no fault |
|---|---|---|---|---|
{table}
"""

STRICTER = "smaller shares: stricter"
WATCHED = "only matters with `pair`, which watches one pair and is not what is proved"
ROOM = "the same larger room in `share` and in `observe`: shares still add up to the rest"
STOPS = "wherever the filling stops, the shares add up to the rest at most"
CAPPED = "this λ is capped at the room, 1 at most, all the same"

_SIGN = "if rest.sign() < 0:"
_PAIR = "if self.pair is not None and pair != self.pair:"
_KEPT = "kept = sum((row[x] for row in rows if row[x_]), Fraction(0)) if step.mass[x_] else 0"
_SUM = "sum((row[x] for row in rows if row[x_]), Fraction(0))"
_ZIP = "kept = zip(survivors(state, step, output), step.game.pairs, strict=True)"
_REST = "rest if rest is None or (row[x_] and step.mass[x_]) else rest * 0"
_STOP = "if rest <= cap * weight_left:"

REASONS = {
    ("markov: ClassVar[bool] = True", "True", "False"): (
        "`markov` is a promise to the search; the proof does not use it"
    ),
    (_SIGN, "rest.sign() < 0", "rest.sign() <= 0"): (
        "also halts when nothing would be left: stricter"
    ),
    (_SIGN, "0", "1"): "the same as `<= 0`: stricter",
    (_PAIR, "pair != self.pair", "pair == self.pair"): WATCHED,
    ("return ExpLinear(0, 0, self.epsilon)", "0", "1"): WATCHED,
    (_KEPT, f"{_SUM} if step.mass[x_] else 0", f"0 if step.mass[x_] else {_SUM}"): (
        "nothing is left where x' is possible: stricter"
    ),
    (_KEPT, "0", "1"): "a larger divisor, so smaller shares; or a share that `observe` takes away",
    ("return rest / kept if kept else rest * 0", "rest / kept", "rest * kept"): STRICTER,
    ("return rest / kept if kept else rest * 0", "0", "1"): (
        "the rest of outputs that rule x' out; `observe` takes it away"
    ),
    (_ZIP, "True", "False"): "`strict=` of `zip`: both sides have the same length",
    (
        _REST,
        "rest is None or (row[x_] and step.mass[x_])",
        "rest is None and (row[x_] and step.mass[x_])",
    ): "every share becomes 0: stricter",
    ("return ExpLinear(0, mass[x_] / mass[x], epsilon)", "0", "1"): ROOM,
    ("return ExpLinear(1, 0, epsilon)", "1", "2"): ROOM,
    ("return ExpLinear(1, 0, epsilon)", "0", "1"): ROOM,
    ("weight_left = Fraction(1)", "1", "2"): "a larger divisor, so smaller shares: stricter",
    ("for cap, weight in sorted(rooms, key=lambda one: one[0]):", "0", "1"): (
        f"another order of the outputs: {STOPS}"
    ),
    (_STOP, "rest <= cap * weight_left", "rest < cap * weight_left"): (
        "at equality the next output gives the same λ"
    ),
    (_STOP, "cap * weight_left", "cap / weight_left"): STOPS,
    ("return rest / weight_left", "rest / weight_left", "rest * weight_left"): STRICTER,
    (
        "rest, weight_left = rest - cap * weight, weight_left - weight",
        "weight_left - weight",
        "weight_left + weight",
    ): "a larger divisor, so smaller shares: stricter",
    ("return ExpLinear(1, 0, rest.epsilon)", "1", "2"): CAPPED,
    ("return ExpLinear(1, 0, rest.epsilon)", "0", "1"): CAPPED,
}
