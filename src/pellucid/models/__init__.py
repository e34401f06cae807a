"""Models: the layers put together, and the families whose weights they can take."""
