"""Tasks that play in two systems at once."""
