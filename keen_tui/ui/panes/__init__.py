"""The panes beside the conversation."""
