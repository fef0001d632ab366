"""Commands of the `foldwise` command line."""
