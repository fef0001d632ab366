"""The commands of `foldwise`."""
