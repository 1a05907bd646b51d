"""A target's source on unknown numbers: terms, paths, shapes of states, and the interpreter.

Nothing of a target is run: its source is interpreted (`interpreter`), on numbers of which only some
facts are known (`terms`), along every path that they leave open (`paths`).  Proofs stand on top of
it: `potential`, and whether code is never looser than a rule.
"""
