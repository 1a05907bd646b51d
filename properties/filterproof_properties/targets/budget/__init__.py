"""Budget objects as they are: made, asked and watched by the names of their calls."""
