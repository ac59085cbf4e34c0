"""IT service management: incidents, problems, changes and what they touch."""
