"""What the real libraries do: findings, odd input, liveness, equivalence of an adapter."""
