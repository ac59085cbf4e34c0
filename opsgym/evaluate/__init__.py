"""Running policies over tasks, and the proofs that an environment keeps its promises."""
