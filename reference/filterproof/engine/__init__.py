"""The parts of `fast`: explore a game once, value it for every pair, write the worst case down."""
