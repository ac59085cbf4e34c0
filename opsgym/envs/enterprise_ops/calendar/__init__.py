"""Calendar: events, who may see and change them, and when people are free."""
