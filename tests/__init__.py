"""The tests; every claim has a failing twin."""
