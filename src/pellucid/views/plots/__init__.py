"""Figures for slides and papers, drawn by Matplotlib; each function returns the figure."""
