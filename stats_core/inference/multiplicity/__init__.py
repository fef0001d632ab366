"""Multiple comparisons: adjusted p-values, groups without significant differences, sign tests of wins."""
