"""Mutants of the rooms that nothing proves: do their tests notice?"""
