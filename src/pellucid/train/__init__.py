"""Training: models that learn from examples, the runs they leave, and how good they are."""
