"""ACEBench-v0: fill hidden grid slots under slot and global rules; horizon H, decoy budget B (ACE-Bench)."""
