"""Baselines: reference agents and training recipes for the environments.  None is here yet."""
