"""The HTML report in a real browser: it shows, opens, closes, and obeys the arrow keys."""

import json
import re
import subprocess
from dataclasses import replace
from fractions import Fraction
from html import unescape
from pathlib import Path

import pytest

from filterproof.filters.naive import Naive
from filterproof_properties.audit.record import Record
from filterproof_properties.audit.verdicts import Verdict
from filterproof_properties.games.named import erasures
from filterproof_properties.reports import html
from filterproof_properties.targets.evaluate import certify_violation
from tests.needs import needs_chromium

pytestmark = needs_chromium

CHROMIUM = [
    "chromium",
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]

DRIVER = """
<script>
const found = {errors: []};
addEventListener('error', (event) => found.errors.push(String(event.message)));
const rows = () => [...document.querySelectorAll('.tree .row')];
const seen = () => rows().filter((row) => row.checkVisibility()).length;
const press = (key) => document.activeElement.dispatchEvent(
  new KeyboardEvent('keydown', {key, bubbles: true, cancelable: true}));
const now = () => document.activeElement.dataset.says;
const button = (name) => document.querySelector(`[data-${name}]`).click();
found.folded = seen();
document.querySelector('.everything').open = true;
found.rows = rows().length;
found.starred = document.querySelectorAll('.tree .in-s').length;
found.shown = seen();
rows()[0].focus();
found.first = now();
press('ArrowDown'); found.down = now();
press('ArrowDown'); press('ArrowDown'); found.third = now();
press('ArrowRight'); found.right = now();
press('ArrowLeft'); found.closed = seen();
press('ArrowLeft'); found.parent = now();
press('End'); found.end = now();
press('Home'); found.home = now();
button('open'); found.opened = seen();
button('close'); found.shut = seen();
button('winning'); found.winning = seen();
document.querySelector('.tree .in-s').focus();
found.transcript = document.querySelector('.transcript').textContent;
found.facts = document.querySelector('.path dl').textContent;
const color = () => getComputedStyle(document.body).backgroundColor;
const before = color();
button('theme-button');
found.themes = before !== color();
const link = document.querySelector('a[download]');
found.certificate = atob(link.href.split(',')[1]);
found.focusable = [...document.querySelectorAll('.row, button, a')].every((e) => e.tabIndex >= 0);
found.requests = performance.getEntriesByType('resource').length;
const out = document.createElement('pre');
out.id = 'found';
out.textContent = JSON.stringify(found);
document.body.append(out);
</script>
"""


@pytest.fixture(scope="module")
def violated() -> Record:
    found = certify_violation("naive", Naive, replace(erasures(Fraction(1, 10), 3), parameters={}))
    history = ((1, 0.0), (5, 0.2), (6, 2.71))
    return Record(
        "naive",
        Verdict.VIOLATED,
        None,
        "a note",
        6,
        0.5,
        None,
        (),
        (),
        "",
        found.summary,
        found.certificate,
        history,
    )


@pytest.fixture(scope="module")
def page(violated: Record, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("report") / "report.html"
    other = Record("broken <b>", Verdict.FAILED, None, "", 0, 0.0, error="decide() raised <b>")
    path.write_text(html.text([violated, other]), encoding="utf-8")
    return path


def chromium(page: Path, profile: Path, *options: str) -> str:
    """Open a page in a fresh browser and return what it prints."""
    words = [*CHROMIUM, f"--user-data-dir={profile}", *options, page.as_uri()]
    done = subprocess.run(words, capture_output=True, text=True, check=True, timeout=120)
    return done.stdout


def test_the_page_works_with_the_keyboard_and_without_a_network(
    page: Path, violated: Record, tmp_path: Path
) -> None:
    driven = tmp_path / "driven.html"
    text = page.read_text(encoding="utf-8")
    driven.write_text(text.replace("</body>", DRIVER + "</body>"), encoding="utf-8")
    dom = chromium(driven, tmp_path / "profile", "--dump-dom")
    match = re.search(r'<pre id="found">(.*?)</pre>', dom, re.DOTALL)
    assert match is not None
    found = json.loads(unescape(match[1]))
    assert found["errors"] == []
    assert found["folded"] == 0
    assert (found["rows"], found["starred"], found["shown"]) == (12, 3, 12)
    assert found["first"] == "asks 'ask'"
    assert (found["down"], found["third"], found["right"]) == ("→ 0;", "→ ?;", "asks 'ask'")
    assert found["closed"] == 5  # the second turn is closed, and all that follows it is gone
    assert found["parent"] == "→ ?;"
    assert (found["end"], found["home"]) == ("asks 'ask'", "asks 'ask'")
    assert (found["opened"], found["shut"], found["winning"]) == (12, 1, 12)
    assert found["transcript"] == "asks 'ask' → 0;"
    assert found["facts"] == "output0P_01/10P_10loss∞adds to H0.1"
    assert found["themes"]
    assert found["certificate"] == violated.certificate
    assert found["focusable"]
    assert found["requests"] == 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_is_drawn_in_light_and_in_dark(scheme: str, page: Path, tmp_path: Path) -> None:
    shown = tmp_path / "page.html"
    text = page.read_text(encoding="utf-8")
    shown.write_text(text.replace('lang="en"', f'lang="en" data-theme="{scheme}"'), "utf-8")
    picture = tmp_path / "page.png"
    chromium(shown, tmp_path / "profile", "--window-size=1200,900", f"--screenshot={picture}")
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert picture.stat().st_size > 20_000
