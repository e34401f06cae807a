"""The trace made visible: terminal, page, files."""
