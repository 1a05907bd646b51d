"""What a game, a filter and an adversary are: the exact reference."""
