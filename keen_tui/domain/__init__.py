"""What things are: tasks, turns, segments, events, the brief. No I/O and no third-party code but pydantic."""
