"""One page for each finding: in words, and as a script with what it prints; an issue to paste.

`python -m conformance.finding_pages DOCS` writes the pages into DOCS/findings again,
from the certificates in DOCS/certificates.  Scripts are run; where a library is not installed, what
its script printed is kept from the page that is there.  With `--check` nothing is written, and the
exit code is 1 if a page would be another one.
"""

import argparse
import re
import sys
from pathlib import Path

from conformance.findings import Finding
from conformance.mends import MENDS
from conformance.odometers import PUBLISHED
from conformance.shown import shown
from filterproof_properties.adapters import info_of
from filterproof_properties.adapters.repro import script
from filterproof_properties.adapters.support.library import NOT_INSTALLED, install
from filterproof_properties.audit.known_bug_match import known_bug_match
from filterproof_properties.reports import explain

PRINTED = re.compile(r"It prints:\n\n```text\n(.*?)```\n", re.DOTALL)
SIZES = {"real": "", "float": "  The excess is in the last places of a double."}
PAGE = """\
# {library}: {says}

Certificate: [{name}.json](../certificates/{file}), which `filterproof check` and a program of
one file accept.  {library}: {kind}; a violation is that of {fault}.{size}

## In words

`filterproof explain docs/certificates/{file}`:

```text
{words}```

## As a script

`filterproof repro docs/certificates/{file}`; it needs {library} and nothing else:

```python
{script}```

It prints:

```text
{printed}```
{mend}"""


class NotShown(Exception):
    """A page that cannot be written: its library is missing, or shows the finding no more."""


def page(finding: Finding, certificate: str, printed: str) -> str:
    """Return the page of one finding."""
    info = info_of(finding.adapter)
    return PAGE.format(
        library=info.library,
        says=finding.says,
        name=finding.name,
        file=finding.file,
        kind=info.kind,
        fault=info.fault,
        size=SIZES[finding.size],
        words=explain.text(certificate, known_bug_match(certificate)),
        script=script(certificate, finding.says),
        printed=printed,
        mend=MENDS[finding.name].text(info.library) if finding.name in MENDS else "",
    )


def printed_by(finding: Finding, certificate: str, before: str) -> str:
    """Return what the script prints now, or what the page says that it printed."""
    info = info_of(finding.adapter)
    if info.version == NOT_INSTALLED:
        if kept := PRINTED.search(before):
            return kept[1]
        raise NotShown(f"{finding.name} needs {info.library}: {install(info.extra)}")
    done = shown(script(certificate, finding.says))
    if not done.there:
        raise NotShown(f"{finding.name} is not shown: {done.ended}, {done.printed} {done.noise}")
    return done.printed


def certificate_of(finding: Finding, docs: Path) -> str:
    """Return the committed certificate of a finding."""
    return (docs / "certificates" / finding.file).read_text(encoding="ascii")


def current(finding: Finding, docs: Path) -> tuple[Path, str, str]:
    """Return where a finding's page is, what it says, and what it should say."""
    path = docs / "findings" / f"{finding.name}.md"
    before = path.read_text(encoding="utf-8") if path.exists() else ""
    certificate = certificate_of(finding, docs)
    return path, before, page(finding, certificate, printed_by(finding, certificate, before))


def main(arguments: list[str] | None = None) -> int:
    """Write the pages, or compare them."""
    parser = argparse.ArgumentParser(prog="findings", description="Write a page per finding.")
    parser.add_argument("docs", type=Path, metavar="DOCS")
    parser.add_argument("--library", metavar="EXTRA", help="the findings on one library only")
    parser.add_argument("--check", action="store_true", help="write nothing, compare")
    options = parser.parse_args(arguments)
    chosen = (f for f in PUBLISHED if options.library in (None, info_of(f.adapter).extra))
    other = 0
    for path, before, now in (current(finding, options.docs) for finding in chosen):
        if before == now:
            continue
        other += 1
        sys.stdout.write(f"{'differs' if options.check else 'wrote'}: {path}\n")
        if not options.check:
            path.parent.mkdir(exist_ok=True)
            path.write_text(now, encoding="utf-8")
    return int(options.check and other > 0)


if __name__ == "__main__":
    sys.exit(main())
