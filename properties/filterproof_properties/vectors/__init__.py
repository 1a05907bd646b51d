"""Test vectors that any language can read."""
