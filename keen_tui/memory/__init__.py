"""What outlives a turn: memory files and project instructions."""
