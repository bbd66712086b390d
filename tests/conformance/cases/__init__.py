"""One file for each topic."""
