"""The kinds of comparison, one file each."""
