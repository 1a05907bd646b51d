"""Targets and claims to events and results, as data."""
