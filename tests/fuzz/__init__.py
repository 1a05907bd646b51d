"""Readers of what strangers write, under a coverage-guided fuzzer and its corpus."""
