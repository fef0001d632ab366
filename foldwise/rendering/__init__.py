"""Figures on paper: a Plotly figure in the print style is walked through, then painted."""
