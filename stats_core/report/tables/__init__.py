"""Tables of results, each defined once for page, report, CSV and LaTeX."""
