"""What papers state besides; and claims that a finite game settles (docs/internals/CLAIMS.md)."""
