"""Guards between the person and the model: untrusted text, secrets, paths, shell commands."""
