"""The process that makes given calls on a budget object: `player.main`, started isolated."""

from filterproof_properties.targets.budget import player


def main(arguments: list[str]) -> int:
    """Answer lines of calls about the object that the first argument names."""
    return player.main(arguments[0])
