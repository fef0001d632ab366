"""Components of the web app; only this package, the pages and app.py draw widgets."""
