"""The Gaussian figure, in floats: stopping times, survival, baselines; no verdict rests on it."""
