"""What must hold of a filter, and the search for where it does not."""
