"""The tables of a comparison, each defined once for page, report, CSV and LaTeX."""
