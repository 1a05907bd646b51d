"""The pytest plugin; it imports nothing heavy, because pytest loads it in every run."""
