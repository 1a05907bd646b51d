"""The error for uses of the filter that would break its accounting."""


class FilterMisuse(RuntimeError):
    """A use of the filter that would break its accounting."""
