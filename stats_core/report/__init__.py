"""Export of a comparison as text, HTML, LaTeX, JSON and Python script."""
