"""Ratios against the specification and against raw numpy, growth, memory: one run, one table."""
