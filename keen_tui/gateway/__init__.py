"""The way to the models: the client, the worker process that holds litellm, the demo model."""
