"""One episode of ERPBench-v0: read the brief, look around, and see how the end state is judged.

Run with ``python examples/first_episode.py``.
"""

from __future__ import annotations

import json

import gymnasium as gym

import opsgym  # noqa: F401  # registers the ids


def call(name: str, **arguments: object) -> str:
    """A tool call as an agent writes it."""
    return json.dumps({"name": name, "arguments": arguments})


def main() -> None:
    """Play, and print what an agent would see."""
    env = gym.make("ERPBench-v0", tier="easy")
    brief, info = env.reset(seed=7)
    print(brief)
    print("\nTools:", ", ".join(schema["function"]["name"] for schema in info["tools"]))

    for action in (
        call("search_products", limit=2),
        call("get_stock"),  # an error: the observation says what was wrong, and nothing has changed
        call("submit"),
    ):
        observation, reward, terminated, truncated, info = env.step(action)
        print(f"\n> {action}\n{observation}")

    print(f"\nreward {reward:.2f}, terminated {terminated}, truncated {truncated}, solved {info['is_success']}")
    for check in info["verdict"]["checks"]:
        if check["status"] == "fail":
            print(f"  {check['rule']}: {check['message']}")
    env.close()


if __name__ == "__main__":
    main()
