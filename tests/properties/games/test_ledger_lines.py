"""Lines of spends: each is over its budget, and finds its kind of wrong ledger, no sound one."""

from pathlib import Path

import pytest

from filterproof.fast import worst_case
from filterproof.filters.additive import Additive
from filterproof.filters.run_all import RunAll
from filterproof_properties.case import Case
from filterproof_properties.games.ledger_lines import ledger_lines
from filterproof_properties.search.loop import Loop, Tally
from filterproof_properties.search.sources import with_parameters
from filterproof_properties.targets.budget.ideas import ideas
from filterproof_properties.targets.budget.named import load_budget

LEDGER = """
import math


class Ledger:
    def __init__(self, epsilon, delta):
        self.total, self.left, self.delta, self.count, self.book, self.first = (
            epsilon, epsilon, delta, 0, {{}}, None
        )
        self.small = {small}

    def spend(self, epsilon, delta{table}):
        {body}
        self.left -= epsilon
        self.delta -= delta
        return True
"""
FITS = "if epsilon > self.left or delta > self.delta: return False"
SMALL_BOOK = f"""if epsilon < 0.03:
            if epsilon > self.small or delta > self.delta: return False
            self.small -= epsilon
            self.delta -= delta
            return True
        {FITS}"""
CHEAPER = f"""self.count += 1
        {FITS}
        epsilon *= 0.92 if self.count > 25 else 1"""
NO_LIMIT = """if epsilon > (self.left or math.inf) or delta > self.delta: return False
        epsilon = min(epsilon, self.left)"""
AS_TEXT = """if str(epsilon) > str(self.left) or delta > self.delta: return False"""
FLOORED = f"""{FITS}
        epsilon = math.floor(epsilon * 10000) / 10000"""
DELTA_ROUNDED = f"""{FITS}
        delta = round(delta, 4)"""
WRONG = {
    "a second book for small ones": SMALL_BOOK,
    "cheaper later": CHEAPER,
    "nothing left is no limit": NO_LIMIT,
    "numbers as text": AS_TEXT,
    "rounded down": FLOORED,
    "delta rounded": DELTA_ROUNDED,
}
SOUND = {
    "a second book for small ones": SMALL_BOOK,
    "cheaper later": CHEAPER.replace("0.92", "1.08"),
    "nothing left is no limit": NO_LIMIT.replace("(self.left or math.inf)", "self.left"),
    "numbers as text": AS_TEXT.replace("str", "float"),
    "rounded down": f"epsilon = math.ceil(epsilon * 10000) / 10000\n        {FITS}",
    "delta rounded": f"delta = math.ceil(delta * 10000) / 10000\n        {FITS}",
}


def played(
    folder: Path,
    text: str,
    words: str = "",
    currency: str = "epsilon, delta",
    opens: str = "epsilon, delta",
) -> Tally:
    """Play what budget objects are known to lose."""
    path = folder / "ledger.py"
    path.write_text(text)
    calls = f"--spend 'spend({currency})' --open '({opens})' {words}"
    target = load_budget(f"{path}:Ledger {calls}")
    return Loop(target, exact=False).run(with_parameters(ideas(target.calls), target))


@pytest.mark.parametrize("kind", WRONG)
def test_a_wrong_ledger_loses(kind: str, tmp_path: Path) -> None:
    text = LEDGER.format(body=WRONG[kind], small="epsilon", table="")
    assert played(tmp_path, text).violation is not None


@pytest.mark.parametrize("kind", SOUND)
def test_its_sound_twin_does_not(kind: str, tmp_path: Path) -> None:
    share = "epsilon / 4\n        self.left = 0.75 * epsilon"
    text = LEDGER.format(body=SOUND[kind], small=share, table="")
    found = played(tmp_path, text)
    assert found.tried > 40
    assert (found.violation, found.error) == (None, "")


FIRST_ONLY = f"""self.first = self.first or table
        {FITS}
        if table != self.first: delta = 0"""


@pytest.mark.parametrize(("body", "wrong"), [(FIRST_ONLY, True), (FITS, False)])
def test_parts_with_delta(body: str, wrong: bool, tmp_path: Path) -> None:
    text = LEDGER.format(body=body, small=0, table=", table")
    found = played(tmp_path, text, "--part table", "epsilon, delta, table")
    assert (found.violation is not None) == wrong


SQUARES = """
import math


class Ledger:
    def __init__(self, epsilon, delta):
        if not 0 < delta < 1:
            raise ValueError(delta)
        self.epsilon, self.delta, self.log = epsilon, delta, math.log(1 / delta)
        self.sum = self.rho = self.d = 0.0

    def spend(self, {cost}, delta=0.0):
        total, rho, d = self.sum + {cost}, self.rho + {rho}, self.d + delta
        basic = {basic}
        if not basic and (2 * math.sqrt(rho * self.log{log}) + rho > self.epsilon or d > 0):
            return False
        self.sum, self.rho, self.d = total, rho, d
        return True
"""
CONVERTED = [
    ("epsilon", "epsilon**2 / 2", "False", "", False),
    ("epsilon", "epsilon**2 / 8", "False", "", True),
    ("rho", "rho", "False", "", False),
    ("rho", "rho", "False", " / math.log(10)", True),
    ("epsilon, delta", "epsilon**2 / 2", "total <= self.epsilon and d <= self.delta", "", True),
    ("epsilon, delta", "epsilon**2 / 2", "False", "", False),
]


@pytest.mark.parametrize(("cost", "rho", "basic", "log", "wrong"), CONVERTED)
def test_sums_of_squares(
    cost: str, rho: str, basic: str, log: str, wrong: bool, tmp_path: Path
) -> None:
    """Pure costs and rho under a conversion: a wrong constant, or two rules of which one fits."""
    name = cost.partition(",")[0]
    text = SQUARES.format(cost=name, rho=rho, basic=basic, log=log)
    found = played(tmp_path, text, "", cost)
    assert found.tried > 10
    assert (found.violation is not None) == wrong


POWERS = """
class Ledger:
    def __init__(self, mu):
        self.most, self.used = mu**{power}, 0.0

    def spend(self, mu):
        if self.used + mu**{power} > self.most:
            return False
        self.used += mu**{power}
        return True
"""


@pytest.mark.parametrize(("power", "wrong"), [(2, False), (4, True)])
def test_sums_of_other_powers(power: int, wrong: bool, tmp_path: Path) -> None:
    """Gaussian DP adds squares; by fourth powers twelve rounds cost too little."""
    found = played(tmp_path, POWERS.format(power=power), "", "mu", "mu")
    assert found.tried > 10
    assert (found.violation is not None) == wrong


@pytest.mark.parametrize("case", ledger_lines(with_delta=True), ids=lambda case: case.name)
def test_a_line_is_over_its_budget_and_no_sound_filter_runs_it(case: Case) -> None:
    assert worst_case(RunAll(), case.game, case.epsilon).value > case.delta
    additive = Additive(case.epsilon, case.delta)
    assert worst_case(additive, case.game, case.epsilon).value <= case.delta
