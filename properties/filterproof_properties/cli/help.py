"""`filterproof help TOPIC`: the pages for users, in the terminal."""

import argparse
import sys
from difflib import get_close_matches
from pathlib import Path

from filterproof_properties.reports.terminal import console
from filterproof_properties.targets.target import TargetError

EPILOG = """\
examples:
  filterproof help
  filterproof help ledger
  filterproof help gate"""

TOPICS = {
    "ledger": ("LEDGERS", "audit the budget class you already have"),
    "counterexample": ("COUNTEREXAMPLE", "understand what a violation says"),
    "prove": ("PROVE", "prove that your code keeps its promise"),
    "gate": ("CI", "let no change through that spends more"),
    "filter": ("WRITING", "write a filter of your own"),
    "hypothesis": ("internals/HYPOTHESIS", "test a filter in your own tests"),
    "choose": ("UTILITY", "choose a filter"),
    "production": ("RUNTIME", "run a budget in production"),
    "findings": ("FINDINGS", "what real libraries do"),
    "verdicts": ("THREATS", "what a verdict rests on"),
    "commands": ("COMMANDS", "every command and option"),
    "glossary": ("GLOSSARY", "look up a word"),
    "protocol": ("internals/PROTOCOL", "filters and budget services in other languages"),
}
"""A word for each page: its file below docs/, and what one reads it for."""

INSTALLED = Path(__file__).parents[1] / "pages"
CHECKOUT = Path(__file__).parents[3] / "docs"


def add(made: argparse.ArgumentParser) -> None:
    """Declare the topic."""
    made.add_argument("topic", nargs="?", default="", metavar="TOPIC", help="which page to show")


def run(options: argparse.Namespace) -> int:
    """Print a page, or the list of pages."""
    text = page(options.topic) if options.topic else contents()
    shown = console()
    if shown.is_terminal and options.topic:
        from rich.markdown import Markdown

        shown.print(Markdown(text))
    else:
        sys.stdout.write(text)
    return 0


def contents() -> str:
    """Return the topics, one per line, with what their pages are for."""
    width = max(map(len, TOPICS))
    lines = [f"  {topic:{width}}  {says}" for topic, (_, says) in TOPICS.items()]
    return "filterproof help TOPIC shows a page:\n" + "\n".join(lines) + "\n"


def page(topic: str) -> str:
    """Return the Markdown of a topic's page: from the installation, or from the checkout."""
    if topic not in TOPICS:
        near = get_close_matches(topic, TOPICS, 1)
        raise TargetError(f"no topic {topic!r}" + (f"; did you mean {near[0]!r}?" if near else ""))
    name = f"{TOPICS[topic][0]}.md"
    place = INSTALLED if INSTALLED.is_dir() else CHECKOUT
    return (place / name).read_text(encoding="utf-8")
