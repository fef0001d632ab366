"""Uploads and choices that outlive a session: one SQLite file, links that nobody guesses."""
