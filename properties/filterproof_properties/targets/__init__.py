"""What can be audited, by name, and how a filter of somebody else's is asked."""
