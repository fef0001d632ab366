"""Storage of uploads and choices beyond a session: one SQLite file, accessed by secret links."""
