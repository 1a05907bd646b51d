"""Every option, once; what an audit is told, and what pyproject.toml says about it."""
