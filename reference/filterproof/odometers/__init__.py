"""Odometers, one file per family: what each reports, why that is enough, or why it is not."""
