"""Dialogs over the dashboard."""
