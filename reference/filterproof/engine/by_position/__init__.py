"""Position by position: the graph of a game against one filter, valued in integers."""
