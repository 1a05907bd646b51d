"""What a filter is good for, exactly: expected rounds, optimum, thresholds, limits, operations."""
