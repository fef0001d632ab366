"""Storage of uploads, choices and parts of simulations beyond a session, in SQLite by secret links or in files."""
