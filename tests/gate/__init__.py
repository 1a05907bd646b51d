"""The gate of this project's own filters: none is looser than it was in the last release."""
