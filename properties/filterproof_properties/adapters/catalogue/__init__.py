"""One entry per adapter: filters and odometers."""
