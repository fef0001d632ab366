"""Export of figures as PDF, SVG, PNG, TikZ and HTML without a browser, files of reports, and example files."""
