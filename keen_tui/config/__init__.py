"""Settings and the folders under KEEN_HOME."""
