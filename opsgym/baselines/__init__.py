"""Baselines: reference agents for the environments, from one that does nothing to planners that ask a language model.

:func:`~opsgym.baselines.registry.make_policy` makes one by name.
"""
