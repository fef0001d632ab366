"""Version number of Foldwise."""

VERSION = "0.2.0"
