"""Lemmas that two solvers decide: their statements, the lemma runner, and the solvers."""
