"""`make docs`: the Markdown of this repository as a site with search and the API, in build/site.

`python docs/website FOLDER` builds it in FOLDER/site instead.

The pages are laid out as they lie in the repository, so that their links hold as they are; what
they link to comes along, a folder as a list of its files.  A link that leads nowhere is an error.
"""

import logging
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mkdocs.commands.build import build
from mkdocs.config import load_config

from filterproof_proofs.verified import shipped_javascript
from filterproof_properties.reports.html import embeddable

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
BUILD = Path(sys.argv[1]).resolve() if sys.argv[1:] else ROOT / "build"
PAGES, SITE = BUILD / "pages", BUILD / "site"
LINK = re.compile(r"(?<=\]\()(?!https?:|mailto:|#)([^)#\s]+)")
REFERENCE = re.compile(r'(?<=href=")(?!https?:|mailto:|#)([^"#\s]+)')
IMAGE = re.compile(r'(?<=src=")(?!https?:)([^"#\s]+)')

SECTIONS = {
    "Begin": ("LEDGERS", "COUNTEREXAMPLE", "PROVE", "CI"),
    "Write, choose and run a filter": ("WRITING", "UTILITY", "RUNTIME"),
    "What is known": ("FINDINGS", "THREATS", "COMMANDS", "GLOSSARY"),
}
"""The pages of docs/, by what they are for; those of docs/internals stand apart."""
CHECK = "check.html"
"""The page that takes a certificate by drag and drop."""
ASSETS = ("extra.css", "iframe-worker.js")
PROJECT = ("ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md")
SHOWN = (
    "filterproof",
    "filterproof.exact",
    "filterproof.game",
    "filterproof.palette",
    "filterproof.privacy",
    "filterproof.filter",
    "filterproof.adversary",
    "filterproof.fast",
    "filterproof.certificate",
    "filterproof.filters",
    "filterproof.runtime",
    "filterproof_proofs.checker",
    "filterproof_properties.plugin",
    "filterproof_properties.options.config",
)
"""What the API reference shows; of a package each of its modules."""


class MissingChecker(Exception):
    """The checker for a browser was not built."""


class DeadLink(Exception):
    """A link of a page that leads nowhere."""


def main() -> None:
    """Lay the pages out and build the site."""
    shutil.rmtree(PAGES, ignore_errors=True)
    for page in ("README.md", *PROJECT, *_docs()):
        lay(Path(page))
    for asset in ASSETS:
        shutil.copy(HERE / asset, PAGES / asset)
    put(Path(CHECK), checking_page())
    logging.basicConfig(level=logging.WARNING, format="%(message)s")
    places = {"docs_dir": str(PAGES), "site_dir": str(SITE)}
    build(load_config(str(HERE / "mkdocs.yml"), nav=navigation([*reference()]), **places))
    sys.stdout.write(f"built {SITE / 'index.html'}\n")


def checking_page() -> str:
    """Return the page that checks certificates; it carries the checker that is proved in Coq."""
    script = embeddable(shipped_javascript())
    if not script:
        raise MissingChecker("the page that checks certificates needs it: make verified.js")
    return (HERE / CHECK).read_text(encoding="utf-8").replace("CHECKER", script)


def _docs() -> list[str]:
    pages = [*(ROOT / "docs").glob("*.md"), *(ROOT / "docs/internals").glob("*.md")]
    return sorted(str(path.relative_to(ROOT)) for path in pages)


# --- pages ----------------------------------------------------------------------------------


def lay(page: Path) -> None:
    """Put a page and whatever it links to where the site is built from."""
    if (PAGES / page).exists():
        return
    text = listing(page.parent) if page.name == LIST else (ROOT / page).read_text(encoding="utf-8")
    put(page, text)  # before its links are followed: pages link back
    put(page, LINK.sub(lambda found: followed(found[1], page), text))
    for picture in IMAGE.findall(text):
        followed(picture, page)


def put(page: Path, text: str) -> None:
    """Write a page of the site."""
    (PAGES / page).parent.mkdir(parents=True, exist_ok=True)
    (PAGES / page).write_text(text, encoding="utf-8")


LIST = "FILES.md"
"""The page that stands for a folder."""


def followed(link: str, page: Path) -> str:
    """Return a link as it stands on the site, once what it leads to is there."""
    there = (ROOT / page.parent / link).resolve()
    if not there.is_relative_to(ROOT) or not there.exists():
        raise DeadLink(f"{page} links to {link!r}, which is not there")
    name = there.relative_to(ROOT)
    if there.is_dir():
        lay(name / LIST)
        return f"{link.rstrip('/')}/{LIST}"
    if there.suffix == ".md":
        lay(name)
    elif there.suffix == ".html" and not (PAGES / name).exists():
        text = there.read_text(encoding="utf-8")
        put(name, text)
        put(name, REFERENCE.sub(lambda found: drawn(followed(found[1], name)), text))
    elif there.suffix != ".html":
        (PAGES / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(there, PAGES / name)
    return link


def drawn(link: str) -> str:
    """Return a link of a page that is not drawn here to one that is.

    >>> drawn("../FINDINGS.md"), drawn("opendp.json")
    ('../FINDINGS.html', 'opendp.json')
    """
    return f"{link.removesuffix('.md')}.html" if link.endswith(".md") else link


def listing(folder: Path) -> str:
    """Return a page with a link to every file of a folder."""
    names = sorted(path.name for path in (ROOT / folder).iterdir() if path.is_file())
    return f"# {folder}\n\n" + "".join(f"- [{name}]({name})\n" for name in names)


# --- the API, and what leads where ----------------------------------------------------------


def modules(name: str) -> Iterator[str]:
    """Yield a module, or the public modules of a package."""
    parts = Path(*name.split("."))
    (place,) = (one for one in (ROOT / root / parts for root in ROOTS) if _is_module(one))
    yield name
    if place.is_dir() and name != "filterproof":
        for path in sorted(place.rglob("*.py")):
            if path.stem not in ("__init__", "__main__"):
                yield f"{name}.{'.'.join(path.relative_to(place).with_suffix('').parts)}"


ROOTS = ("reference", "proofs", "properties")


def _is_module(place: Path) -> bool:
    return place.is_dir() or place.with_suffix(".py").is_file()


def reference() -> Iterator[tuple[str, str]]:
    """Write a page per module; yield its name and its place."""
    for name in (one for shown in SHOWN for one in modules(shown)):
        page = f"api/{name}.md"
        put(Path(page), f"# `{name}`\n\n::: {name}\n")
        yield name, page


def navigation(api: list[tuple[str, str]]) -> list[Any]:
    """Return the tree of pages."""
    named = {page for pages in SECTIONS.values() for page in pages} | {"README"}
    parts: list[Any] = [{"filterproof": "README.md"}, {"All pages": "docs/README.md"}]
    parts += [{"Check a certificate": CHECK}]
    parts += [{title: [f"docs/{one}.md" for one in pages]} for title, pages in SECTIONS.items()]
    more = [page for page in _docs() if Path(page).stem not in named]
    internals = [page for page in more if page.startswith("docs/internals/")]
    more = [page for page in more if page not in internals]
    others = sorted(str(page.relative_to(PAGES)) for page in PAGES.rglob("*.md"))
    rest = [page for page in others if not page.startswith(("docs/", "api/"))]
    rest = [page for page in rest if page not in ("README.md", *PROJECT)]
    lists = [page for page in others if page.endswith(LIST) and page not in rest]
    pages = sorted(PAGES.glob("docs/findings/*.md"))
    found = [{page.stem: str(page.relative_to(PAGES))} for page in pages]
    parts += [{"Findings": found}, {"Conformance": "docs/conformance/index.html"}]
    parts += [{"Internals": internals}, {"More": [*more, *rest, *lists]}, {"Project": [*PROJECT]}]
    return [*parts, {"API": [{name: page} for name, page in api]}]


if __name__ == "__main__":
    main()
