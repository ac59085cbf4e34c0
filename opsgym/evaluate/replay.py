"""Replay: one hash over everything that an agent sees and a world becomes, to compare between processes.

Run as ``python -m opsgym.evaluate.replay replay ENTRY_POINT PACK`` it prints the hash of each task of a pack, a line each.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable

from opsgym.baselines.policy import Policy
from opsgym.baselines.scripted import Oracle, RandomValid
from opsgym.core.task import Task, canonical_json, content_hash
from opsgym.data.packs import open_pack
from opsgym.envs.tool_env import ToolEnv
from opsgym.evaluate.entry_points import load_env

TURNS = 60
"""Turns of the random episode that goes into the hash."""


def replay_digest(env: ToolEnv, task: Task) -> str:
    """SHA-256 of the observations, rewards, infos and end worlds of the oracle's and of a random policy's episode."""
    content = hashlib.sha256()
    policies: tuple[Policy, ...] = (Oracle(), RandomValid(seed=1))
    for policy in policies:
        observation, info = env.reset(seed=0, options={"task": task})
        policy.begin(env, observation, info)
        content.update(canonical_json([observation, info]).encode())
        ended, turns = False, 0
        while not ended and turns < max(TURNS, len(task.oracle)):
            step = env.step(policy.act(observation))
            observation, ended, turns = step[0], step[2] or step[3], turns + 1
            content.update(canonical_json(step).encode())
        content.update(env.world.digest().encode())
    return content.hexdigest()


def compiled_hash(env: ToolEnv, task: Task) -> str:
    """Hash of what the compiler makes of the task's parameters and seed, here and now."""
    params = env.family.params_type.build(task.params)
    return content_hash(env.family.compile(params, task.seed).to_json())


HASHES: dict[str, Callable[[ToolEnv, Task], str]] = {"replay": replay_digest, "compile": compiled_hash}
"""What can be compared between processes."""


def main(what: str, entry_point: str, path: str) -> None:
    """Print one of :data:`HASHES` for every task of a pack."""
    env = load_env(entry_point, cache=None)
    for task in open_pack(path, family=env.family.id):
        print(HASHES[what](env, task), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
