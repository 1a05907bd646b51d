"""Survivors of `targets/`, and why each is no fault."""

from tests.mutation.survivors.words import NUMBERED, SHOWN, STRICT, TASTE, Reasons

TARGETS: Reasons = {
    ("attribute.py", "if spec is None or spec.loader is None:"): {
        "spec is None or spec.loader is None -> spec is None and spec.loader is None": (
            "a file whose name ends in .py has both; only the types say that it might not"
        )
    },
    (
        "guard.py",
        "if link is None or until is None or (before is not None and before <= until):",
    ): {"before <= until -> before < until": "the same end is set once more, and taken back"},
    (
        "link.py",
        'said = f"its answer is no JSON object ({quoted(error, 120)}): {line[:120]!r}"',
    ): {"120 -> 121": SHOWN},
    ("link.py", "MOST_SIGNS = 64"): TASTE,
    ("link.py", "self.done = 0 # how many parts of its answer the first of them has got"): (
        "the first question sets it before anybody looks"
    ),
    ("messages.py", "lower, upper = exp_enclosure(epsilon, 64)"): (
        "one bit more: any enclosure of e^ε is one"
    ),
    ("messages.py", '"neighbours": [[x, x_] for x, x_ in game.pairs if (x_, x) > (x, x_)],'): (
        "x and x' differ, and either order names the pair"
    ),
    (
        "messages.py",
        '"after": {y: m.id for y, m in zip(mechanism.after, children(mechanism), strict=True)},',
    ): STRICT,
    ("remote.py", "GAMES, MENUS = 500, 20_000"): TASTE,
    ("remote.py", "MOST_STATES = 20_000"): TASTE,
    ("remote.py", "self.filters += 1"): NUMBERED,
    ("reporting.py", "MANY = 512"): TASTE,
    ("reporting.py", "self.known |= zip(some, map(read, texts), strict=True)"): {
        "True -> False": STRICT
    },
    (
        "server.py",
        "def __init__(self, loading: Callable[[], Any], printed: Callable[[], int] = "
        "lambda: 0) -> None:",
    ): "who prints nothing has printed as much as before, whatever the number",
    (
        "server.py",
        'sys.stdout = open(1, "w", buffering=1, encoding="utf-8", closefd=False) # noqa: SIM115',
    ): {"False -> True": "nothing closes it before the process ends"},
    ("server.py", "server = Server(loading, partial(os.lseek, 1, 0, os.SEEK_END))"): {
        "0 -> 1": "one byte behind the end: what is compared is whether it has moved"
    },
    ("transcript.py", "GAMES = 2000"): TASTE,
    ("transcript.py", "OFTEN = 500"): TASTE,
    ("transcript.py", "self.filters = self.games = 0"): NUMBERED,
    ("transcript.py", "self.filters += 1"): NUMBERED,
    ("transcript.py", "self.games += 1"): NUMBERED,
    ("walk.py", "MOST_QUESTIONS = 2000"): TASTE,
    ("walk.py", "elif run[0]:"): "the two are the same there",
    ("walk.py", "for at, *answers in zip(some, *told, strict=True):"): {"True -> False": STRICT},
    ("walk.py", "for rule, (decision, state) in zip(rules, answers, strict=True)"): {
        "True -> False": STRICT
    },
}
