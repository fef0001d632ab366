"""Version number of Foldwise."""

VERSION = "0.1.0"
