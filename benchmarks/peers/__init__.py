"""The same budget objects and edits, put to this tool, to Hypothesis and to CrossHair."""
