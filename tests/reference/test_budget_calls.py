"""The words that name a budget object: what is accepted, what is said of the rest."""

import re

import pytest

from filterproof.budget_calls import (
    BudgetCalls,
    CallError,
    command_words,
    from_table,
    read_words,
    to_table,
)

FULL = BudgetCalls(
    spend=("spend(epsilon, who=analyst, key=table)", "spend_rho(rho, analyst, table)"),
    open="tests.helpers:budget(epsilon, delta)",
    check="can(epsilon)",
    refusal="Empty",
    granted="result['ok'] and not result.get('error')",
    fails="refund(epsilon)",
    between=True,
    part="table",
    free=("analyst=a,b",),
    clock="time.time",
    instances=2,
)


@pytest.mark.parametrize(
    "calls", [FULL, BudgetCalls(("spend",)), BudgetCalls(("f(rdp)",), currency="rdp:2,5/2")]
)
def test_words_and_tables_lead_back_to_the_calls(calls: BudgetCalls) -> None:
    assert read_words(command_words(calls)) == calls
    assert from_table(to_table(calls)) == calls


def test_two_different_calls_are_spelled_differently() -> None:
    assert command_words(FULL) != command_words(
        BudgetCalls(FULL.spend, free=FULL.free, part=FULL.part)
    )


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--spend 'spend(epsilom)'", "no 'epsilom' here; did you mean epsilon?"),
        ("--spend 'spend + 1'", "need NAME or NAME(...)"),
        ("--spend spend --curency pure", "did you mean --currency?"),
        ("--spend spend --currency zdcp", "did you mean zcdp?"),
        ("--spend spend --currency rdp", "rdp needs its orders"),
        ("--spend spend --currency rdp:1,2", "all above 1"),
        ("--spend spend --currency count:0", "count needs how many"),
        ("--spend spend --currency pure:3", "nothing after a colon"),
        ("--spend 'spend(epsilon)' --currency approx", "is a call in pure"),
        ("--spend spend --open epsilon", "need arguments in brackets"),
        ("--spend spend --open '(epsilom)'", "did you mean epsilon?"),
        ("--spend spend --granted 'answer.ok'", "no 'answer' here"),
        ("--spend spend --granted 'result.'", "need a Python expression"),
        ("--spend spend --between", "--between needs --check"),
        ("--spend spend --instances 0", "at least 1"),
        ("--spend spend --instances two", "must be a whole number"),
        ("--spend 'spend(epsilon)' --free analyst=a,b", "no call uses 'analyst'"),
        ("--spend spend --free analyst", "need NAME=a,b"),
        ("--check check", "spend"),
        ("--spend", "--spend needs a value"),
        ("spend", "no option spend; did you mean --spend?"),
    ],
)
def test_what_cannot_be_read_is_named_with_what_is_near(words: str, said: str) -> None:
    with pytest.raises(CallError, match=re.escape(said)):
        read_words(words)


@pytest.mark.parametrize(
    ("call", "kind"),
    [
        ("spend(epsilon, delta)", "approx"),
        ("spend(Decimal(epsilon))", "pure"),
        ("spend(ceil(rho * 10**6))", "zcdp"),
        ("spend(mu)", "gdp"),
        ("spend(rdp)", "rdp"),
        ("ask()", "count"),
    ],
)
def test_a_call_says_its_currency_by_the_names_it_uses(call: str, kind: str) -> None:
    assert BudgetCalls((call,)).kind(call) == kind


@pytest.mark.parametrize("words", ["--spend 'spend", "--spend " + '{"a":' * 3000, "--spend \\"])
def test_words_that_cannot_be_read_are_named(words: str) -> None:
    with pytest.raises(CallError):
        read_words(words)
