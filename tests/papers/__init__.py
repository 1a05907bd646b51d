"""Claims of papers that a finite game settles: docs/internals/CLAIMS.md has the table."""
