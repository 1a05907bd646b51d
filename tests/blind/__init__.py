"""Filters written by people who had not seen the search, to measure it with."""
