"""From an analysis to figures, and to files for a paper: what pages and command line share."""
