"""Curricula: samplers of difficulty parameters that follow an agent's progress.  None is here yet."""
