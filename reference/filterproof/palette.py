"""The usual mechanisms, under the name that filter authors import: see `game.palette`."""

from filterproof.game.palette import (
    BOTH,
    Rational,
    erasure,
    game,
    k_ary,
    lottery,
    one_sided,
    repeated,
    response,
    reveal,
    silent,
    table,
)

__all__ = [
    "BOTH",
    "Rational",
    "erasure",
    "game",
    "k_ary",
    "lottery",
    "one_sided",
    "repeated",
    "response",
    "reveal",
    "silent",
    "table",
]
