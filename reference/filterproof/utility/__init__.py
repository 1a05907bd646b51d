"""What a filter is good for, exactly: expected rounds, and the optimum."""
