"""Why it holds: lemmas with controls, and an independent certificate checker."""
