"""The site is built from the pages, needs no network to be read, and its search finds things."""

import fcntl
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.needs import needs_chromium

ROOT = Path(__file__).parents[2]
FETCHED = re.compile(r'(?:<(?:script|img|iframe)[^>]*\ssrc|<link[^>]*\shref)="?(https?:)?//')


def run(folder: Path, website: Path = ROOT / "docs/website") -> subprocess.CompletedProcess[str]:
    line = [sys.executable, str(website), str(folder)]
    return subprocess.run(line, cwd=ROOT, capture_output=True, text=True, check=False)


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One build for all workers of a test run."""
    root = tmp_path_factory.getbasetemp()
    root = root.parent if "PYTEST_XDIST_WORKER" in os.environ else root
    with (root / "site-lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (root / "built/site/sitemap.xml").exists():
            done = run(root / "built")
            assert done.returncode == 0, done.stdout + done.stderr
    return root / "built/site"


def test_every_page_of_the_documentation_is_there(site: Path) -> None:
    pages = {path.stem for path in (ROOT / "docs").rglob("*.md")} - {"README"}
    assert pages <= {path.stem for path in (site / "docs").rglob("*.html")}
    for name in ("index.html", "docs/index.html", "proofs/ERRATA.html", "docs/pictures/wide.svg"):
        assert (site / name).is_file()


def test_the_conformance_page_leads_to_pages_of_the_site(site: Path) -> None:
    page = site / "docs/conformance/index.html"
    links = set(re.findall(r'href="([^"#]+)"', page.read_text(encoding="utf-8")))
    assert {"../internals/FAILOPEN.html", "../findings/opendp-failure-not-charged.html"} <= links
    assert "badges/opendp.svg" in links
    assert [link for link in links if not (page.parent / link).is_file()] == []


def test_nothing_is_fetched_from_elsewhere(site: Path) -> None:
    for path in site.rglob("*.html"):
        assert not FETCHED.search(path.read_text(encoding="utf-8")), path
    for path in site.rglob("*.css"):
        assert not re.search(r"url\(.?(https?:)?//|@import", path.read_text(encoding="utf-8")), path
    assert FETCHED.search('<script src="https://cdn.example/x.js">')
    assert not FETCHED.search('<a href="https://example.org">')


def test_the_api_shows_contracts_signatures_and_examples(site: Path) -> None:
    text = (site / "api/filterproof.privacy.html").read_text(encoding="utf-8")
    plain = re.sub(r"<[^>]*>", "", text)
    assert "how likely one more output takes the realised loss above" in plain
    assert "&gt;&gt;&gt; half = {" in plain


def test_a_link_that_leads_nowhere_ends_the_build(tmp_path: Path) -> None:
    text = (ROOT / "docs/website/__main__.py").read_text(encoding="utf-8")
    script = tmp_path / "site.py"
    start = "sys.exit(followed('docs/NOWHERE.md', Path('README.md')))"
    text = text.replace(
        "HERE = Path(__file__).parent", f"HERE = Path({str(ROOT)!r}) / 'docs/website'"
    )
    script.write_text(text.replace("    main()\n", f"    {start}\n"), encoding="utf-8")
    done = run(tmp_path / "built", script)
    assert done.returncode == 1
    assert "README.md links to 'docs/NOWHERE.md', which is not there" in done.stderr


@needs_chromium
def test_the_search_works_on_pages_that_are_opened_from_a_disk(site: Path, tmp_path: Path) -> None:
    browser = ["chromium", "--headless", "--no-sandbox", "--disable-gpu"]
    more = [f"--user-data-dir={tmp_path}", "--virtual-time-budget=20000", "--dump-dom"]
    done = subprocess.run(
        [*browser, *more, f"file://{site}/index.html?q=compensator"],
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    found = re.findall(r'class="md-search-result__link"', done.stdout)
    assert len(found) > 3


DROP = """
<script>
addEventListener('load', async () => {
  const files = new DataTransfer();
  for (const [name, text] of CERTIFICATES)
    files.items.add(new File([text], name, {type: 'application/json'}));
  const drop = new DragEvent('drop', {dataTransfer: files, bubbles: true, cancelable: true});
  document.getElementById('place').dispatchEvent(drop);
});
</script>
"""


@needs_chromium
def test_a_certificate_that_is_dropped_on_the_page_is_checked(site: Path, tmp_path: Path) -> None:
    genuine = (ROOT / "docs/certificates/opendp-failure-not-charged.json").read_text("utf-8")
    changed = genuine.replace('"delta": "0"', '"delta": "1"', 1)
    assert changed != genuine
    dropped = json.dumps([["genuine.json", genuine], ["changed.json", changed], ["no.json", "{"]])
    page = (site / "check.html").read_text(encoding="utf-8")
    driven = tmp_path / "check.html"
    driven.write_text(
        page.replace("</body>", DROP.replace("CERTIFICATES", dropped) + "</body>"), "utf-8"
    )
    browser = ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom"]
    more = [f"--user-data-dir={tmp_path / 'profile'}", "--virtual-time-budget=20000"]
    done = subprocess.run(
        [*browser, *more, driven.as_uri()], capture_output=True, text=True, check=True, timeout=120
    )
    said = re.findall(r'<li class="(\w+)">(\w+\.json)', done.stdout)
    assert sorted(said, key=lambda one: one[1]) == [
        ("rejected", "changed.json"),
        ("accepted", "genuine.json"),
        ("rejected", "no.json"),
    ]
