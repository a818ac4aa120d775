"""The conversation as one line-API widget: blocks of data, rendered to cached lines."""
