CREATE TABLE IF NOT EXISTS workspaces (
    link TEXT PRIMARY KEY, view TEXT UNIQUE NOT NULL, owner TEXT NOT NULL, name TEXT NOT NULL,
    used REAL NOT NULL, size INTEGER NOT NULL, files TEXT NOT NULL, choices TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS contents (
    link TEXT NOT NULL REFERENCES workspaces ON DELETE CASCADE, digest TEXT NOT NULL,
    content BLOB NOT NULL, PRIMARY KEY (link, digest)
);
CREATE TABLE IF NOT EXISTS chunks (
    link TEXT NOT NULL REFERENCES workspaces ON DELETE CASCADE, simulation TEXT NOT NULL,
    number INTEGER NOT NULL, content BLOB NOT NULL, PRIMARY KEY (link, simulation, number)
);
-- hashes of the links of deleted workspaces, and why and when they were deleted
CREATE TABLE IF NOT EXISTS deleted (digest TEXT PRIMARY KEY, why TEXT NOT NULL, at REAL NOT NULL);
-- workspaces to be deleted soon, and since when this is known
CREATE TABLE IF NOT EXISTS due (
    link TEXT PRIMARY KEY REFERENCES workspaces ON DELETE CASCADE, since REAL NOT NULL
);
CREATE INDEX IF NOT EXISTS by_owner ON workspaces (owner, used);
