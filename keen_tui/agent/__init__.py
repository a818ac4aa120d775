"""The engine: task session, turn loop, prompt, approvals. No screen and no litellm."""
