"""Where tasks are kept: the database, the transcript, the task lock."""
