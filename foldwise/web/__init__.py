"""Components of the web app; only this package and the pages draw widgets."""
