"""Pages, and the programs that draw what they show."""
