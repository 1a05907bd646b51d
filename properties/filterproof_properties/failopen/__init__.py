"""What budgets do with odd input: NaN, negative spends, crumbs, failures, threads."""
