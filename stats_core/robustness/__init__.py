"""A second look: what would change it, stability, agreement, what other programs print."""
