"""Text before the model."""
