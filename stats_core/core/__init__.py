"""What every room uses: errors, checks, numbers, words, outcomes."""
