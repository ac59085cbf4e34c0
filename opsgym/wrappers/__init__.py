"""Wrappers around environments: failure injection, memory, planning, reflection and the like.  None is here yet."""
