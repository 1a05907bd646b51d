"""Claims of papers that a finite game settles: docs/CLAIMS.md has the table."""
