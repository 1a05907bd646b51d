"""One module per sub-command: `add` declares it, `run` does it and returns the exit code."""
