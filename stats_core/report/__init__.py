"""Text, HTML, LaTeX, JSON and script of a comparison."""
