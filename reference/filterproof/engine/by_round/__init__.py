"""Level by level: the same graph as arrays, valued in floats with a proved bound."""
