"""One module per sub-command: `add` declares its options, `run` does it, returns the exit code."""
