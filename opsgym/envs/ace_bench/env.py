"""ACEBenchEnv: the environment behind ``ACEBench-v0``, and its documentation page."""

from __future__ import annotations

from typing import Any, SupportsInt

from opsgym.core.errors import TaskError
from opsgym.envs.ace_bench.discrete import CHOICES, SLOTS, DiscreteView
from opsgym.envs.ace_bench.family import AceBenchFamily
from opsgym.envs.ace_bench.rules import Bools
from opsgym.envs.tool_env import ToolEnv, known_name
from opsgym.envs.vector import ToolSyncVectorEnv

INTERFACES = ("text", "discrete")
"""Forms of observation and action; the first is the default."""


class ACEBenchEnv(ToolEnv):
    """Grid planning with a horizon and decoys, certified to have one completion.

    ## Description

    A grid is partly filled: courses in a timetable, dishes in a week's menu, parts of a fleet of computers.  The agent fills
    the hidden slots, each from its own list of candidates, so that every slot keeps its own rules and the grid keeps the
    global ones (sums, counts, repetitions, neighbours, precedence, pairs that exclude each other; over the grid, a row, a
    column or two cells).  Candidates are looked up with queries, and what a query returns is charged to a budget.

    Two numbers control a task.  H, the hidden slots, is the horizon: how much must be looked up and fixed.  B, the decoy
    budget, is the number of candidates that keep the slot's rules and are wrong all the same: how much must be searched.
    Exactly one completion keeps all rules.  Every generated task is certified by an exact count, and `opsgym validate`
    repeats the count with CP-SAT.  The source is ACE-Bench; what is different here, and why, is on the page
    about differences from its release.

    | domain | what the grid plans |
    |---|---|
    | `course`, `meal`, `workforce` | a timetable, a menu, a roster |
    | `shopping`, `travel`, `pc_build` | a shopping list, a journey, a fleet of computers |

    ## Observation

    With `interface="text"` (default) text: at reset the brief with the grid, the attributes and all rules; afterwards one
    line of JSON for every call of the last action: `{"tool": ..., "ok": true, "result": ...}` or
    `{"tool": ..., "ok": false, "error": {"code", "message", "hint"}}`.

    With `interface="discrete"` a `Box` of numbers in [0, 1], of the same size for every task.  For each slot and each of its
    candidates that keep the slot rules: whether it is on offer, whether it is held, and what would become of the global
    rules if it were chosen (the share of them that no filling of the empty slots could keep, and by how much they are
    missed); then six numbers on the grid as it stands, the checks and the turns left.  `info["text"]` holds the text.

    ## Actions

    With `interface="text"` text that holds one or more of the eleven tool calls; `info["tools"]` at reset holds their schemas.
    Five of them carry the domain in their name (here `course`).  Calls are carried out in order, each whole or not at all.

    | tool | what it does | costs |
    |---|---|---|
    | `set_slot` | puts a candidate into a slot, or clears it | |
    | `query_course_candidate_from_attribute` | candidates of a slot that meet a condition | a reading each, at least one |
    | `check_course_slot_constraints` | checks one slot | a reading |
    | `check_course_global_constraints` | checks the full grid | a global check |
    | `get_current_grid_state`, `get_slot_id` | what the grid holds | |
    | `get_course_item_info`, `get_course_item_attributes` | attributes of items that were there at the start | |
    | `get_hidden_slot_query_budget`, `get_global_check_budget` | what is left | |
    | `done` | ends the episode | |

    With `interface="discrete"` an integer: slot times `max_choices` plus choice, then the global check, then `done`.
    `action_masks()` says which can be taken; a wrong one is refused and costs the step.  Readings are not charged here: the
    observation holds what they would tell.  Text and tool calls are read too, so scripted policies work.

    ## Reward

    0 until the episode ends, then the verdict on the grid as it stands, whether or not it was checked.

    | `reward_mode` | reward at the end |
    |---|---|
    | `"exact"` (default, the paper's) | 1 when every rule holds, else 0 |
    | `"fraction"` | mean of the share of rules that hold and the share of slots that are right |
    | `"exact_cost"`, `"fraction_cost"` | the same, less up to a quarter for the readings and checks that were spent |
    | `"dense"` | `"fraction"`, spread over the steps |

    At the end `info["verdict"]` lists every rule and slot with what was expected and found; `info["is_success"]` says
    whether all rules hold.

    ## End of episode

    - Termination: the agent calls `done`.
    - Truncation: `max_steps` steps are used up (600, as in the paper).  The grid is judged all the same, unless
      `grade_on_truncation=False`.

    ## Arguments

    `tier`, `pattern`, `params` and `split` narrow the endless supply of generated tasks; `tasks` plays a pack instead.
    The pattern is the preset of rules.  `interface` is described above; `max_slots` and `max_choices` are the size of the
    discrete one, by default enough for every tier of `"coupled"`.  For `"paper"` ask for `max_choices=26`.  All other
    arguments are described at :class:`~opsgym.envs.tool_env.ToolEnv`; the options of `reset` at
    :meth:`~opsgym.envs.tool_env.ToolEnv.reset`.

    ## Tiers

    | tier | pattern | grid | H | B | |
    |---|---|---|---|---|---|
    | `"easy"` | `coupled` | 3x3 to 4x5 | 2 to 4 | 2 to 4 | few rules span rows |
    | `"medium"` | `coupled` | 4x5 to 5x6 | 6 to 9 | 7 to 12 | |
    | `"hard"` | `coupled` | 5x7 | 13 to 17 | 22 to 28 | none that a policy without search solves |
    | `"expert"` | `coupled` | 5x7 to 6x8 | 20 to 24 | 29 to 34 | the same, nearly all rules coupled |
    | `"paper"` | `paper` | 5x7 | 1 to 21 | 0 to 25 | the paper's 54 cells of H and B, budgets without limit |

    ## Patterns

    | pattern | rules |
    |---|---|
    | `"coupled"` (default) | decoys in up to H slots; row, column and pairwise rules; no rule alone isolates the completion |
    | `"paper"` | the paper's: decoys in about sqrt(B) slots, one-sided rules over the grid |

    ## Example

    >>> import gymnasium as gym
    >>> import opsgym
    >>> env = gym.make("ACEBench-v0", tier="easy", cache=None)
    >>> brief, info = env.reset(seed=7)
    >>> observation, reward, terminated, truncated, info = env.step('{"name": "done"}')
    >>> reward, terminated, info["is_success"]
    (0.0, True, False)

    The same in numbers:

    >>> env = gym.make("ACEBench-v0", tier="easy", cache=None, interface="discrete")
    >>> observation, info = env.reset(seed=7)
    >>> observation.shape, env.action_space
    ((774,), Discrete(194))
    >>> masks = env.get_wrapper_attr("action_masks")()
    >>> observation, reward, terminated, truncated, info = env.step(masks.argmax())
    """

    family = AceBenchFamily()

    def __init__(
        self, *, interface: str = INTERFACES[0], max_slots: int = SLOTS, max_choices: int = CHOICES, **arguments: Any
    ) -> None:
        super().__init__(**arguments)
        self._arguments |= {"interface": interface, "max_slots": max_slots, "max_choices": max_choices}
        self.interface = known_name("interface", interface, INTERFACES)
        self._view = DiscreteView(slots=max_slots, choices=max_choices) if interface == "discrete" else None
        if self._view is not None:
            # ToolEnv is typed for text; this interface has none.
            self.observation_space = self._view.observation_space  # type: ignore[assignment]  # as said
            self.action_space = self._view.action_space  # type: ignore[assignment]  # as said

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Start an episode; see :meth:`ToolEnv.reset <opsgym.envs.tool_env.ToolEnv.reset>`.

        Raises:
            RegistryError: An unknown name was given; the message lists those that exist.
            TaskError: The task is invalid or larger than the discrete interface, or the parameters are infeasible.
        """
        text, info = super().reset(seed=seed, options=options)
        return (text, info) if self._view is None else (self._seen(self._view), {**info, "text": text})

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Carry out an action; see :meth:`ToolEnv.step <opsgym.envs.tool_env.ToolEnv.step>`."""
        view = self._view
        if view is None:
            return super().step(action)
        if isinstance(action, SupportsInt) and not isinstance(action, str):
            action = view.call(int(action), self.world)
        text, reward, terminated, truncated, info = super().step(action)
        return self._seen(view), reward, terminated, truncated, {**info, "text": text}

    def action_masks(self) -> Bools:
        """Which actions of the discrete interface can be taken now, as sb3-contrib's maskable algorithms ask for it.

        Raises:
            TaskError: The interface is text.
        """
        if self._view is None:
            raise TaskError("action masks need interface='discrete'", field="interface")
        return self._view.masks(self.world)

    def _seen(self, view: DiscreteView) -> Any:
        return view.observe(self.world, 1.0 - len(self.episode.turns) / self.max_steps)


class ACEBenchVectorEnv(ToolSyncVectorEnv):
    """A batch of :class:`ACEBenchEnv`; what ``gymnasium.make_vec("ACEBench-v0")`` makes."""

    env_type = ACEBenchEnv
