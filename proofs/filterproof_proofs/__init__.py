"""Why it holds: lemmas (`smt`), theorems (`coq`), and an independent certificate checker."""
