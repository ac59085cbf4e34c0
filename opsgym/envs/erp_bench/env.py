"""ERPBenchEnv: the environment behind ``ERPBench-v0``, and its documentation page."""

from __future__ import annotations

from opsgym.envs.erp_bench.coding.env import CodingEnv
from opsgym.envs.erp_bench.family import ErpBenchFamily
from opsgym.envs.vector import ToolSyncVectorEnv


class ERPBenchEnv(CodingEnv):
    """Procurement and production planning in an ERP, certified by CP-SAT.

    ## Description

    A planner at a manufacturer receives requests from several customers for a finished product, or for several.
    It decides where each unit comes from (stock, a purchase, in-house production) and books everything in the ERP: sales orders
    with a promised date, purchase orders at the vendors' offers with their lead times and quantity limits, manufacturing orders
    on work centers of limited capacity, and invoices where the policy demands them.  The books must satisfy every rule of the
    brief at the least cost (or another stated objective).

    Each task is compiled from one solved specification: a CP-SAT model proves the optimum, and the brief, the ERP's records, the
    reference solution and the verifier are all made from it.  The source is Anchor / ERP-Bench; what is different here,
    and why, is on the page about differences from the release.

    ## Observation

    Text.  At reset the brief; afterwards one line of JSON for every call of the last action:
    `{"tool": ..., "ok": true, "result": ...}` or `{"tool": ..., "ok": false, "error": {"code", "message", "hint"}}`.
    Lines that do not fit into `max_observation_chars` are cut, with a mark; lists come in pages.

    ## Actions

    Text that holds one or more tool calls, such as `{"name": "get_stock", "arguments": {"products": ["..."]}}`; OpenAI
    `tool_calls`, `<tool_call>` tags, fenced JSON and ReAct lines are read too.  `info["tools"]` at reset holds the schemas.
    Calls are carried out in order, each whole or not at all.  What goes wrong is answered in the observation and changes
    nothing.

    | harness | tools |
    |---|---|
    | `"tools"` (default) | about 40 business tools over products, partners, offers, orders, invoices and records |
    | `"api"` | `call(model, method, ...)`, the raw ERP API in the manner of Odoo 19, and `submit` |
    | `"coding"` | files, Python and a shell in a sandbox, whose programs reach the ERP over HTTP, and `submit` |

    ## Reward

    0 until the episode ends, then the verifier's judgement of the end state in [0, 1]: 25 % for the constraints, 60 % for
    optimality, which counts only once every constraint holds, and 15 % for traceability.  A state without relevant activity
    earns 0.  `reward_mode="binary"` gives 1 for success and 0 otherwise; `"dense"` spreads the same total over the steps.
    At the end `info["verdict"]` lists every check with what was expected and found, and `info["is_success"]` says whether
    the task is solved.

    ## End of episode

    - Termination: the agent calls `submit`.
    - Truncation: `max_steps` steps are used up.  The state is judged all the same, unless `grade_on_truncation=False`.

    ## Arguments

    `tier`, `pattern`, `params` and `split` narrow the endless supply of generated tasks; `tasks` plays a pack instead, without
    a solver.  `disclosure` says how much of the rules stands in the brief: `"full"`, `"brief"` (business words) or
    `"policy"` (rules must be looked up in the ERP).  `backend` plays on another ERP than the embedded one, such as a live
    Odoo; the page on backends says how.  All other arguments are described at
    :class:`~opsgym.envs.tool_env.ToolEnv`; the options of `reset` at :meth:`~opsgym.envs.tool_env.ToolEnv.reset`.

    ## Tiers

    | tier | requests | what is decided |
    |---|---|---|
    | `"easy"` | 3 to 5 | what to buy where and when; invoices; a cancelled purchase |
    | `"medium"` | 4 to 13 | make or buy: components, bills of materials, work centers; which requests to accept; repairs |
    | `"hard"` | 8 to 32 | the same on several levels, with fewer vendors, minutes or changes as the goal |
    | `"expert"` | 8 to 12 | repairs for 2 or 3 products that share components and work centers, whose minutes are dated |

    Without `tier` and `pattern` the tasks are of the paper's tiers, the first three; the fourth is our own and comes on request.

    ## Patterns

    The 29 patterns of the paper, with its names, and two of our own in tier `"expert"`; `opsgym info ERPBench-v0` lists
    them, and the documentation describes them.  `params={"style": "release"}` samples tasks as the paper does, for comparison;
    it knows the paper's patterns only.

    ## Example

    >>> import gymnasium as gym
    >>> import opsgym
    >>> env = gym.make("ERPBench-v0", tier="easy", cache=None)
    >>> brief, info = env.reset(seed=7)
    >>> observation, reward, terminated, truncated, info = env.step('{"name": "submit"}')
    >>> reward, terminated, info["is_success"]
    (0.0, True, False)
    """

    family = ErpBenchFamily()


class ERPBenchVectorEnv(ToolSyncVectorEnv):
    """A batch of :class:`ERPBenchEnv`; what ``gymnasium.make_vec("ERPBench-v0")`` makes."""

    env_type = ERPBenchEnv
