"""Storage of uploads and choices beyond a session, in one SQLite file, accessed by secret links."""
