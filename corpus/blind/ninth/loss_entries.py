"""What is wrong with the filters of the ninth set that look at losses, and what shows it."""

from fractions import Fraction

from corpus.blind.base import Wrong
from corpus.blind.ninth import losses
from corpus.blind.ninth.base import SILENT, TELLS
from corpus.blind.ninth.ledger_entries import entry
from corpus.blind.sixth.base import (
    TENTH,
    TWO,
    ZERO,
    F,
    answering,
    chain,
    erasing,
    law,
    leaking,
    play,
)
from filterproof.exact import Log
from filterproof.game import Game


def rare(p: Fraction, q: Fraction) -> dict[str, tuple[Fraction | int, ...]]:
    """Return a law of one rare output, with these probabilities."""
    return {"!": (p, q), "?": (1 - p, 1 - q)}


def error_game() -> Game:
    fails = {"!": (TENTH, 0), "error": (1 - TENTH, 1)}
    return play(chain(fails, fails))


def apart() -> Game:
    """Return a game in which a loss for (a, b) makes all forgotten, and a is told from c."""
    first = {"!": (TENTH, F(1, 10**4), TENTH), "?": (1 - TENTH, 1 - F(1, 10**4), 1 - TENTH)}
    told = law({"a": (1, 1, 0), "c": (0, 0, 1)}, "abc")
    risky = law({"a": (TENTH, TENTH, 0), "?": (1 - TENTH, 1 - TENTH, 1)}, "abc")
    return play({"first": law(first, "abc", {"!": {"ask": told}, "?": {"ask": risky}})}, "ab ac")


def three_apart() -> Game:
    """Return a game in which b and c are told apart where a and d are the likeliest."""
    half, less = F(1, 2), F(2, 5)
    first = {"!": (half, less, less, half), "?": (half, 1 - less, 1 - less, half)}
    told = law({"b": (half, 1, 0, half), "c": (half, 0, 1, half)}, "abcd")
    return play({"first": law(first, "abcd", {"!": {"ask": told}})}, "ad bc")


def uneven() -> Game:
    """Return a game in which what speaks for 1 comes before what reveals 0."""
    first = {"0": (F(1, 5), F(3, 25)), "1": (F(4, 5), F(22, 25))}
    return play(chain(first, leaking(F(2, 5))))


def improbable() -> Game:
    first = {"!": (F(1, 25), F(24, 25)), "?": (F(24, 25), F(1, 25))}
    return play(chain(first, leaking(F(1, 2))))


EIGHT: dict[str, tuple[Fraction | int, ...]] = {str(i): (F(1, 8), F(1, 8)) for i in range(8)}
WRONG: dict[str, Wrong] = {
    "charged-when-ahead": entry(
        losses.ChargedWhenAhead,
        "what comes after an output that speaks for x' can still tell x",
        "medium",
        uneven,
    ),
    "own-books": entry(
        losses.OwnBooks,
        "each of the two theorems has all of delta",
        "easy",
        lambda: play(chain(*[erasing(TENTH)] * 2)),
    ),
    "half-back": entry(
        losses.HalfBack,
        "that it told nothing was not known before",
        "easy",
        lambda: play(chain(erasing(TENTH), erasing(F(1, 20)))),
    ),
    "errors-are-free": entry(
        losses.ErrorsAreFree,
        "a request that may fail may also tell",
        "hard",
        error_game,
    ),
    "first-output": entry(
        losses.FirstOutput,
        "the other outputs may differ",
        "medium",
        lambda: play(chain({"?": (F(1, 2), F(1, 2)), "0": (F(1, 2), 0), "1": (0, F(1, 2))})),
    ),
    "one-direction": entry(
        losses.OneDirection,
        "the relation is symmetric, a law is not",
        "easy",
        lambda: play(chain({"!": (0, F(1, 2)), "?": (1, F(1, 2))})),
    ),
    "likeliest-only": entry(
        losses.LikeliestOnly,
        "the pairs of the others must be kept apart, too",
        "medium",
        three_apart,
    ),
    "five-percent": entry(
        losses.FivePercent,
        "four percent are more than delta",
        "hard",
        improbable,
        (Log(F(64)), F(1, 100)),
    ),
    "losses-since": entry(
        losses.LossesSince,
        "the losses of the first phase add to those of the second",
        "medium",
        lambda: play(chain(answering(F(2, 3)), answering(F(2, 3)))),
        (TWO, ZERO),
    ),
    "charges-then-sums": entry(
        losses.ChargesThenSums,
        "basic composition needs the rounds before",
        "medium",
        lambda: play(chain(answering(F(2, 3)), answering(F(2, 3)))),
        (TWO, ZERO),
    ),
    "nothing-to-lose": entry(
        losses.NothingToLose,
        "another pair has much to lose",
        "hard",
        apart,
    ),
    "rare-doubles": entry(
        losses.RareDoubles,
        "where all outputs are rare the budget doubles for sure",
        "medium",
        lambda: play(chain(EIGHT, erasing(F(1, 5)))),
    ),
    "signed": entry(
        losses.Signed,
        "what speaks for 1 is a loss of the pair (1, 0)",
        "easy",
        lambda: play(chain(*[answering(F(2, 3))] * 3)),
        (TWO, ZERO),
    ),
    "average-pair": entry(
        losses.AveragePair,
        "one pair may pay for all",
        "easy",
        lambda: play(chain(leaking(F(1, 5)))),
    ),
    "no-news": entry(
        losses.NoNews,
        "the third round may be another one",
        "medium",
        lambda: play(chain(SILENT, SILENT, TELLS)),
    ),
    "mean-for-worst": entry(
        losses.MeanForWorst,
        "the mean of the loss says nothing of its tail",
        "medium",
        lambda: play(chain(rare(F(1, 8), F(1, 8 * 10**5)))),
        (F(8), TENTH),
    ),
    "common-logarithm": entry(
        losses.CommonLogarithm,
        "the theorem has the natural logarithm",
        "hard",
        lambda: play(chain(*[answering(F(101, 200))] * 120)),
        (F(1), F(1, 10**9)),
    ),
    "different-requests": entry(
        losses.DifferentRequests,
        "the same request again is one more round",
        "medium",
        lambda: play(chain(*[answering(F(7, 12))] * 10)),
        (F(1), TENTH),
    ),
}
