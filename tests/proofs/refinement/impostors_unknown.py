"""Budget classes that are wrong where an interpreter does not know what something is."""

UNKNOWN: dict[str, dict[str, str]] = {
    "list as a key": {
        "body": """\
if self.n == 5000:
    try:
        {self.log: 1}
    except TypeError:
        free = True
self.log.append(epsilon)
total = sum(self.log)
""",
        "init": "self.log = []",
    },
    "list matched": {
        "body": """\
match self.log:
    case [*_] if self.n == 5000: free = True
self.log.append(epsilon)
total = sum(self.log)
""",
        "init": "self.log = []",
    },
    "nothing known is None": {
        "body": "free = self.n == 5000 and UNKNOWN is None",
        "pre": "from doctest import master as UNKNOWN",
    },
    "nothing known matched": {
        "body": """\
match UNKNOWN:
    case None: free = self.n == 5000
""",
        "pre": "from doctest import master as UNKNOWN",
    },
    "nothing known called": {
        "body": "free = self.n == 5000 and callable(UNKNOWN)",
        "pre": "from doctest import testmod as UNKNOWN",
    },
    "a module that is changed on the way": {
        "body": "free = self.n == 5000 and FREE",
        "pre": """\
import builtins
FREE = False
X = builtins.exec("FREE = True")
""",
    },
}
