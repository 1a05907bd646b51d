"""Ordinary budget classes, wrong and sound, and what shows it: the fifth blind set."""
