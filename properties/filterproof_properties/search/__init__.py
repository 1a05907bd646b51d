"""The search for a game on which a filter breaks its promise."""
