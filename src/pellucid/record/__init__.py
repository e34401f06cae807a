"""The trace: what was noted, what follows from it, and whether it is true."""
