"""Which lines of a target's own code were run: marks in its code, set in the target's process."""
