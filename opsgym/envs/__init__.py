"""Environments: the one that plays every family, and the families."""
