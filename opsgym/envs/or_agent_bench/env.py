"""ORAgentBenchEnv: the environment behind ``ORAgentBench-v0``, and its documentation page."""

from __future__ import annotations

from typing import Any, cast

from opsgym.core.task import Task
from opsgym.envs.cache import Lru
from opsgym.envs.or_agent_bench.family import OrAgentBenchFamily
from opsgym.envs.or_agent_bench.skills import SKILLS, mounted
from opsgym.envs.tool_env import ToolEnv, _Template, known_name
from opsgym.envs.vector import ToolSyncVectorEnv

_SKILLED: Lru[_Template] = Lru(64)


class ORAgentBenchEnv(ToolEnv):
    """Operations research end to end: messy files in, a program written, its decision judged by a hidden validator.

    ## Description

    The agent finds a working folder with a brief, notes, data files in several formats and a schema.  It works out what is to be
    decided and under which rules, writes a Python program, tries it in a sandbox, and submits.  The program is then run afresh
    under a time limit, and the decision that it leaves is judged: form, every rule, and the objective against a reference plan
    and a proven bound.  Every task is compiled with its reference, and a validator that was written apart from the model.

    The source is ORAgentBench, whose code is not public; classes, data and texts are our own.

    ## Observation

    Text: at reset how to work (what is to be decided stands in the files); afterwards one line of JSON for every call of the last
    action: `{"tool": ..., "ok": true, "result": ...}` or `{"tool": ..., "ok": false, "error": {"code", "message", "hint"}}`.

    ## Actions

    Text that holds tool calls; `info["tools"]` at reset holds their schemas.

    | tool | what it does |
    |---|---|
    | `list_files`, `read_file`, `search_files` | look at the working folder |
    | `write_file`, `edit_file`, `delete_file` | change it; the files of the task are read-only |
    | `run_python`, `run_command` | run something in the sandbox: no network, no view of the host, limits |
    | `check_submission` | checks the form of `submission.json`, not the rules |
    | `close_period` | in tasks with several periods: runs the program; if its plan is accepted, the next period opens |
    | `submit` | runs the program for the last time and ends the episode |

    ## Reward

    0 until the episode ends, then the verdict on what was handed in.  Without a `submit` nothing was.

    | `reward_mode` | reward at the end |
    |---|---|
    | `"pass"` (default) | 1 when all rules hold and the quality is at least one half |
    | `"quality"` | the quality, in [0, 1]; 0 when a rule is broken |
    | `"harbor"` | the mean of feasibility and quality |
    | `"dense"` | a quarter for periods whose plan keeps all rules, the rest for quality, spread over the steps |

    The quality is one half at the reference and 1 at the bound; where the reference is as good as proven optimal, it is 1 there
    and
    one half at the accepted gap (5 % at level 0 of `strategy`, 1 % at level 3).  `info["verdict"]` lists every rule with the
    violated items.

    ## End of episode

    - Termination: `submit`.
    - Truncation: `max_steps` steps are used up (200).

    ## Arguments

    `tier`, `pattern`, `params` and `split` narrow the endless supply of generated tasks; `tasks` plays a pack instead.
    The pattern is the problem class.  `skills` mounts notes on methods in the folder `skills/`: `"none"` (default), `"base"` or
    `"expert"`.  All other arguments are described at :class:`~opsgym.envs.tool_env.ToolEnv`; the options of `reset` at
    :meth:`~opsgym.envs.tool_env.ToolEnv.reset`.

    ## Tiers

    Six dimensions, each from 0 to 3, make a task hard: solving strategy, formulation structure, constraint coupling, dynamic
    structure, data scale and problem understanding.  The tier is a range of their sum.

    | tier | levels drawn | sum |
    |---|---|---|
    | `"easy"` | 0 and 1 | 0 to 5 |
    | `"medium"` | 1 and 2 | 6 to 11 |
    | `"hard"` | 2 and 3 | 12 to 18 |

    At level 3 of `dynamics` classes that have a rolling form are played in it: three periods, of which the later ones reveal
    events; what is frozen may not be changed, and changes cost.  A period that breaks a rule fails the task.

    ## Example

    >>> import gymnasium as gym
    >>> import opsgym
    >>> env = gym.make("ORAgentBench-v0", tier="easy", pattern="machine_setups", cache=None)
    >>> brief, info = env.reset(seed=7)
    >>> observation, reward, terminated, truncated, info = env.step('{"name": "submit"}')
    >>> reward, terminated, info["is_success"]
    (0.0, True, False)
    """

    family = OrAgentBenchFamily()

    def __init__(self, *, skills: str = SKILLS[0], **arguments: Any) -> None:
        super().__init__(**arguments)
        self._arguments |= {"skills": skills}
        self.skills = known_name("skills", skills, SKILLS)

    def _template(self, task: Task) -> _Template:
        """The seeded world, with the notes on methods."""
        plain = super()._template(task)
        if self.skills == SKILLS[0]:
            return plain
        return _SKILLED.get(
            (task.id, self.skills), lambda: _Template(mounted(cast(Any, plain.snapshot), self.skills), plain.baseline)
        )


class ORAgentBenchVectorEnv(ToolSyncVectorEnv):
    """A batch of :class:`ORAgentBenchEnv`; what ``gymnasium.make_vec("ORAgentBench-v0")`` makes."""

    env_type = ORAgentBenchEnv
