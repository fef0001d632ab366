"""The version of Foldwise, written here and nowhere else."""

VERSION = "0.1.0"
