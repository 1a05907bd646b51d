"""Lemmas that two solvers decide: their statements, the ledger, and the solvers."""
