"""Tests of what stands in proofs/."""
