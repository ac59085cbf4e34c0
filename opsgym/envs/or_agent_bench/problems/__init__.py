"""Problem classes, a folder each; :mod:`opsgym.envs.or_agent_bench.catalogue` lists them."""
