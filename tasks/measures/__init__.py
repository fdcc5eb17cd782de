"""One file per measure of a ranking."""
