"""Parameters that no filter can have, refused with the rule and the value."""

from filterproof.exact import ExactError


class ParameterError(ExactError):
    """Filter parameters outside the range in which the filter's promise is made."""
