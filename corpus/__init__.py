"""Wrong and sound filters that measure the search; nothing here is shipped."""
