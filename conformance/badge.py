"""Labels as SVG: a word on grey and a word on a colour, in a row; no network, no font to load."""

from collections.abc import Iterable
from xml.sax.saxutils import escape

BLUE, GREEN, RED, AMBER, GREY = "#3f51b5", "#1b6e3c", "#b3261e", "#8a5a00", "#5b6878"
GAP = 6
ROW = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="{0:g}" height="20" viewBox="0 0 {0:g} 20">'
    "{1}</svg>\n"
)
BADGE = (
    '<g font-family="DejaVu Sans Mono,Menlo,Consolas,monospace" font-size="11.9" fill="#fff">'
    '<rect x="{0:g}" width="{1:g}" height="20" fill="#4a4f5a"/>'
    '<rect x="{2:g}" width="{3:g}" height="20" fill="{6}"/>'
    '<text x="{0:g}" dx="7" y="14">{4}</text><text x="{2:g}" dx="7" y="14">{5}</text></g>'
)


def row(labels: Iterable[tuple[str, str, str]]) -> str:
    """Return a picture of labels, each of (what, which, colour).

    >>> row([("license", "MIT", BLUE)]).count("<rect")
    2
    """
    drawn, at = [], 0.0
    for label, text, colour in labels:
        left, right = (7.2 * len(words) + 14 for words in (label, text))
        words = escape(label), escape(text)
        drawn.append(BADGE.format(at, left, at + left, right, *words, colour))
        at += left + right + GAP
    return ROW.format(at - GAP, "".join(drawn))
