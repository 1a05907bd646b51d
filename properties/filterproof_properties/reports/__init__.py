"""What an audit found, for people and for machines; a report computes nothing."""
