"""ORAgentBench-v0: agents that write and run optimisation programs, judged by hidden validators."""
