"""Filters written by someone who has not read the search, to measure the search with."""
