"""Branches of a target's code are put to a solver: which requests, after which others, take them.

The target's source is interpreted on requests of which only the names are known.  Each way through
it that takes a branch for the first time, or that runs more than the budget, becomes a game.
"""
