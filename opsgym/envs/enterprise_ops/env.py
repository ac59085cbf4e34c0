"""EnterpriseOpsEnv: the environment behind ``EnterpriseOps-v0``, and its documentation page."""

from __future__ import annotations

from opsgym.envs.enterprise_ops.family import EnterpriseOpsFamily
from opsgym.envs.tool_env import ToolEnv
from opsgym.envs.vector import ToolSyncVectorEnv


class EnterpriseOpsEnv(ToolEnv):
    """Service work in enterprise systems: stateful, under a policy that binds, and sometimes to be refused.

    ## Description

    The agent acts for a person of a generated company, in one of seven systems or in two of them at once: IT service management,
    customer service, human resources, e-mail, calendar, drive, teams.  A request asks for work on records.  A policy says what
    may be done, by whom, in which order, and what has to follow; some of it binds although the request does not mention it.
    Some requests must be refused.

    A domain is declared once: tables, lifecycles, rights, rules and tools.  From that come the database, the tools, the policy
    text, the checks and the invariants of worlds, so that they cannot disagree.  A task comes from a template, which changes a
    generated world, words a request, and carries out a plan on the live world; the checks and the changes that are granted are
    made of what the plan changed.  The source is EnterpriseOps-Gym (ServiceNow): the tables, tools and their arguments have its
    names.  What is different here, and why, is on the page about differences from the release.

    ## Observation

    Text.  At reset the policy, for whom the agent acts, and the request; afterwards one line of JSON for every call of the last
    action: `{"tool": ..., "ok": true, "result": ...}` or `{"tool": ..., "ok": false, "error": {"code", "message", "hint"}}`.
    Lines that do not fit into `max_observation_chars` are cut, with a mark.

    ## Actions

    Text that holds one or more tool calls, such as `{"name": "find_incident_by_number", "arguments": {"number": "INC0000012"}}`;
    the forms are those of every environment here.  `info["tools"]` at reset holds the schemas of the tools on offer: those that
    the plan needs, and `distractors` others, those first whose names resemble needed ones.  In hybrid tasks names start with the
    system's: `csm.find_user`.  Three tools are always there:

    - `whoami` tells for whom the agent acts, in which role, and the time;
    - `submit(answer)` ends the episode: the work is done; some requests want an answer;
    - `refuse(reason_code, explanation)` ends it: the request cannot be met.  Reason codes: `no_permission`, `missing_record`,
      `ambiguous`, `policy_conflict`, `missing_tool`, `closed_period`.

    ## Enforcement

    `params={"enforcement": "permissive"}`: tools obey the schema alone, as in the release, and the verdict tells what broke the
    policy.  `"strict"`: a tool refuses what the policy forbids, with the rule's id, and shows a role only what it may see.

    ## Reward

    0 until the episode ends, then the fraction of the completion checks that hold; 0 where a rule or a right is broken
    (policy), or where something changed that the request does not grant (integrity).  A request that must be refused earns 1 for
    a refusal with the right reason and no change, else 0; a refusal of any other request earns 0.  That is
    `reward_mode="paper"`, the default; `"binary"` gives 1 for success and 0 otherwise, `"dense"` spreads the total over the
    steps.  At the end `info["verdict"]` lists every check.

    ## End of episode

    - Termination: the agent calls `submit` or `refuse`.
    - Truncation: `max_steps` steps (120) are used up.  The state is judged all the same, unless `grade_on_truncation=False`.

    ## Arguments

    `tier`, `pattern` (a template), `params` and `split` narrow the endless supply of generated tasks; `tasks` plays a pack, or
    published tasks that :func:`~opsgym.data.enterprise_ops_import.import_task` has read.  `disclosure="request"` leaves the
    policy out of the first observation; it is in `info["policy"]` in any case.  All other arguments are described at
    :class:`~opsgym.envs.tool_env.ToolEnv`; the options of `reset` at :meth:`~opsgym.envs.tool_env.ToolEnv.reset`.

    ## Tiers

    | tier | rows a system | records | facts that describe one | unsaid rules | traps | other tools |
    |---|---|---|---|---|---|---|
    | `"easy"` | 500 | 1 | 1 | 0 to 1 | none | 0 to 5 |
    | `"medium"` | 3,500 | 1 to 2 | 1 to 2 | 1 | 0 to 1 | 6 to 15 |
    | `"hard"` | 3,500 | 2 to 3 | 2 to 3 | 2 | 1 | 16 to 40 |
    | `"expert"` | 3,500 or 10,000 | 3 to 5 | 3 to 4 | 3 | 2 | all |

    The numbers of rules and traps are greatest numbers: not every template has so many.  In every tier half of the tasks are
    strict, half permissive, and one request in ten must be refused, unless `params` says otherwise.

    ## Example

    >>> import gymnasium as gym
    >>> import opsgym
    >>> env = gym.make("EnterpriseOps-v0", tier="easy", pattern="itsm_put_on_hold", cache=None)
    >>> brief, info = env.reset(seed=7)
    >>> observation, reward, terminated, truncated, info = env.step('{"name": "submit"}')
    >>> reward, terminated, info["is_success"]
    (0.0, True, False)
    """

    family = EnterpriseOpsFamily()


class EnterpriseOpsVectorEnv(ToolSyncVectorEnv):
    """A batch of :class:`EnterpriseOpsEnv`; what ``gymnasium.make_vec("EnterpriseOps-v0")`` makes."""

    env_type = EnterpriseOpsEnv
