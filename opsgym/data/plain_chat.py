"""Plain chat data: the two formats of EnterpriseBench's post-training (appendix A.1, listings 1 and 2).

They have no other keys than the listings, and no other roles than system, user and assistant.  What the listings have no place
for stands in the text: the rules and the tools on offer, as JSON Schemas, in front of the request, and what tools answer as a
message of the user.  :func:`~opsgym.data.trajectories.sft_example` and :func:`~opsgym.data.trajectories.preference_pairs` write
the same episodes with messages of role ``tool`` and with keys for tools and returns, which trainers with tool calling take.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import takewhile

from opsgym.core.task import JsonDict, canonical_json
from opsgym.data.trajectories import Step, Trajectory, better_and_worse, opening, said

__all__ = ["plain_preferences", "plain_sft"]


def plain_sft(trajectory: Trajectory, *, system: bool = True) -> JsonDict:
    """A trajectory in the form of listing 1: ``{"messages": [system, user, assistant, ...]}``.

    Users and the assistant take turns; the last message is the assistant's, so that what its last call answers is left out.

    Args:
        trajectory: The trajectory.
        system: Whether rules and tools are a system message, as in the listing, or the start of the first user message.

    Example:
        >>> import gymnasium as gym, opsgym
        >>> from opsgym.wrappers import RecordTrajectories
        >>> env = RecordTrajectories(gym.make("EnterpriseBench-v0", tier="easy", cache=None), path=None)
        >>> brief, info = env.reset(seed=7)
        >>> result = env.step('{"name": "submit", "arguments": {"answer": "hello"}}')
        >>> [message["role"] for message in plain_sft(env.last)["messages"]]
        ['system', 'user', 'assistant']
    """
    return {"messages": _dialogue(trajectory, len(trajectory.steps), system=system)}


def plain_preferences(trajectories: Iterable[Trajectory], *, system: bool = False) -> Iterator[JsonDict]:
    """Pairs in the form of listing 2: ``{"prompt": [..., user], "chosen": [assistant], "rejected": [assistant]}``.

    Better and worse episodes are paired as by :func:`~opsgym.data.trajectories.preference_pairs`.  What both did alike is in the
    prompt; chosen and rejected are the two actions where they part, one message each, so that no answer of a tool is trained on.

    Args:
        trajectories: The trajectories.
        system: Whether rules and tools are a system message, or the start of the first user message, as in the listing, which
            has none.  Who trains on both formats one after the other gives both the same.
    """
    for better, worse in better_and_worse(trajectories):
        heard = zip(map(_heard, better.steps), map(_heard, worse.steps), strict=False)
        alike = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], heard))
        if alike < min(len(better.steps), len(worse.steps)):
            chosen, rejected = better.steps[alike], worse.steps[alike]
            if said(chosen) != said(rejected):  # else the world answered the same action in two ways
                yield {
                    "prompt": _dialogue(better, alike, system=system, is_open=True),
                    "chosen": [_message("assistant", said(chosen))],
                    "rejected": [_message("assistant", said(rejected))],
                }


def _heard(step: Step) -> tuple[str, str]:
    return said(step), step.observation


def _dialogue(trajectory: Trajectory, steps: int, *, system: bool, is_open: bool = False) -> list[JsonDict]:
    """The first steps as a dialogue; an open one ends with what the last of them was answered."""
    policy, request = opening(trajectory)
    tools = ["# Tools", *map(canonical_json, trajectory.tools)] if trajectory.tools else []
    before = "\n\n".join(filter(None, (policy.strip(), "\n".join(tools))))
    if system and before:
        messages = [_message("system", before), _message("user", request)]
    else:
        messages = [_message("user", "\n\n".join(filter(None, (before, request))))]
    for step in trajectory.steps[:steps]:
        messages += [_message("assistant", said(step)), _message("user", step.observation)]
    return messages if is_open or not steps else messages[:-1]


def _message(role: str, content: str) -> JsonDict:
    return {"role": role, "content": content}
