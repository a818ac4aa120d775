"""One module per tool, and the registry."""
