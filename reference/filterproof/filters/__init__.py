"""Exact filters, one file per family."""
