"""Texts of strangers, made fit to be printed: one line, no control characters, not too long."""

MOST = 500


def quoted(text: object, most: int = MOST) -> str:
    r"""Return a text in which nothing can forge a line, move the cursor or command a terminal.

    >>> quoted("fine\n::error::really \x1b[2J")
    'fine\\n::error::really \\x1b[2J'
    """
    try:
        raw = str(text)
    except BaseException as error:  # its own text raises
        return f"a {type(text).__name__} whose text raises {type(error).__name__}"
    cut = raw if len(raw) <= most else raw[: most - 3] + "..."
    return "".join(one if one.isprintable() else ascii(one)[1:-1] for one in cut)
