"""Export of Plotly figures in the print style to vector and bitmap files."""
