"""Budget classes as people have them at work, wrong and sound: the eighth blind set."""
