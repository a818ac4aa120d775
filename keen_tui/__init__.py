"""Keen TUI: a full-screen terminal dashboard for long tasks with a coding agent."""

__version__ = "0.1.0"
